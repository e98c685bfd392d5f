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

/**
 * Every place where a value does not have the schema's shape. Walks the schema itself, because valibot's object schemas accept a list as
 * an object, stop at the first unknown property, and accept an own `__proto__` or `constructor`.
 */
export function shapeIssues(schema: v.GenericSchema, value: unknown, path = '$'): SettingsIssue[] {
  if (isWrapping(schema)) {
    return schema.type === 'nullable' && value === null
      ? []
      : shapeIssues(schema.wrapped, value, path);
  }
  if (isObjectSchema(schema)) return objectIssues(schema, value, path);
  const wrong = { path, message: `must be ${descriptionOf(schema)}, but is ${display(value)}` };
  if (isArraySchema(schema) && Array.isArray(value)) {
    const issues = value.flatMap((item, index) =>
      shapeIssues(schema.item, item, `${path}[${index}]`),
    );
    return issues.length > 0 || v.is(schema, value)
      ? issues
      : [{ path, message: `must be ${descriptionOf(schema)}` }];
  }
  return v.is(schema, value) ? [] : [wrong];
}

function objectIssues(schema: ObjectSchema, value: unknown, path: string): SettingsIssue[] {
  if (!isPlainObject(value))
    return [{ path, message: `must be an object, but is ${display(value)}` }];
  const names = Object.keys(schema.entries);
  const unknown = Object.keys(value)
    .filter((name) => !Object.hasOwn(schema.entries, name))
    .map((name) => {
      const near = nearestName(name, names);
      const hint = near ? `did you mean ${near}?` : `the properties here are ${names.join(', ')}`;
      return {
        path: stepInto(path, name),
        message: `is not a property of the settings file: ${hint}`,
      };
    });
  const known = Object.entries(schema.entries).flatMap(([name, entry]) => {
    const entrySchema = entry as v.GenericSchema;
    if (Object.hasOwn(value, name))
      return shapeIssues(entrySchema, value[name], stepInto(path, name));
    return entrySchema.type === 'optional'
      ? []
      : [
          {
            path: stepInto(path, name),
            message: `is missing: it must be ${descriptionOf(entrySchema)}`,
          },
        ];
  });
  return [...unknown, ...known];
}

/** One item of a list. `value` has only the properties with a valid shape. */
export interface Entry<T> {
  readonly value: Partial<T>;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly path: string;
}

/** The objects of a list, each with its valid properties, so that an issue in one place does not hide others. */
export function entriesOf<const E extends v.ObjectEntries>(
  schema: v.ObjectSchema<E, undefined>,
  list: unknown,
  path: string,
): Entry<v.InferOutput<v.ObjectSchema<E, undefined>>>[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((raw, index) => {
    if (!isPlainObject(raw)) return [];
    const valid = Object.entries(schema.entries).flatMap(([name, entry]) => {
      const result = v.safeParse(
        entry as v.GenericSchema,
        Object.hasOwn(raw, name) ? raw[name] : undefined,
      );
      return result.success && result.output !== undefined ? [[name, result.output]] : [];
    });
    return [
      {
        value: Object.fromEntries(valid) as Partial<v.InferOutput<v.ObjectSchema<E, undefined>>>,
        raw,
        path: `${path}[${index}]`,
      },
    ];
  });
}

/** Reports each item that repeats an earlier one. @param same what must be unique; undefined if an item is not compared */
export function repeated<T>(
  entries: readonly Entry<T>[],
  property: string,
  same: (value: Partial<T>) => unknown,
  rule: string,
): SettingsIssue[] {
  const first = new Map<unknown, string>();
  return entries.flatMap(({ value, raw, path }) => {
    const compared = same(value);
    if (compared === undefined) return [];
    const earlier = first.get(compared);
    if (earlier === undefined) {
      first.set(compared, path);
      return [];
    }
    return [
      {
        path: `${path}.${property}`,
        message: `is ${display(raw[property])}, as in ${earlier}: ${rule}`,
      },
    ];
  });
}
