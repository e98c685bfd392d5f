import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { createTemporaryOrganization, removeLeft } from '../../../infra/verify/write-checks.ts';
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
  await createTemporaryOrganization(table, 2_000_000_001, new Date(Date.now() - 2 * hourMs));
  const withoutRecent = await itemsOf(table);
  await createTemporaryOrganization(table, 2_000_000_002);
  const notes: string[] = [];
  const removeLeftNow = (now?: Date) => removeLeft(table, (sentence) => notes.push(sentence), now);

  const atOnce = await removeLeftNow();
  const withRecent = await itemsOf(table);
  const later = await removeLeftNow(new Date(Date.now() + 2 * hourMs));

  expect(withoutRecent.length).toBeGreaterThan(before.length);
  expect([atOnce, later]).toEqual([1, 1]);
  expect(withRecent.length).toBe(withoutRecent.length);
  expect(notes[0]).toMatch(/^Removed the temporary organization 2000000001, which an earlier run/);
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
