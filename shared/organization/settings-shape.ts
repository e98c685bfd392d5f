import * as v from 'valibot';
import { isPlainObject } from '../json.ts';
import { nearestName } from './nearest-name.ts';

/** Why a settings file is not valid. */
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

/** The JSON path of a property. */
export const stepInto = (path: string, property: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(property)
    ? `${path}.${property}`
    : `${path}[${JSON.stringify(property)}]`;

/** A value as a message shows it: on one line, at most 60 characters. */
export function display(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? 'missing';
  return text.length <= 60 ? text : `${text.slice(0, 57)}…"`;
}

function descriptionOf(schema: v.GenericSchema): string {
  if (isObjectSchema(schema)) return 'an object';
  if (isArraySchema(schema)) return v.getDescription(schema) ?? 'a list';
  return v.getDescription(schema) ?? schema.expects;
}

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

/** What a schema reads: the well-formed part with its defaults, and why the rest is not well-formed. */
interface Shaped<T> {
  readonly value: T | undefined;
  readonly issues: readonly SettingsIssue[];
}

/**
 * Reads a value by a schema, with every issue at once. Walks the schema itself, because valibot's object schemas accept a list as an object,
 * stop at the first unknown property, and accept an own `__proto__` or `constructor`.
 */
export const readShape = <S extends v.GenericSchema>(
  schema: S,
  value: unknown,
): Shaped<WellFormed<v.InferOutput<S>>> =>
  read(schema, value, '$') as Shaped<WellFormed<v.InferOutput<S>>>;

function read(schema: v.GenericSchema, value: unknown, path: string): Shaped<unknown> {
  if (isWrapping(schema))
    return schema.type === 'nullable' && value === null
      ? { value, issues: [] }
      : read(schema.wrapped, value, path);
  if (isObjectSchema(schema)) return readObject(schema, value, path);
  if (isArraySchema(schema) && Array.isArray(value)) return readList(schema, value, path);
  const result = v.safeParse(schema, value);
  if (result.success) return { value: result.output, issues: [] };
  const message = `must be ${descriptionOf(schema)}, but is ${display(value)}`;
  return { value: undefined, issues: [{ path, message }] };
}

function readList(schema: ArraySchema, list: readonly unknown[], path: string): Shaped<unknown[]> {
  const items = list.map((item, index) => read(schema.item, item, `${path}[${index}]`));
  const issues = items.flatMap((item) => item.issues);
  return issues.length > 0 || v.is(schema, list)
    ? { value: items.map((item) => item.value), issues }
    : { value: undefined, issues: [{ path, message: `must be ${descriptionOf(schema)}` }] };
}

function readObject(schema: ObjectSchema, value: unknown, path: string): Shaped<object> {
  if (!isPlainObject(value)) {
    const message = `must be an object, but is ${display(value)}`;
    return { value: undefined, issues: [{ path, message }] };
  }
  const issues = unknownProperties(schema, value, path);
  const wellFormed: [string, unknown][] = [];
  for (const [name, entry] of Object.entries<v.GenericSchema>(schema.entries)) {
    const at = stepInto(path, name);
    if (Object.hasOwn(value, name)) {
      const property = read(entry, value[name], at);
      issues.push(...property.issues);
      wellFormed.push([name, property.value]);
    } else if (entry.type === 'optional') wellFormed.push([name, v.getDefault(entry)]);
    else issues.push({ path: at, message: `is missing: it must be ${descriptionOf(entry)}` });
  }
  return {
    value: Object.fromEntries(wellFormed.filter(([, part]) => part !== undefined)),
    issues,
  };
}

function unknownProperties(schema: ObjectSchema, value: object, path: string): SettingsIssue[] {
  const names = Object.keys(schema.entries);
  return Object.keys(value)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const near = nearestName(name, names);
      const hint = near ? `did you mean ${near}?` : `the properties here are ${names.join(', ')}`;
      return {
        path: stepInto(path, name),
        message: `is not a property of the settings file: ${hint}`,
      };
    });
}

/** A value with its properties in the order of the schema, because DynamoDB returns those of a map in any order. */
export function inFileOrder<T>(schema: v.GenericSchema, value: T): T;
export function inFileOrder(schema: v.GenericSchema, value: unknown): unknown {
  if (isWrapping(schema)) return inFileOrder(schema.wrapped, value);
  if (isArraySchema(schema) && Array.isArray(value))
    return value.map((item) => inFileOrder(schema.item, item));
  if (!isObjectSchema(schema) || !isPlainObject(value)) return value;
  const entries = new Map<string, v.GenericSchema>(Object.entries(schema.entries));
  const names = new Set([...entries.keys(), ...Object.keys(value)]);
  const ordered = [...names].filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(
    ordered.map((name) => {
      const entry = entries.get(name);
      return [name, entry ? inFileOrder(entry, value[name]) : value[name]];
    }),
  );
}
