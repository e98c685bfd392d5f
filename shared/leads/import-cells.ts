import type { Field, Organization } from '../organization/organization.ts';
import type { RawValue } from './field-types.ts';
import type { FieldValue } from './lead.ts';
import { idNamed } from './named-items.ts';

/**
 * A field's value as the cell of a CSV file and back. Sources, people and the like are written by name where the name says which,
 * a list with commas between unless a value holds one.
 */
export function cellOf(organization: Organization, field: Field, value: FieldValue): string {
  if (field.type === 'lead_source') return nameOrId(organization.sources, value);
  if (field.type === 'user') return nameOrId(organization.users, value);
  if (typeof value !== 'object') return guarded(String(value));
  const isPlain = value.every((item) => item === item.trim() && !/[,[]/.test(item));
  return guarded(isPlain ? value.join(',') : JSON.stringify(value));
}

/** What a cell says for a field, as a request would send it; an empty cell is null. */
export function rawFromCell(cell: string, type: Field['type'] | undefined): RawValue {
  if (cell === '') return null;
  const text = unguarded(cell);
  return type === 'multiselect' ? (listFrom(text) ?? text) : text;
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
export function nameOrId(
  items: readonly { readonly id: number; readonly name: string; readonly active?: boolean }[],
  id: unknown,
): string {
  const name = items.find((item) => item.id === id)?.name;
  return name !== undefined && guarded(name) === name && idNamed(items, name) === id ? name : String(id);
}

/**
 * A spreadsheet runs a cell that begins so as a formula, and a website's visitor can write one into a form: an apostrophe before it
 * makes it text (OWASP, CSV Injection). Plain numbers and phones are harmless.
 */
const formulaLike = /^'*[=+\-@\t\r]/;
const harmless = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const guarded = (text: string): string => (formulaLike.test(text) && !harmless.test(text) ? `'${text}` : text);
const unguarded = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);
