import { chown, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  applyCompleted,
  completeSettingsFile,
} from '../../../../infra/admin/organization/settings-file.ts';
import { replaceFile } from '../../../../infra/cli/resumable-file.ts';
import { toSettingsFile } from '../../../../shared/organization/settings.ts';
import {
  applySettings,
  SettingsChangedError,
} from '../../../../shared/store/organizations/apply-settings.ts';
import { readSettings } from '../../../../shared/store/organizations/organizations.ts';
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

test('a file keeps its new IDs if nobody knows whether they were applied', async () => {
  const file = await files.write('unknown.json', {
    ...toSettingsFile(newSettings()),
    users: ['Kiran'],
  });
  const complete = await completeSettingsFile(table, file, await files.read(file));

  const unanswered = applyCompleted(complete, () => Promise.reject(new Error('no answer')));

  await expect(unanswered).rejects.toThrow('no answer');
  expect(JSON.parse(await files.read(file)).users).toEqual([{ id: 1, name: 'Kiran' }]);
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
