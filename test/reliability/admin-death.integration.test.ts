import { expect, test } from 'vitest';
import { checkTable } from '../../shared/store/check/check-table.ts';
import { listApiKeys } from '../../shared/store/organizations/api-keys.ts';
import { apiKeyPrimaryKey, keyListingPrimaryKey } from '../../shared/store/table/primary-keys.ts';
import { runAdmin, spawnAdmin } from '../support/admin.ts';
import { call } from '../support/call.ts';
import { itemAt } from '../support/effects.ts';
import { startDynamodbProxy } from '../support/faults/proxy.ts';
import { faultOnce } from '../support/faults/rules.ts';
import { givenOrganization } from '../support/organizations.ts';
import { useOwnTable } from '../support/own-table.ts';
import { person } from '../support/people.ts';
import { service } from '../support/service.ts';
import { table } from '../support/table.ts';

useOwnTable();

/** Runs a command that is killed (`kill -9`) just before its transaction reaches the table, or just after it was applied. */
async function dies(args: readonly string[], killAt: 'before' | 'after'): Promise<void> {
  const proxy = await startDynamodbProxy(service().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  const { ended, kill } = spawnAdmin([...args, '--json'], {
    AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
  });
  proxy.rule = faultOnce(({ operation }) => operation === 'TransactWriteItems', {
    kind: 'cut',
    applied: killAt === 'after',
    before: kill,
  });
  const { signal } = await ended;
  await proxy.stop();
  expect(signal).toBe('SIGKILL');
}

// In the simulator, archiving, a revocation and an application of settings die at each of their calls: `npm run simulate -- --pairs`.
test.concurrent.each(['before', 'after'] as const)(
  'a key is whole or not there when its creation dies %s its transaction',
  async (killAt) => {
    const { id } = await givenOrganization();
    const known = (await listApiKeys(table(), id)).length;
    const violations = async (): Promise<readonly string[]> =>
      (await checkTable(table(), { organizationId: id })).violations;
    const args = ['key', 'create', '--organization', String(id), '--type', 'website-form'];
    args.push('--label', 'form', '--created-by', '7');

    await dies(args, killAt);
    expect(await violations()).toEqual([]);
    const repeat = await runAdmin([...args, '--json']);
    expect(repeat.status).toBe(0);
    expect(await violations()).toEqual([]);

    const { key } = JSON.parse(repeat.stdout);
    expect((await call('capture-lead', { apiKey: key, body: person() })).status).toBe(201);
    // A key whose creation was applied and never shown is listed, so that it can be revoked.
    const listed = await listApiKeys(table(), id);
    expect(listed).toHaveLength(known + (killAt === 'after' ? 2 : 1));
    for (const { keyId } of listed) {
      const listing = await itemAt(keyListingPrimaryKey(id, keyId));
      expect(await itemAt(apiKeyPrimaryKey(String(listing?.apiKeyHash)))).toMatchObject({
        keyId,
        organizationId: id,
      });
    }
  },
);
