import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { runAdmin } from '../../../support/admin.ts';
import { environmentOf } from '../../../support/table.ts';
import { givenBackup } from './given-backup.ts';
import { itemsOf } from './restored-tables.ts';

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
