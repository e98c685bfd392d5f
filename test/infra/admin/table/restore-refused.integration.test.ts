import { CreateTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  addAuditEntry,
  completeAuditEntry,
} from '../../../../shared/store/organizations/audit-log.ts';
import { finishRestore } from '../../../../shared/store/restore/finish-restore.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { leadPrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { runAdmin } from '../../../support/admin.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { environmentOf, givenTable, table } from '../../../support/table.ts';
import { givenBackup, takeLeadIds, who } from './given-backup.ts';
import { finish, itemsOf, nextSecond, restored } from './restored-tables.ts';

let given: Awaited<ReturnType<typeof givenBackup>>;
beforeAll(async () => {
  given = await givenBackup(1);
});

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
      'an empty restored table',
      async () => [await givenTable(), '--from', given.old.name],
      /has no organization/,
    ],
    [
      'a key to keep that is unknown',
      async () => [await restored(given.backup), '--keep-key', 'nobody', '--yes'],
      /has the key nobody/,
    ],
  ])('%s', async (_, situation, sentence) => {
    const [on, ...args] = await situation();
    const before = await itemsOf(on);

    const { status, stderr } = await finish(on, ...args);

    expect([status, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    expect(await itemsOf(on)).toEqual(before);
  });
});

describe.concurrent('a table from which the restored one was not made is refused, and nothing changes', () => {
  type Backup = Awaited<ReturnType<typeof givenBackup>>;
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
      'its history lacks an entry of the backup',
      ({ backup }) => restored(backup.filter(({ what }) => what !== 'of long ago')),
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
      /differs between tables .* is not the table that was in use/,
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
    const at = new Date(Date.now() - 86_400_000).toISOString();
    await addAuditEntry(given.old, given.organization.id, { at, who, what: 'of long ago' });
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

test.concurrent('an export that ran during the backup does not make the old table look like another one', async () => {
  const { old, organization } = await givenBackup(1);
  const at = new Date(Date.now() - 86_400_000).toISOString();
  const action = { at, who, what: 'lead export', state: 'started' } as const;
  const entry = await addAuditEntry(old, organization.id, action);
  const backup = await itemsOf(old);
  await completeAuditEntry(old, entry, 'lead export, 1 lead');
  await nextSecond();
  const on = await restored(backup);

  const { status, stderr } = await finish(on, '--from', old.name);

  expect([status, stderr]).toEqual([0, '']);
});

test.concurrent.each<[string, (old: Table, organizationId: number) => Promise<unknown>]>([
  ['a request', (old, organizationId) => takeLeadIds(old, organizationId, 1)],
  [
    "an administrator's change",
    (old, organizationId) => addAuditEntry(old, organizationId, { who, what: 'lead archive 1' }),
  ],
])(
  'a restore fails if %s reaches the old table meanwhile, and a repeat succeeds',
  async (_, reach) => {
    const { old, organization, backup } = await givenBackup(2);
    const on = await restored(backup);

    const restore = finishRestore(on, {
      old,
      keptKeyIds: new Set(),
      action: { who, what: 'restore finish' },
      confirm: async () => void (await reach(old, organization.id)),
    });

    await expect(restore).rejects.toThrow(
      `Table ${old.name} was in use during the restore (organization ${organization.id}): stop all requests with service stop --stack NAME`,
    );
    expect((await finish(on, '--from', old.name)).status).toBe(0);
  },
);

test('a restore drill ends with a clean check, and leaves the table and nothing else', async () => {
  const { old } = await givenBackup(3);
  const before = await itemsOf(old);

  const { status, json } = await runAdmin(['restore', 'drill', '--json'], {
    environment: environmentOf(old.name),
  });

  expect(status).toBe(0);
  expect(json).toMatchObject({ keysRevoked: 1, leadsErased: 1, leads: 2, violations: [] });
  expect(json.items).toBe(before.length);
  expect(await itemsOf(old)).toEqual(before);
  const { TableNames = [] } = await old.client.send(new ListTablesCommand({}));
  expect(TableNames.filter((name) => name.startsWith(`${old.name}-`))).toEqual([]);
});

test('a restore drill is refused on a deployed table', async () => {
  const { status, stderr } = await runAdmin(['restore', 'drill'], {
    environment: { AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.ap-south-1.amazonaws.com' },
  });

  expect([status, stderr]).toEqual([1, expect.stringContaining('needs an engine on this machine')]);
});
