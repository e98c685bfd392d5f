import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test, vi } from 'vitest';
import { CommandContext } from '../../../../infra/admin/context.ts';
import { runAdmin } from '../../../support/admin.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { useFolder } from '../../given-folder.ts';
import { apply } from './edited-settings.ts';

const files = useFolder();

useOwnTable();

test('names alone are written back before they are applied, never by a dry run, and mean the same items again', async () => {
  const { id } = await givenOrganization();
  const names = {
    $schema: './settings.schema.json',
    id: id + 500_000,
    name: 'Academy',
    modules: ['crm'],
    users: ['Asha Rao'],
    stages: ['New', { name: 'Enrolled', meaning: 'won' }],
    sources: ['Website'],
    fields: [],
  };
  const file = await files.write('names.json', names);
  await chmod(file, 0o640);
  const before = await files.read(file);

  const dry = await apply(file, '--dry-run');
  const afterDry = await files.read(file);
  const applied = await apply(file);
  const written = await files.read(file);
  const again = await apply(file);
  const shorter = await files.write('again.json', { ...names, users: ['Ravi Iyer', 'asha rao'] });
  await apply(shorter);

  expect([dry.status, applied.status, again.status]).toEqual([0, 0, 0]);
  expect(afterDry).toBe(before);
  expect(applied.stderr).toContain(`What ${file} left out, such as IDs, is filled in`);
  expect(Object.keys(JSON.parse(written))).toEqual(
    Object.keys(names).map((key) => (key === 'stages' ? 'pipelines' : key)),
  );
  expect((await stat(file)).mode & 0o777).toBe(0o640);
  expect(await readdir(dirname(file))).not.toContainEqual(expect.stringContaining('.tmp'));
  expect(again).toMatchObject({ stderr: '', stdout: expect.stringContaining('already has these') });
  expect(await files.read(file)).toBe(written);
  expect(JSON.parse(await files.read(shorter)).users).toEqual([
    { id: 2, name: 'Ravi Iyer' },
    { id: 1, name: 'Asha Rao', active: true },
  ]);
});

test('a file of names alone that cannot be written is refused, and nothing is applied', async () => {
  const { settings } = await givenOrganization();
  const edited = { ...settings, users: [...settings.users, 'New'] };
  // Its draft would have a longer name than a file can have.
  const file = files.path(`${'x'.repeat(250)}.json`.slice(-255));
  await writeFile(file, JSON.stringify(edited));

  const refused = await apply(file);

  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toContain(`${file} cannot be written: ENAMETOOLONG.`);
  expect(
    (await runAdmin(['organization', 'show', String(settings.id), '--json'])).json.version,
  ).toBe(1);
});

test('names alone are resolved against one version: if another is applied meanwhile, the file stays as it was', async () => {
  const { settings } = await givenOrganization();
  const file = await files.write('mine.json', { ...settings, users: [...settings.users, 'Kiran'] });
  const written = await files.read(file);
  const others = await files.write('theirs.json', { ...settings, name: 'Renamed' });
  // The command asks who runs it right before it applies.
  vi.spyOn(CommandContext.prototype, 'callerIdentity').mockImplementationOnce(async () => {
    await apply(others);
    return 'a person';
  });

  const refused = await apply(file);
  const afterwards = await files.read(file);
  const again = await apply(file);

  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toContain('were changed meanwhile');
  expect(refused.stderr).not.toContain('filled in');
  expect(afterwards).toBe(written);
  expect(again.status).toBe(0);
});
