import * as v from 'valibot';
import { isPlainObject } from '../base/json.ts';
import { nearestName } from './nearest-name.ts';

export interface SettingsIssue {
  /** A JSON path, such as `$.fields[3].options`. */
  readonly path: string;
  /** Completes a sentence that begins with the path. */
  readonly message: string;
}

/** Thrown for settings that are refused, with every issue: a file that is not valid, or a change that cannot be made. Nothing was applied. */
export class SettingsRejectedError extends Error {
  override readonly name = 'SettingsRejectedError';
  readonly issues: readonly SettingsIssue[];

  constructor(message: string, issues: readonly SettingsIssue[]) {
    super(message);
    this.issues = issues;
  }
}

export const stepInto = (path: string, property: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(property)
    ? `${path}.${property}`
    : `${path}[${JSON.stringify(property)}]`;

/** A value as a message shows it: on one line, at most 60 characters. */
export function display(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? 'missing';
  return text.length <= 60 ? text : `${text.slice(0, 57)}…"`;
}

/** Every schema of a single value has a description of its own. */
const descriptionOf = (schema: v.GenericSchema): string =>
  v.getDescription(schema) ?? (isObjectSchema(schema) ? 'an object' : 'a list');

type ObjectSchema = v.ObjectSchema<v.ObjectEntries, undefined>;
type ArraySchema = v.ArraySchema<v.GenericSchema, undefined>;
type WrappingSchema =
  | v.OptionalSchema<v.GenericSchema, unknown>
  | v.NullableSchema<v.GenericSchema, unknown>;
const isObjectSchema = (schema: v.GenericSchema): schema is ObjectSchema =>
  schema.type === 'object';
const isArraySchema = (schema: v.GenericSchema): schema is ArraySchema => schema.type === 'array';
const isWrapping = (schema: v.GenericSchema): schema is WrappingSchema =>
  schema.type === 'optional' || schema.type === 'nullable';

/** A value without its malformed parts: a malformed property is missing, and a malformed item of a list is undefined. */
export type WellFormed<T> = T extends readonly (infer Item)[]
  ? readonly (WellFormed<Item> | undefined)[]
  : T extends object
    ? { readonly [Name in keyof T]?: WellFormed<T[Name]> | undefined }
    : T;

type Report = (path: string, message: string) => void;

/**
 * Reads a value by a schema, with every issue at once. Walks the schema itself, because valibot's object schemas accept a list as an object,
 * stop at the first unknown property, and accept an own `__proto__` or `constructor`.
 * @returns the well-formed part with its defaults, and why the rest is not well-formed
 */
export function readShape<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
): { value: WellFormed<v.InferOutput<S>> | undefined; issues: readonly SettingsIssue[] } {
  const issues: SettingsIssue[] = [];
  const read = wellFormed(schema, value, '$', (path, message) => issues.push({ path, message }));
  return { value: read as WellFormed<v.InferOutput<S>> | undefined, issues };
}

/** The well-formed part of a value; undefined if no part is. */
function wellFormed(
  schema: v.GenericSchema,
  value: unknown,
  path: string,
  report: Report,
): unknown {
  if (isWrapping(schema))
    return schema.type === 'nullable' && value === null
      ? null
      : wellFormed(schema.wrapped, value, path, report);
  if (isObjectSchema(schema) && isPlainObject(value))
    return wellFormedObject(schema, value, path, report);
  // The only rule for a whole list is that it is not empty.
  if (isArraySchema(schema) && Array.isArray(value) && value.length > 0)
    return value.map((item, index) => wellFormed(schema.item, item, `${path}[${index}]`, report));
  const result = v.safeParse(schema, value);
  if (result.success && !isObjectSchema(schema)) return result.output;
  report(path, `must be ${descriptionOf(schema)}, but is ${display(value)}`);
  return undefined;
}

function wellFormedObject(
  schema: ObjectSchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
  report: Report,
): object {
  const names = Object.keys(schema.entries);
  for (const name of Object.keys(value).filter((one) => !names.includes(one))) {
    const near = nearestName(name, names);
    const hint = near ? `did you mean ${near}?` : `the properties here are ${names.join(', ')}`;
    report(stepInto(path, name), `is not a property of the settings file: ${hint}`);
  }
  const read = Object.entries<v.GenericSchema>(schema.entries).map(([name, entry]) => {
    const at = stepInto(path, name);
    if (Object.hasOwn(value, name)) return [name, wellFormed(entry, value[name], at, report)];
    if (entry.type === 'optional') return [name, v.getDefault(entry)];
    report(at, `is missing: it must be ${descriptionOf(entry)}`);
    return [name, undefined];
  });
  return Object.fromEntries(read.filter(([, part]) => part !== undefined));
}

/** A value with its properties in the order of the schema, because DynamoDB returns those of a map in any order. */
export function inFileOrder<T>(schema: v.GenericSchema, value: T): T;
export function inFileOrder(schema: v.GenericSchema, value: unknown): unknown {
  if (isWrapping(schema)) return inFileOrder(schema.wrapped, value);
  if (isArraySchema(schema) && Array.isArray(value))
    return value.map((item) => inFileOrder(schema.item, item));
  if (!isObjectSchema(schema) || !isPlainObject(value)) return value;
  const entries = Object.entries<v.GenericSchema>(schema.entries);
  const own = entries.filter(([name]) => Object.hasOwn(value, name));
  const ordered = own.map(([name, entry]) => [name, inFileOrder(entry, value[name])]);
  const known = Object.fromEntries(ordered);
  return { ...known, ...value, ...known }; // a property that the schema does not have comes last
}
