import { fieldKinds } from '../../organization/field-kinds.ts';
import type { Field, Organization } from '../../organization/organization.ts';
import type { RawValue } from '../field-types.ts';
import type { FieldValue } from '../lead.ts';
import { idNamed, type NamedItem } from './resolve-id.ts';

/**
 * A field's value as the cell of a CSV file and back. Sources, people and the like are written by name where the name says which,
 * a list with commas between unless a value holds one.
 */
export function cellOf(organization: Organization, field: Field, value: FieldValue): string {
  const { references } = fieldKinds[field.type];
  if (references !== null) return nameOrId(organization[references], value);
  if (typeof value !== 'object') return guarded(String(value));
  const isPlain = value.every((item) => item === item.trim() && !/[,[]/.test(item));
  return guarded(isPlain ? value.join(',') : JSON.stringify(value));
}

/**
 * What a cell says for a field, as a request would send it; an empty cell is null.
 * @param isOurs whether an export of this service wrote the cell
 */
export function rawFromCell(cell: string, type: Field['type'] | undefined, isOurs = true): RawValue {
  if (cell === '') return null;
  const text = isOurs ? unguarded(cell) : unguardedPlainly(cell);
  return type !== undefined && fieldKinds[type].isList ? (listFrom(text) ?? text) : text;
}

function listFrom(text: string): readonly string[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // text that merely begins so
    throw error;
  }
}

/** An item's name where a cell with that name leads back to this item, else its id. */
export function nameOrId(items: readonly NamedItem[], id: unknown): string {
  const name = items.find((item) => item.id === id)?.name;
  return name !== undefined && guarded(name) === name && idNamed(items, name) === id ? name : String(id);
}

/**
 * A spreadsheet runs a cell that begins so as a formula, and a website's visitor can write one into a form: an apostrophe before it
 * makes it text (OWASP, CSV Injection). Plain numbers and phones are harmless. Where the comma is the decimal mark a spreadsheet parts
 * cells at semicolons, and as no line begins with a quote, quotes hold no text together for it: within a text, what begins a cell or a
 * line there gets an apostrophe too.
 */
const formulaLike = /^'*[=+\-@＝＋－＠\t\r\n]/;
const harmless = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const formulaWithin = /(?<=[;\r\n])(?=['"]*[=+\-@＝＋－＠])/g;
function guarded(text: string): string {
  if (harmless.test(text)) return text;
  const within = text.replace(formulaWithin, "'");
  return formulaLike.test(text) ? `'${within}` : within;
}

const guardWithin = /(?<=[;\r\n])'(?=['"]*[=+\-@＝＋－＠])/g;
const unguarded = (cell: string): string =>
  (/^'+[=+\-@＝＋－＠\t\r\n]/.test(cell) ? cell.slice(1) : cell).replace(guardWithin, '');
/** As earlier exports guarded their cells, and others do. */
const unguardedPlainly = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);
