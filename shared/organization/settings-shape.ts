import * as v from 'valibot';
import { nearestName } from './nearest-name.ts';

/** What is wrong with a settings file, and where: a JSON path such as `$.fields[3].options`. */
export interface SettingsIssue {
  readonly path: string;
  /** Completes a sentence that begins with the path. */
  readonly message: string;
}

/** A path's next step, as JSON path writes it. */
export const stepInto = (path: string, property: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(property) ? `${path}.${property}` : `${path}[${JSON.stringify(property)}]`;

/** A value as a message shows it: short, on one line. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? 'missing';
  return text.length <= 60 ? text : `${text.slice(0, 57)}…"`;
}

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function described(schema: v.GenericSchema): string {
  if (isObjectSchema(schema)) return 'an object';
  if (isArraySchema(schema)) return v.getDescription(schema) ?? 'a list';
  return v.getDescription(schema) ?? schema.expects;
}

type ObjectSchema = v.ObjectSchema<v.ObjectEntries, undefined>;
type ArraySchema = v.ArraySchema<v.GenericSchema, undefined>;
type WrappingSchema = v.OptionalSchema<v.GenericSchema, unknown> | v.NullableSchema<v.GenericSchema, unknown>;
const isObjectSchema = (schema: v.GenericSchema): schema is ObjectSchema => schema.type === 'object';
const isArraySchema = (schema: v.GenericSchema): schema is ArraySchema => schema.type === 'array';
const isWrapping = (schema: v.GenericSchema): schema is WrappingSchema =>
  schema.type === 'optional' || schema.type === 'nullable';

/**
 * Every place where a value has not the schema's shape. Walks the schema itself, because valibot's own object schemas take a list
 * for an object, stop at the first unknown property, and let an own `__proto__` or `constructor` through as known.
 */
export function shapeIssues(schema: v.GenericSchema, value: unknown, path = '$'): SettingsIssue[] {
  if (isWrapping(schema)) {
    return schema.type === 'nullable' && value === null ? [] : shapeIssues(schema.wrapped, value, path);
  }
  if (isObjectSchema(schema)) return objectFaults(schema, value, path);
  const wrong = { path, message: `must be ${described(schema)}, but is ${shown(value)}` };
  if (isArraySchema(schema) && Array.isArray(value)) {
    const issues = value.flatMap((item, index) => shapeIssues(schema.item, item, `${path}[${index}]`));
    return issues.length > 0 || v.is(schema, value) ? issues : [{ path, message: `must be ${described(schema)}` }];
  }
  return v.is(schema, value) ? [] : [wrong];
}

function objectFaults(schema: ObjectSchema, value: unknown, path: string): SettingsIssue[] {
  if (!isPlainObject(value)) return [{ path, message: `must be an object, but is ${shown(value)}` }];
  const names = Object.keys(schema.entries);
  const unknown = Object.keys(value)
    .filter((name) => !Object.hasOwn(schema.entries, name))
    .map((name) => {
      const near = nearestName(name, names);
      const right = near ? `did you mean ${near}?` : `known here are ${names.join(', ')}.`;
      return { path: stepInto(path, name), message: `is not a property of the settings file: ${right}` };
    });
  const known = Object.entries(schema.entries).flatMap(([name, entry]) => {
    const entrySchema = entry as v.GenericSchema;
    if (Object.hasOwn(value, name)) return shapeIssues(entrySchema, value[name], stepInto(path, name));
    return entrySchema.type === 'optional'
      ? []
      : [{ path: stepInto(path, name), message: `is missing: it must be ${described(entrySchema)}` }];
  });
  return [...unknown, ...known];
}

/** One item of a list, with each property that has its schema's shape; those that have not are left out. */
export interface Entry<T> {
  readonly value: Partial<T>;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly path: string;
}

/** The objects of a list, each as far as it is well-formed, so that a fault in one place does not hide the faults elsewhere. */
export function entriesOf<const E extends v.ObjectEntries>(
  schema: v.ObjectSchema<E, undefined>,
  list: unknown,
  path: string,
): Entry<v.InferOutput<v.ObjectSchema<E, undefined>>>[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((raw, index) => {
    if (!isPlainObject(raw)) return [];
    const sound = Object.entries(schema.entries).flatMap(([name, entry]) => {
      const result = v.safeParse(entry as v.GenericSchema, Object.hasOwn(raw, name) ? raw[name] : undefined);
      return result.success && result.output !== undefined ? [[name, result.output]] : [];
    });
    return [
      {
        value: Object.fromEntries(sound) as Partial<v.InferOutput<v.ObjectSchema<E, undefined>>>,
        raw,
        path: `${path}[${index}]`,
      },
    ];
  });
}

/** The later of two items that may not both be: `same` gives what makes them equal, undefined when an item is out of the question. */
export function repeated<T>(
  entries: readonly Entry<T>[],
  property: string,
  same: (value: Partial<T>) => unknown,
  why: string,
): SettingsIssue[] {
  const first = new Map<unknown, string>();
  return entries.flatMap(({ value, raw, path }) => {
    const mark = same(value);
    if (mark === undefined) return [];
    const earlier = first.get(mark);
    if (earlier === undefined) {
      first.set(mark, path);
      return [];
    }
    return [{ path: `${path}.${property}`, message: `is ${shown(raw[property])}, as in ${earlier}: ${why}` }];
  });
}
