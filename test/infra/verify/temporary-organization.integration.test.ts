import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import {
  createTemporaryOrganization,
  freeOrganizationId,
  leftOrganizations,
  removeTemporaryOrganization,
} from '../../../infra/verify/temporary-organization.ts';
import { removeIdempotencyRecords } from '../../../shared/store/maintenance/remove-organization.ts';
import { applySettings } from '../../../shared/store/organizations/apply-settings.ts';
import { idempotencyPrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { newSettings } from '../../support/organizations.ts';
import { givenTable } from '../../support/table.ts';

const hourMs = 3_600_000;

test('a temporary organization that a killed run left is found after an hour, and removed with all of its items', async () => {
  const table = await givenTable();
  const own = newSettings();
  await applySettings(table, own);
  const before = await itemsOf(table);
  const old = await freeOrganizationId(table);
  await createTemporaryOrganization(table, old, new Date(Date.now() - 2 * hourMs));
  const recent = await freeOrganizationId(table);
  await createTemporaryOrganization(table, recent);

  const left = await leftOrganizations(table);
  for (const id of [old, recent]) await removeTemporaryOrganization(table, id);

  expect(left).toEqual([old]);
  expect(await itemsOf(table)).toEqual(before);
  table.client.destroy();
});

async function itemsOf({ client, name }: Awaited<ReturnType<typeof givenTable>>) {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: name }));
  return Items.map(({ pk, sk }) => `${pk} ${sk}`).sort();
}

test('the idempotency records of some API keys are removed, and no others', async () => {
  const table = await givenTable();
  const record = async (keyId: string) => {
    const key = idempotencyPrimaryKey(keyId, 'any text');
    await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key } }));
    return `${key.pk} ${key.sk}`;
  };
  const kept = await record('aaaaaaaaaa');
  await record('bbbbbbbbbb');

  const removed = await removeIdempotencyRecords(table, new Set(['bbbbbbbbbb', 'cccccccccc']));

  expect([removed, await itemsOf(table)]).toEqual([1, [kept]]);
  table.client.destroy();
});
