import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fieldTypes } from '../../../shared/organization/field-kinds.ts';
import { parseSettingsFile, toSettingsFile } from '../../../shared/organization/settings.ts';
import { stageMeanings } from '../../../shared/organization/settings-schema.ts';
import { acceptedCases } from './settings-case-lists.ts';
import { builtIn, issuesOf, smallFile, withValue } from './settings-cases.ts';

const parse = (file: unknown) => parseSettingsFile(JSON.stringify(file));

test('fills in every default and puts the built-in fields that are left out first', () => {
  const { settings, keys } = parse(smallFile());

  expect(settings.fields.map(({ key }) => key)).toEqual([
    'name',
    'phone',
    'email',
    'source',
    'assigned_to',
    'lead_type',
    'course',
    'years',
    'city',
  ]);
  expect(settings.fields[0]).toEqual({
    key: 'name',
    label: 'Name',
    type: 'text',
    section: 'Contact',
    storage: 'column',
    options: [],
    requiredOnCreate: true,
    requiredOnEdit: true,
    showWhen: null,
    active: true,
  });
  expect(settings.fields[5]?.options.map(({ value }) => value)).toEqual(['student', 'consultant']);
  expect(settings.users[1]).toEqual({ id: 8, name: 'Ravi Iyer', active: true });
  expect(settings.pipelines[1]).toMatchObject({
    isDefault: false,
    stages: [{ isDefault: false, active: true }],
  });
  expect(settings).not.toHaveProperty('keys');
  expect(keys).toEqual([
    { label: 'reader', type: 'application', scopes: ['leads.read'], createdBy: 7 },
  ]);
});

test('keeps a built-in field where the file puts it, with its label, and required in any case', () => {
  const file = smallFile();
  file.fields.push(builtIn('phone', { label: 'Mobile' }) as never);

  const { settings } = parse(file);

  expect(settings.fields.map(({ key }) => key).at(-1)).toBe('phone');
  expect(settings.fields.at(-1)).toMatchObject({
    label: 'Mobile',
    requiredOnCreate: true,
    requiredOnEdit: true,
  });
});

test('gives back a file that is the same settings again', () => {
  const { settings } = parse(smallFile());

  const again = parse(toSettingsFile(settings));

  expect(again.settings).toEqual(settings);
});

test('leaves an option that is being removed out of the file', () => {
  const { settings } = parse(smallFile());
  settings.fields[6]?.options.push({ value: 'bba', label: 'BBA', retired: true });

  expect(JSON.stringify(toSettingsFile(settings))).not.toMatch(/retired|bba/);
});

test.each(acceptedCases)('a settings file is accepted with %s', (_, path, value) => {
  expect(issuesOf(JSON.stringify(withValue(smallFile(), path, value)))).toEqual([]);
});

test('the demo organization shows every field type, every meaning, a condition and the three keys', () => {
  const { settings, keys } = parseSettingsFile(
    readFileSync('infra/local/demo-organization.json', 'utf8'),
  );

  expect(new Set(settings.fields.map(({ type }) => type))).toEqual(new Set(fieldTypes));
  expect(
    new Set(settings.pipelines.flatMap(({ stages }) => stages.map(({ meaning }) => meaning))),
  ).toEqual(new Set(stageMeanings));
  expect(settings.fields.some(({ showWhen }) => showWhen)).toBe(true);
  expect(settings.sources.map(({ name }) => name)).toContain('Website');
  expect(keys.map(({ label }) => label)).toEqual(['website', 'reader', 'writer']);
});
