import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import {
  settingsJsonSchema,
  settingsSchemaFile,
} from '../../../../infra/admin/organization/init.ts';
import { completedFile } from '../../../../shared/organization/names-alone.ts';
import { settingsFileSchema } from '../../../../shared/organization/settings-schema.ts';
import { shapeIssues } from '../../../../shared/organization/settings-shape.ts';
import { acceptedCases, refusals } from '../../../shared/organization/settings-case-lists.ts';
import { smallFile, withValue } from '../../../shared/organization/settings-cases.ts';
import { sampleSettings } from '../../../support/settings.ts';

const namesAlone = {
  id: 1,
  name: 'Academy',
  modules: ['crm'],
  users: ['Asha Rao', { name: 'Ravi Iyer', active: false }],
  stages: ['New', { name: 'Enrolled', meaning: 'won' }],
  sources: ['Website'],
  fields: [],
};

const validator = new Ajv2020({ strict: true, formats: { 'date-time': true } });
const isValid = validator.compile(settingsJsonSchema());

test('settings.schema.json is current: organization schema prints it', () => {
  expect(JSON.parse(readFileSync(settingsSchemaFile, 'utf8'))).toEqual(settingsJsonSchema());
});

test.each<[string, object]>([
  ['the demo organization', JSON.parse(readFileSync('infra/local/demo-organization.json', 'utf8'))],
  ['the sample of the tests', sampleSettings],
  ['a file with every kind of item', smallFile()],
  ['names alone', namesAlone],
  ...acceptedCases.map(([what, path, value]): [string, object] => [
    what,
    withValue(smallFile(), path, value),
  ]),
])('the JSON Schema of the settings file accepts %s', (_, file) => {
  expect(isValid(JSON.parse(JSON.stringify(file))) ? [] : isValid.errors).toEqual([]);
});

/** What only a function can decide: JSON Schema accepts it. */
const beyondJsonSchema = ['a\0b', '\ud800', '2026-02-30T00:00:00Z', '2026-02-20'];

test.each(refusals.filter(([, value]) => !beyondJsonSchema.includes(value as string)))(
  'JSON Schema and shape agree on $0 = $1',
  (path, value) => {
    const text = JSON.stringify(withValue(smallFile(), path, value));
    const complete = JSON.parse(completedFile(text, undefined));

    expect(isValid(JSON.parse(text))).toBe(
      [...shapeIssues(settingsFileSchema, complete)].length === 0,
    );
  },
);

test('every property of the JSON Schema has a description', () => {
  const missing: string[] = [];
  const visit = (schema: Record<string, unknown>, path: string): void => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (typeof property.description !== 'string') missing.push(`${path}.${name}`);
      visit(property, `${path}.${name}`);
    }
    if (schema.items) visit(schema.items as Record<string, unknown>, `${path}[]`);
  };
  visit(settingsJsonSchema(), '$');

  expect(missing).toEqual([]);
});
