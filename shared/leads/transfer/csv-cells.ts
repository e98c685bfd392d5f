import { stringify } from 'csv-stringify/sync';
import { parseJson } from '../../base/json.ts';
import { fieldKinds } from '../../organization/field-kinds.ts';
import { idNamed, type NamedItem } from '../../organization/named.ts';
import type { Field, Organization } from '../../organization/organization.ts';
import type { RawValue } from '../field-values.ts';
import type { FieldValue } from '../lead.ts';
import { isValueLike } from './spreadsheet-values.ts';

/**
 * A row of a CSV file. Programs that guess the delimiter count the ones outside quotes, so text with a semicolon is always quoted. Most
 * programs end a row at any line break; csv-stringify quotes those that are not `lineEnd` only on request:
 * https://csv.js.org/stringify/options/quote_record_delimiter/
 */
export const csvLine = (
  cells: readonly string[],
  { delimiter, lineEnd }: { readonly delimiter: string; readonly lineEnd: string },
): string =>
  stringify([[...cells]], {
    delimiter,
    record_delimiter: lineEnd,
    quoted_match: /;/,
    quote_record_delimiter: true,
  });

/**
 * A field's value as a cell of a CSV file. Sources and users are written by name if only one has the name, and lists are separated by commas
 * unless an item contains one.
 * @param isForSpreadsheet a spreadsheet opens the file itself, so it must not take a text for a number or a date (`+49170…` becomes 4.9E+12);
 * else a program reads the file, or a person imports it as text
 */
export function cellOf(
  organization: Organization,
  field: Field,
  value: FieldValue,
  isForSpreadsheet = false,
): string {
  const { references, cell } = fieldKinds[field.type];
  if (references !== null) return nameOrId(organization[references], value, isForSpreadsheet);
  const text = typeof value === 'object' ? listCell(value) : String(value);
  return guarded(text, isForSpreadsheet && cell === 'text');
}

/** Items that contain the separator, or that a cell would not keep as they are, are written as a JSON list. */
export const listCell = (items: readonly string[], separator = ','): string =>
  items.every((item) => item === item.trim() && !/[,[]/.test(item))
    ? items.join(separator)
    : JSON.stringify(items);

/**
 * A cell's value as a request would send it; null for an empty cell.
 * @param isOurs whether an export of this service wrote the cell
 */
export function rawFromCell(
  cell: string,
  type: Field['type'] | undefined,
  isOurs = true,
): RawValue {
  if (cell === '') return null;
  const text = isOurs ? unguarded(cell) : unguardedPlainly(cell);
  return type !== undefined && fieldKinds[type].isList ? (listFrom(text) ?? text) : text;
}

function listFrom(text: string): readonly string[] | undefined {
  const list = text.startsWith('[') ? parseJson(text) : undefined;
  return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined;
}

/** An item's name if a cell with that name is read as this item, else its ID. */
export function nameOrId(
  items: readonly NamedItem[],
  id: unknown,
  isForSpreadsheet = false,
): string {
  const name = items.find((item) => item.id === id)?.name;
  return name !== undefined && guarded(name) === name && idNamed(items, name) === id
    ? guarded(name, isForSpreadsheet)
    : String(id);
}

/**
 * A spreadsheet runs a cell that begins like this as a formula, and any visitor of a website can write one into a form. An apostrophe in
 * front makes it text (OWASP, CSV Injection). Plain numbers and phones are harmless. Where the comma is the decimal mark, a spreadsheet
 * splits cells at semicolons and ignores the file's quotes, so an apostrophe also guards every start of a cell or line within a text.
 */
const formulaLike = /^'*[=+\-@＝＋－＠\t\r\n]/;
const harmless = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const formulaWithin = /(?<=[;\r\n])(?=['"]*[=+\-@＝＋－＠])/g;
function guarded(text: string, isForSpreadsheet = false): string {
  if (!isForSpreadsheet && harmless.test(text)) return text;
  const within = text.replace(formulaWithin, "'");
  // An import cannot know for whom a cell was guarded: each text that looks guarded gets another apostrophe.
  const mayLookGuarded = isForSpreadsheet || text.startsWith("'");
  return formulaLike.test(text) || (mayLookGuarded && isValueLike(text)) ? `'${within}` : within;
}

const guardWithin = /(?<=[;\r\n])'(?=['"]*[=+\-@＝＋－＠])/g;
function unguarded(cell: string): string {
  const isGuarded = cell.startsWith("'") && (formulaLike.test(cell) || isValueLike(cell));
  return (isGuarded ? cell.slice(1) : cell).replace(guardWithin, '');
}
/** A text for a cell that needs no guard, in which an import must not find one. */
export const unguardable = (text: string): string =>
  unguarded(text) === text ? text : guarded(text, true);
/** Removes the guard that other programs write. */
const unguardedPlainly = (cell: string): string =>
  /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
