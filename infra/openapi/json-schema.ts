import {
  type ConversionConfig,
  type JsonSchema,
  toJsonSchema,
  toJsonSchemaDefs,
} from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { parseDateTime } from '../../shared/base/dates.ts';
import { limits } from '../../shared/contract/limits.ts';
import { notWellFormed } from '../../shared/middleware/schemas.ts';
import { namedSchemas } from './endpoint-descriptions.ts';

export type Json = { [key: string]: unknown };

/** Teaches valibot's conversion the schema parts of `shared/middleware/schemas.ts`. A part that it does not know is an error. */
const config: ConversionConfig = {
  target: 'draft-2020-12',
  // Takes the last schema of a pipe, which has the entries of an `object`. No body schema transforms its input.
  typeMode: 'output',
  definitions: namedSchemas,
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ valibotSchema, jsonSchema }) => {
    if (jsonSchema.required?.length === 0) delete jsonSchema.required;
    if (valibotSchema.type === 'object') return { ...jsonSchema, additionalProperties: false };
    // The first step of `object` and `fieldValues`; `keyMaxChars` below describes the rest of the latter.
    if (valibotSchema.type === 'custom') return { ...jsonSchema, type: 'object' };
    return undefined;
  },
  overrideAction: ({ valibotAction: action, jsonSchema }) => {
    if ('characters' in action) {
      const { min, max } = action.characters as { min: number; max: number };
      return { ...jsonSchema, ...(min > 0 && { minLength: min }), maxLength: max };
    }
    if ('keyMaxChars' in action) {
      const keyMaxChars = Number(action.keyMaxChars);
      const propertyNames = Number.isFinite(keyMaxChars)
        ? { propertyNames: { maxLength: keyMaxChars } }
        : {};
      const additionalProperties = { $ref: '#/components/schemas/FieldValue' };
      return { ...jsonSchema, ...propertyNames, additionalProperties };
    }
    // JSON schema cannot express it.
    if ('message' in action && action.message === notWellFormed) return jsonSchema;
    if ('operation' in action && action.operation === Number) return { type: 'integer' };
    if (
      action.type === 'max_value' &&
      'requirement' in action &&
      action.requirement === limits.idMax
    )
      return { ...jsonSchema, maximum: limits.idMax, format: 'int32' };
    return undefined;
  },
};

/** Converts a schema to JSON schema (2020-12), with named schemas by reference. @throws Error for an unknown schema part */
export function jsonSchemaOf(schema: v.GenericSchema): Json {
  const { $schema: _, $defs: __, ...jsonSchema } = toJsonSchema(schema, config);
  return { ...jsonSchema };
}

/** The JSON schemas of the document's named components. */
export function namedJsonSchemas(): Readonly<Record<string, JsonSchema>> {
  return toJsonSchemaDefs(namedSchemas, config);
}

/** The schema and the actions of a pipe; a schema without a pipe by itself. */
const partsOf = (schema: v.GenericSchema): readonly v.GenericSchema[] =>
  'pipe' in schema ? (schema.pipe as readonly v.GenericSchema[]) : [schema];

/** The JSON schema of a parameter, which arrives as text and is read as an integer or a date-time. */
export function parameterSchema(schema: v.GenericSchema): Json {
  const inner = 'wrapped' in schema ? (schema.wrapped as v.GenericSchema) : schema;
  if (partsOf(inner).some((part) => 'operation' in part && part.operation === parseDateTime))
    return { type: 'string', format: 'date-time' };
  return jsonSchemaOf(inner);
}

/** The schemas of an object's properties by name. @throws Error for a schema that is not an object's */
export function entriesOf(schema: v.GenericSchema | undefined): Record<string, v.GenericSchema> {
  if (!schema) return {};
  const found = partsOf(schema).find(
    (part): part is v.GenericSchema & { entries: Record<string, v.GenericSchema> } =>
      'entries' in part,
  );
  if (!found) throw new Error('The schema of a path, of headers or of a query must be an object.');
  return found.entries;
}

export const isOptional = (schema: v.GenericSchema): boolean =>
  schema.type === 'optional' || schema.type === 'exact_optional';
