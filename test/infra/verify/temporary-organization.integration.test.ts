import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import {
  createTemporaryOrganization,
  freeOrganizationId,
  leftOrganizations,
  removeTemporaryOrganization,
} from '../../../infra/verify/temporary-organization.ts';
import { applySettings } from '../../../shared/store/organizations/apply-settings.ts';
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
