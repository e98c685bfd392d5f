import { type ConversionConfig, type JsonSchema, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { parseDateTime } from '../../shared/date-time.ts';
import { notWellFormed } from '../../shared/input/schemas.ts';
import { schemaComponents } from './response-schemas.ts';

export type Json = { [key: string]: unknown };

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** The part of valibot's conversion that knows the parts of `shared/input/schemas.ts`; what it does not know is an error. */
const config: ConversionConfig = {
  target: 'draft-2020-12',
  // The last schema of a pipe: of `object`, the one with the entries; a body has no transformation.
  typeMode: 'output',
  definitions: schemaComponents,
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ valibotSchema, jsonSchema }) => {
    if (isObjectWithoutRequired(jsonSchema)) delete jsonSchema.required;
    if (valibotSchema.type === 'object') return { ...jsonSchema, additionalProperties: false };
    // The guard that begins `object` and `fieldValues`; the mark of the latter's check says the rest.
    if (valibotSchema.type === 'custom') return { ...jsonSchema, type: 'object' };
    return undefined;
  },
  overrideAction: ({ valibotAction: action, jsonSchema }) => {
    if ('characters' in action) {
      const { min, max } = action.characters as { min: number; max: number };
      return { ...jsonSchema, ...(min > 0 && { minLength: min }), maxLength: max };
    }
    if ('keyMaxChars' in action) {
      const { keyMaxChars } = action as unknown as { keyMaxChars: number };
      const propertyNames = Number.isFinite(keyMaxChars) ? { propertyNames: { maxLength: keyMaxChars } } : {};
      return { ...jsonSchema, ...propertyNames, additionalProperties: reference('FieldValue') };
    }
    // No JSON schema can say it.
    if ('message' in action && action.message === notWellFormed) return jsonSchema;
    if ('operation' in action && action.operation === Number) return { type: 'integer' };
    return undefined;
  },
};

const isObjectWithoutRequired = ({ type, required }: JsonSchema): boolean => type === 'object' && required?.length === 0;

/** A schema of the service as JSON schema (2020-12), named schemas by reference. @throws Error for a part that it does not know. */
export function jsonSchemaOf(schema: v.GenericSchema): Json {
  const { $schema: _, $defs: __, ...jsonSchema } = toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], config);
  return jsonSchema as Json;
}

/** The schemas that have a name of their own. */
export function namedJsonSchemas(): Readonly<Record<string, JsonSchema>> {
  return toJsonSchemaDefs(schemaComponents, config);
}

/** The JSON schema of a parameter, which is a text that the service reads: as an integer or a date-time. */
export function parameterSchema(schema: v.GenericSchema): Json {
  const inner = 'wrapped' in schema ? (schema.wrapped as v.GenericSchema) : schema;
  const parts = 'pipe' in inner ? (inner.pipe as readonly object[]) : [];
  if (parts.some((part) => 'operation' in part && part.operation === parseDateTime))
    return { type: 'string', format: 'date-time' };
  return jsonSchemaOf(inner);
}

/** The schemas of an object's properties by name. @throws Error for anything else than an object's schema. */
export function entriesOf(schema: v.GenericSchema | undefined): Record<string, v.GenericSchema> {
  if (!schema) return {};
  const parts = 'pipe' in schema ? (schema.pipe as readonly v.GenericSchema[]) : [schema];
  const found = parts.find((part): part is v.GenericSchema & { entries: Record<string, v.GenericSchema> } => 'entries' in part);
  if (!found) throw new Error('The path, headers and query of an endpoint are described by an object of parameters.');
  return found.entries;
}

export const isOptional = (schema: v.GenericSchema): boolean => schema.type === 'optional' || schema.type === 'exact_optional';
