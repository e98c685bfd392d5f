import { stringify } from 'csv-stringify/sync';
import { parseJson } from '../../base/json.ts';
import { fieldKinds } from '../../organization/field-kinds.ts';
import { idNamed, type NamedItem } from '../../organization/named.ts';
import type { Field, Organization } from '../../organization/organization.ts';
import type { RawValue } from '../field-values.ts';
import type { FieldValue } from '../lead.ts';
import { isValueLike } from './spreadsheet-values.ts';

/**
 * A row of a CSV file. Programs that guess the delimiter count candidates outside quotes, so text with a semicolon is always quoted. Most
 * programs end a row at any line break, but csv-stringify quotes only `lineEnd` unless told otherwise:
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
 * @param isForSpreadsheet true if a spreadsheet opens the file itself, which would take some texts for numbers or dates (`+49170…` becomes
 * 4.9E+12); false if a program reads the file, or a person imports it as text
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

/**
 * A list as a cell: items with the separator between them. If an item contains the separator, or would not survive in a cell, it is a JSON
 * list.
 */
export const listCell = (items: readonly string[], separator = ','): string =>
  items.every((item) => item === item.trim() && !/[,[]/.test(item))
    ? items.join(separator)
    : JSON.stringify(items);

/**
 * The value of a cell as a request would send it; null for an empty cell.
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

/** The item's name, if a cell with that name would be read as this item; otherwise its ID. */
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
 * A spreadsheet runs a cell that begins like this as a formula, and any website visitor can send one through a form. A leading apostrophe
 * makes the cell text (OWASP, CSV Injection). Plain numbers and phones are harmless. In countries with a decimal comma, spreadsheets split
 * cells at semicolons and ignore the file's quotes. So an apostrophe also guards each place in a text where a cell or line would begin.
 */
const formulaLike = /^'*[=+\-@＝＋－＠\t\r\n]/;
const harmless = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const formulaWithin = /(?<=[;\r\n])(?=['"]*[=+\-@＝＋－＠])/g;
function guarded(text: string, isForSpreadsheet = false): string {
  if (!isForSpreadsheet && harmless.test(text)) return text;
  const within = text.replace(formulaWithin, "'");
  // An import cannot know whether a cell was guarded, so each text that looks guarded gets another apostrophe.
  const mayLookGuarded = isForSpreadsheet || text.startsWith("'");
  // Gnumeric drops the apostrophe at the start of a cell.
  const mayLoseIt = text.startsWith(isForSpreadsheet ? "'" : "''");
  return formulaLike.test(text) || mayLoseIt || (mayLookGuarded && isValueLike(text))
    ? `'${within}`
    : within;
}

const guardWithin = /(?<=[;\r\n])'(?=['"]*[=+\-@＝＋－＠])/g;
function unguarded(cell: string): string {
  const isGuarded =
    cell.startsWith("''") ||
    (cell.startsWith("'") && (formulaLike.test(cell) || isValueLike(cell)));
  return (isGuarded ? cell.slice(1) : cell).replace(guardWithin, '');
}
/** A text for a cell that needs no guard, such that an import does not mistake part of it for one. */
export const unguardable = (text: string): string =>
  unguarded(text) === text ? text : guarded(text, true);
/** Removes the guard that other programs write. */
const unguardedPlainly = (cell: string): string =>
  /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
