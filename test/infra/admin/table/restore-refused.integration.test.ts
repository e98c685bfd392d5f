import { describe, expect, test } from 'vitest';
import type { Table } from '../../../../shared/store/table/client.ts';
import { givenTable } from '../../../support/table.ts';
import { given, useCatastrophe } from './catastrophe.ts';
import { finish, itemsOf, restored } from './restored-tables.ts';

useCatastrophe();

describe('a table that cannot be the restored one is refused, and nothing changes', () => {
  test.each<[string, () => Promise<[Table, ...string[]]>, RegExp]>([
    ['the same table twice', async () => [given.old, '--from', given.old.name], /are both/],
    [
      'the two exchanged',
      async () => [given.old, '--from', (await restored(given.backup)).name],
      /is older than .*Are the two exchanged\?/,
    ],
    [
      'an old table that is not there',
      async () => [await restored(given.backup), '--from', 'nowhere'],
      /There is no table nowhere/,
    ],
    [
      'an empty old table',
      async () => [await restored(given.backup), '--from', (await givenTable()).name],
      /is older than|has no organization/,
    ],
    [
      'an empty restored table',
      async () => [await givenTable(), '--from', given.old.name],
      /has no organization/,
    ],
    [
      'a key to keep that is unknown',
      async () => [await restored(given.backup), '--keep-key', 'nobody', '--yes'],
      /has the key nobody/,
    ],
    [
      'keys to keep together with --from',
      async () => [await restored(given.backup), '--from', given.old.name, '--keep-key', 'x'],
      /--keep-key has no effect with --from/,
    ],
  ])('%s', async (_, situation, sentence) => {
    const [on, ...args] = await situation();
    const before = await itemsOf(on);

    const { status, stderr } = await finish(on, ...args);

    expect([status, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    expect(await itemsOf(on)).toEqual(before);
  });
});
