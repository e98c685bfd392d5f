import { toJsonSchema } from '@valibot/to-json-schema';
import { settingsFileSchema } from '../../../shared/organization/settings-schema.ts';

/** The JSON Schema (2020-12) of the settings file, made from the schema that reads the file. It accepts every file that is accepted. */
export function settingsJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = toJsonSchema(settingsFileSchema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      valibotSchema.type === 'object' ? { ...jsonSchema, additionalProperties: false } : undefined,
    // Editors show the description: it says what a property is for (the title, which comes last), then what its value must be.
    overrideAction: ({ valibotAction: action, jsonSchema: { title, ...rest } }) => {
      if ('description' in action)
        return { ...rest, description: `It must be ${action.description}.` };
      if ('title' in action)
        return { ...rest, description: [title, rest.description].filter(Boolean).join(' ') };
      // What JSON Schema can say of a check stands beside it, as metadata.
      return action.type === 'check' ? rest : undefined;
    },
  });
  return {
    $schema,
    title: 'Settings of an organization',
    description: 'What organization apply reads and organization show prints.',
    ...schema,
  };
}
