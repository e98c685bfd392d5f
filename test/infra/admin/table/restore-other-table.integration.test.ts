import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import {
  addAuditEntry,
  completeAuditEntry,
} from '../../../../shared/store/organizations/audit-log.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { leadPrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { givenTable, table } from '../../../support/table.ts';
import { givenBackup, who } from './given-backup.ts';
import { finish, itemsOf, nextSecond, restored } from './restored-tables.ts';

describe.concurrent('a table that is not what the restored one was made from is refused, and nothing changes', () => {
  type Backup = Awaited<ReturnType<typeof givenBackup>>;
  const copyWithout = async (
    { backup }: Backup,
    isLeftOut: (item: Record<string, unknown>) => boolean,
  ): Promise<Table> => restored(backup.filter((item) => !isLeftOut(item)));

  test.each<[string, (given: Backup) => Promise<Table>, RegExp]>([
    [
      'it has no organization in common',
      async () => {
        const other = await givenTable();
        await givenOrganization({}, other);
        return other;
      },
      /have no organization in common/,
    ],
    [
      'its organization has other API keys',
      (given) => copyWithout(given, ({ sk }) => String(sk).startsWith('KEY#')),
      /lacks every API key/,
    ],
    [
      'its history lacks an entry of the backup',
      (given) => copyWithout(given, ({ what }) => what === 'of long ago'),
      /lacks the entry "of long ago"/,
    ],
    [
      'it has another lead under the same id',
      async (given) => {
        const other = await restored(given.backup);
        const [lead] = given.leads;
        const Item = {
          ...lead,
          ...leadPrimaryKey(given.organization.id, lead?.id ?? 0),
          createdAt: '2020-01-01T00:00:00.000Z',
        };
        await other.client.send(new PutCommand({ TableName: other.name, Item }));
        return other;
      },
      /is one lead in table .* and another in/,
    ],
    [
      'its primary key is another',
      async () => {
        const other = { ...table(), name: `other-${Date.now()}` };
        await other.client.send(
          new CreateTableCommand({
            TableName: other.name,
            BillingMode: 'PAY_PER_REQUEST',
            AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
            KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
          }),
        );
        return other;
      },
      /has other keys than/,
    ],
  ])('%s', async (_, otherTable, sentence) => {
    const given = await givenBackup(2);
    const long = new Date(Date.now() - 86_400_000);
    await addAuditEntry(given.old, given.organization.id, { who, what: 'of long ago' }, long);
    const withEntry = { ...given, backup: await itemsOf(given.old) };
    const other = await otherTable(withEntry);
    await nextSecond();
    const on = await restored(withEntry.backup);
    const before = await itemsOf(on);

    const { status, stderr } = await finish(on, '--from', other.name);

    expect([status, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    expect(await itemsOf(on)).toEqual(before);
  });
});

test.concurrent('an export that was under way at the moment of the backup, and completed since, does not make the old table another', async () => {
  const { old, organization } = await givenBackup(1);
  const long = new Date(Date.now() - 86_400_000);
  const entry = await addAuditEntry(old, organization.id, { who, what: 'lead export begun' }, long);
  const backup = await itemsOf(old);
  await completeAuditEntry(old, entry, 'lead export, 1 lead');
  await nextSecond();
  const on = await restored(backup);

  const { status, stderr } = await finish(on, '--from', old.name);

  expect([status, stderr]).toEqual([0, '']);
});
