import {
  type ConversionConfig,
  type JsonSchema,
  toJsonSchema,
  toJsonSchemaDefs,
} from '@valibot/to-json-schema';
import * as v from 'valibot';
import { namedSchemas } from './endpoint-descriptions.ts';

export type Json = { [key: string]: unknown };

/** Teaches valibot's conversion the schema parts of `shared/middleware/schemas.ts`: their metadata has what it cannot convert. */
const config: ConversionConfig = {
  target: 'draft-2020-12',
  // Takes the last schema of a pipe. No body schema transforms its input.
  typeMode: 'output',
  definitions: namedSchemas,
  ignoreActions: ['check', 'raw_transform'],
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ valibotSchema, jsonSchema }) => {
    if (jsonSchema.required?.length === 0) delete jsonSchema.required;
    return valibotSchema.type === 'custom' ? jsonSchema : undefined;
  },
  overrideAction: ({ valibotAction: action, jsonSchema }) => {
    if (action.type === 'transform') return {}; // the following metadata has the resulting type
    return 'entries' in jsonSchema
      ? jsonSchemaOf(v.strictObject(jsonSchema.entries as v.ObjectEntries))
      : undefined;
  },
};

/** Converts a schema to JSON schema (2020-12), with named schemas as references. @throws Error for an unknown schema part */
export function jsonSchemaOf(schema: v.GenericSchema): Json {
  const { $schema: _, $defs: __, ...jsonSchema } = toJsonSchema(schema, config);
  return { ...jsonSchema };
}

/** The JSON schemas of the document's named components. */
export function namedJsonSchemas(): Readonly<Record<string, JsonSchema>> {
  return toJsonSchemaDefs(namedSchemas, config);
}

/** The JSON schema of a parameter, sent or left out. */
export const parameterSchema = (schema: v.GenericSchema): Json =>
  jsonSchemaOf('wrapped' in schema ? (schema.wrapped as v.GenericSchema) : schema);

/** The schemas of an object's properties by name. @throws Error if the schema is not an object's */
export function entriesOf(schema: v.GenericSchema | undefined): Record<string, v.GenericSchema> {
  if (!schema) return {};
  if (!('entries' in schema))
    throw new Error('The schema of a path, of headers or of a query must be an object.');
  return schema.entries as Record<string, v.GenericSchema>;
}

export const isOptional = (schema: v.GenericSchema): boolean =>
  schema.type === 'optional' || schema.type === 'exact_optional';
