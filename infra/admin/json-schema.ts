import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';

/** The JSON Schema (2020-12) of a file that people write, for their editors. It accepts every file that the command accepts. */
export function jsonSchemaOf(
  valibotSchema: GenericSchema,
  about: { readonly title: string; readonly description: string },
): Record<string, unknown> {
  const { $schema, ...schema } = toJsonSchema(valibotSchema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      valibotSchema.type === 'object' ? { ...jsonSchema, additionalProperties: false } : undefined,
    // Editors show the description. It says what the property is for (the title, which comes last), then what its value must be.
    overrideAction: ({ valibotAction: action, jsonSchema: { title, ...rest } }) => {
      if ('description' in action)
        return { ...rest, description: `It must be ${action.description}.` };
      if ('title' in action)
        return { ...rest, description: [title, rest.description].filter(Boolean).join(' ') };
      // The JSON Schema equivalent of a check is in the metadata beside it.
      return action.type === 'check' ? rest : undefined;
    },
  });
  return { $schema, ...about, ...schema };
}
