import * as v from 'valibot';
import { isPlainObject } from '../base/json.ts';
import { nearestName } from './nearest-name.ts';

export interface SettingsIssue {
  /** A JSON path, such as `$.fields[3].options`. */
  readonly path: string;
  /** Completes a sentence that begins with the path. */
  readonly message: string;
}

/** Thrown with every issue if settings are refused: the file is not valid, or the change cannot be made. Nothing was applied. */
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

/** A value as messages show it: on one line, at most 60 characters. */
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

/**
 * Yields every fault in a value's shape. Walks the schema itself, because valibot's object schemas accept a list as an object, stop at the
 * first unknown property, and accept an own `__proto__` or `constructor`. The schema can parse a value without faults.
 */
export function* shapeIssues(
  schema: v.GenericSchema,
  value: unknown,
  path = '$',
): Generator<SettingsIssue> {
  if (isWrapping(schema)) {
    if (schema.type === 'optional' || value !== null)
      yield* shapeIssues(schema.wrapped, value, path);
  } else if (isObjectSchema(schema) && isPlainObject(value))
    yield* propertyIssues(schema, value, path);
  // The only rule for a whole list is that it is not empty.
  else if (isArraySchema(schema) && Array.isArray(value) && value.length > 0)
    for (const [index, item] of value.entries())
      yield* shapeIssues(schema.item, item, `${path}[${index}]`);
  else if (isObjectSchema(schema) || !v.is(schema, value))
    yield { path, message: `must be ${descriptionOf(schema)}, but is ${display(value)}` };
}

function* propertyIssues(
  { entries }: ObjectSchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
): Generator<SettingsIssue> {
  const names = Object.keys(entries);
  for (const name of Object.keys(value).filter((property) => !names.includes(property))) {
    const near = nearestName(name, names);
    const hint = near ? `did you mean ${near}?` : `the properties here are ${names.join(', ')}`;
    const message = `is not a property of the settings file: ${hint}`;
    yield { path: stepInto(path, name), message };
  }
  for (const [name, entry] of Object.entries<v.GenericSchema>(entries)) {
    const at = stepInto(path, name);
    if (Object.hasOwn(value, name)) yield* shapeIssues(entry, value[name], at);
    else if (entry.type !== 'optional')
      yield { path: at, message: `is missing: it must be ${descriptionOf(entry)}` };
  }
}

/** The value with its properties in the schema's order, because DynamoDB returns a map's properties in any order. */
export function inFileOrder<T>(schema: v.GenericSchema, value: T): T;
export function inFileOrder(schema: v.GenericSchema, value: unknown): unknown {
  if (isWrapping(schema)) return inFileOrder(schema.wrapped, value);
  if (isArraySchema(schema) && Array.isArray(value))
    return value.map((item) => inFileOrder(schema.item, item));
  if (!isObjectSchema(schema) || !isPlainObject(value)) return value;
  const entries = Object.entries<v.GenericSchema>(schema.entries);
  const ordered = entries
    .filter(([name]) => Object.hasOwn(value, name))
    .map(([name, entry]) => [name, inFileOrder(entry, value[name])]);
  const known = Object.fromEntries(ordered);
  return { ...known, ...value, ...known }; // a property that the schema does not have comes last
}
