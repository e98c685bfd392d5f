import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { settingsJsonSchema } from '../../../../infra/admin/organization/init.ts';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { person } from '../../../support/people.ts';
import { useFolder } from '../../given-folder.ts';

const files = useFolder();

const init = (file: string, ...more: string[]) => runAdmin(['organization', 'init', file, ...more]);
const read = async (file: string) => JSON.parse(await readFile(file, 'utf8'));

test('init writes a file that applies unchanged, without a warning, and accepts a capture', async () => {
  const file = files.path('first.json');

  const written = await init(file, '--json');
  const { id, $schema } = await read(file);
  const applied = await runAdmin(['organization', 'apply', file]);
  const created = ['--type', 'website-form', '--label', 'form', '--created-by', '1'];
  const { key } = await adminJson('key', 'create', '--organization', String(id), ...created);
  const { name, phone } = person();
  const captured = await call('capture-lead', {
    apiKey: key,
    body: { name, phone, fields: { interest: 'A product' } },
  });

  expect(written).toMatchObject({ status: 0, json: { file }, stderr: '' });
  expect(applied).toMatchObject({
    status: 0,
    stderr: `What ${file} left out, such as IDs, is filled in and written into it.\n`,
    stdout: expect.stringMatching(/is created, version 1: /),
  });
  expect(captured.status).toBe(201);
  expect(await read(resolve(dirname(file), $schema))).toEqual(settingsJsonSchema());
  expect(await adminJson('organization', 'show', String(id))).toMatchObject({
    version: 1,
    assignmentRules: [{ when: { field: 'source', equals: ['1'] }, users: [1] }],
  });
});

test('init takes the first free ID of the table, or 1 without a table', async () => {
  const [one, two] = [files.path('free.json'), files.path('no-table.json')];
  const taken = (await adminJson('organization', 'list')).items.map(({ id }: { id: number }) => id);

  await init(one);
  const people = await runAdmin(['organization', 'init', two], {
    environment: { LEADS_TABLE: '' },
  });

  const [free, first] = await Promise.all([one, two].map(read));
  expect(taken).not.toContain(free.id);
  expect(
    Array.from({ length: free.id - 1 }, (_, index) => taken.includes(index + 1)),
  ).not.toContain(false);
  expect(first.id).toBe(1);
  expect(people.stdout).toMatch(/Wrote .*: the settings of organization 1, .*not applied yet\.\n/);
  expect(people.stderr).toMatch(/^No service was found, so the ID is a guess: /);
});

test('init promises help of an editor only for a file whose name ends in .json', async () => {
  const [json, text] = [await init(files.path('help.json')), await init(files.path('help.txt'))];

  expect(json.stdout).toContain('\nEdit it: with "$schema", your editor explains each property.');
  expect(text.stdout).toContain('\nEdit it. Then:\n');
});

test('init never overwrites a file, and names what is wrong with a path', async () => {
  const file = files.path('mine.json');
  await init(file);
  const before = await readFile(file, 'utf8');

  const again = await init(file);
  const nowhere = await init(files.path('nowhere', 'mine.json'));

  expect([again.status, nowhere.status]).toEqual([1, 1]);
  expect(again.stderr).toMatch(
    /mine\.json cannot be written: a file is in the way\. Name another file\./,
  );
  expect(nowhere.stderr).toMatch(/its folder does not exist\. Name/);
  expect(await readFile(file, 'utf8')).toBe(before);
});

test('schema prints the JSON Schema, for people and for programs', async () => {
  for (const json of ['', '--json']) {
    const { stdout } = await runAdmin(['organization', 'schema', json].filter(Boolean));
    expect(JSON.parse(stdout)).toEqual(settingsJsonSchema());
  }
});
