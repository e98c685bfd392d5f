import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type SettingsAsStored, settingsFrom } from '../../../shared/organization/organization.ts';
import { parseSettingsFile } from '../../../shared/organization/settings.ts';
import { settingsFileSchema } from '../../../shared/organization/settings-schema.ts';

/** Settings as release 1.0.0 stored them. Do not change the file: it stands for the organizations that exist. */
const stored = readFileSync(new URL('stored-settings-1.0.0.json', import.meta.url), 'utf8');
const asStored = (text: string): SettingsAsStored => JSON.parse(text);
const asFile = (text: string) => parseSettingsFile(text).settings;

test('the settings that the first release stored are read as the file that they were made from', () => {
  expect(settingsFrom(asStored(stored))).toEqual(asFile(stored));
});

/** The properties in a part of a schema that a file may omit: `users[].active`. */
function omittable(schema: object, path = ''): string[] {
  if ('wrapped' in schema) return omittable(schema.wrapped as object, path);
  if ('item' in schema) return omittable(schema.item as object, `${path}[]`);
  if ('pipe' in schema) return omittable((schema.pipe as object[])[0] ?? {}, path);
  if (!('entries' in schema)) return [];
  return Object.entries(schema.entries as Record<string, { type: string }>).flatMap(
    ([name, entry]) => {
      const at = path ? `${path}.${name}` : name;
      return [...(entry.type === 'optional' ? [at] : []), ...omittable(entry, at)];
    },
  );
}
const neverStored = /^(\$schema|version|keys)\b/;
const properties = omittable(settingsFileSchema).filter((path) => !neverStored.test(path));

/** Removes a property from each object that a path leads to. */
function remove(from: Record<string, unknown>, [step = '', ...steps]: readonly string[]): void {
  const name = step.replace('[]', '');
  if (steps.length === 0) delete from[name];
  else for (const one of [from[name] ?? []].flat()) remove(one as typeof from, steps);
}

test('every kind of item has properties that a file may omit', () => {
  expect(properties.map((path) => path.split('[]')[0])).toEqual(
    expect.arrayContaining(['users', 'pipelines', 'sources', 'fields', 'assignmentRules']),
  );
});

test.each(properties)('stored settings without %s are read as a file without it', (path) => {
  const settings = JSON.parse(stored);
  remove(settings, path.split('.'));
  const without = JSON.stringify(settings);

  const read = settingsFrom(asStored(without));

  // A file must list the options of a select field. Stored settings without any offer none.
  const isOptions = path === 'fields[].options';
  const expected = asFile(isOptions ? stored : without);
  const fields = expected.fields.map((one) => (isOptions ? { ...one, options: [] } : one));
  expect(read).toEqual({ ...expected, fields });
});
