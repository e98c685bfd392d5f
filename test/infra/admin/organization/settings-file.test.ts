import { chown, rm, stat, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  applyCompleted,
  completeSettingsFile,
} from '../../../../infra/admin/organization/settings-file.ts';
import { CommandError } from '../../../../infra/cli/command.ts';
import { replaceFile } from '../../../../infra/cli/resumable-file.ts';
import { toSettingsFile } from '../../../../shared/organization/settings.ts';
import { SettingsRejectedError } from '../../../../shared/organization/settings-shape.ts';
import {
  applySettings,
  SettingsChangedError,
} from '../../../../shared/store/organizations/apply-settings.ts';
import { readSettings } from '../../../../shared/store/organizations/organizations.ts';
import { ContentionError } from '../../../../shared/store/table/retry.ts';
import { modelTable } from '../../../support/model-table.ts';
import { newSettings } from '../../../support/organizations.ts';
import { useFolder } from '../../given-folder.ts';

const files = useFolder();
const table = modelTable();

/** Applies a file as the commands do. @param meanwhile what others do once the file was completed */
async function apply(path: string, meanwhile: () => Promise<unknown> = async () => undefined) {
  const complete = await completeSettingsFile(table, path, await files.read(path));
  await meanwhile();
  return applyCompleted(complete, (completed) =>
    applySettings(table, complete.settings, completed),
  );
}

test.each([true, false])(
  'names are resolved against one version only: another apply of a known (%s) organization wins',
  async (isKnown) => {
    const before = newSettings();
    if (isKnown) await applySettings(table, before);
    const nextId = Math.max(...before.users.map(({ id }) => id)) + 1;
    const others = { ...before, users: [...before.users, { id: nextId, name: 'Meera' }] };
    const mine = { ...toSettingsFile(before), users: [...before.users, 'Kiran'] };
    const file = await files.write('mine.json', mine);
    const written = await files.read(file);
    const meanwhile = () =>
      applySettings(table, {
        ...others,
        users: others.users.map((user) => ({ active: true, ...user })),
      });

    await expect(apply(file, meanwhile)).rejects.toThrow(SettingsChangedError);
    // Else the next apply would give the user that others added the name of the file's user.
    expect(await files.read(file)).toBe(written);
    const again = await apply(
      await files.write('merged.json', { ...mine, users: [...others.users, 'Kiran'] }),
    );

    expect(again.outcome).toBe('updated');
    expect((await readSettings(table, before.id))?.settings.users.slice(-2)).toMatchObject([
      { id: nextId, name: 'Meera' },
      { id: nextId + 1, name: 'Kiran' },
    ]);
  },
);

/** A file of names alone, and the error of its apply after others did something. */
async function refusedApply(meanwhile: (file: string) => Promise<unknown>, error?: Error) {
  const written = { ...newSettings(), users: ['Asha'] };
  const file = await files.write('names.json', written);
  const complete = await completeSettingsFile(table, file, await files.read(file));
  if (!error) await meanwhile(file);
  const applying = applyCompleted(complete, async () => {
    await meanwhile(file);
    throw error ?? new Error('It was applied.');
  });
  const thrown = await applying.catch((reason: unknown) => reason);
  return { file, written: JSON.stringify(written), thrown };
}
const save = (file: string) => writeFile(file, 'what a person saved');

test('a file that was saved after it was read is refused, and what was saved stays', async () => {
  const { file, thrown } = await refusedApply(save);

  expect(thrown).toEqual(new CommandError(`${file} was saved meanwhile: run the command again.`));
  expect(await files.read(file)).toBe('what a person saved');
});

test.each([
  new SettingsRejectedError('No.', []),
  new SettingsChangedError('No.'),
  new ContentionError('No.'),
])('after a %s, a file gets its old text back, unless a person has saved it', async (error) => {
  const untouched = await refusedApply(async () => undefined, error);
  const saved = await refusedApply(save, error);

  expect([untouched.thrown, saved.thrown]).toEqual([error, error]);
  expect(await files.read(untouched.file)).toBe(untouched.written);
  expect(await files.read(saved.file)).toBe('what a person saved');
});

test('an apply whose outcome is unknown leaves the IDs in the file', async () => {
  const { file, written } = await refusedApply(async () => undefined, new Error('time-out'));

  expect(await files.read(file)).not.toBe(written);
});

test('a refusal is reported even if the file cannot get its old text back', async () => {
  const error = new SettingsChangedError('No.');

  expect((await refusedApply(rm, error)).thrown).toBe(error);
});

test.runIf(process.getuid?.() === 0)(
  'a file that root writes back keeps its owner and its mode',
  async () => {
    const file = await files.write('owned.json', '{}');
    await chown(file, 1234, 1235);
    const before = await stat(file);

    await replaceFile(file, '{"id":1}');

    const { uid, gid, mode } = await stat(file);
    expect({ uid, gid, mode }).toEqual({ uid: 1234, gid: 1235, mode: before.mode });
    expect(await files.read(file)).toBe('{"id":1}');
  },
);
