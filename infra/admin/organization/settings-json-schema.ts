import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import { isPlainObject } from '../../../shared/json.ts';
import { settingsFileSchema } from '../../../shared/organization/settings-schema.ts';

/** The JSON Schema (2020-12) of the settings file, made from the schema that reads the file. It accepts every file that is accepted. */
export function settingsJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = toJsonSchema(settingsFileSchema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      valibotSchema.type === 'object' ? closed(jsonSchema) : undefined,
    // What JSON Schema can say of a check stands beside it, as metadata.
    overrideAction: ({ valibotAction, jsonSchema }) =>
      valibotAction.type === 'check' ? jsonSchema : undefined,
  });
  return {
    $schema,
    title: 'Settings of an organization',
    description: 'What organization apply reads and organization show prints.',
    ...(described(schema) as object),
  };
}

const closed = (jsonSchema: JsonSchema): JsonSchema => ({
  ...jsonSchema,
  additionalProperties: false,
});

/** Joins what a property is for (`title`) with what its value must be (`description`): editors show the description. */
function described(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(described);
  if (!isPlainObject(schema)) return schema;
  const { title, description, ...rest } = schema;
  const parts = Object.fromEntries(
    Object.entries(rest).map(([name, part]) => [
      name,
      name === 'properties' ? describedProperties(part) : described(part),
    ]),
  );
  const must = typeof description === 'string' ? `It must be ${description}.` : undefined;
  const sentences = [title, must].filter((sentence) => sentence !== undefined);
  return sentences.length === 0 ? parts : { description: sentences.join(' '), ...parts };
}

/** Properties may be named `title` or `description` themselves. */
const describedProperties = (properties: unknown): unknown =>
  isPlainObject(properties)
    ? Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => [name, described(schema)]),
      )
    : properties;
