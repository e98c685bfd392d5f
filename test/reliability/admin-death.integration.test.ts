import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkTable } from '../../shared/store/check/check-table.ts';
import { listApiKeys } from '../../shared/store/organizations/api-keys.ts';
import { readSettings } from '../../shared/store/organizations/organizations.ts';
import {
  apiKeyPrimaryKey,
  keyListingPrimaryKey,
  usagePrimaryKey,
} from '../../shared/store/table/primary-keys.ts';
import { type AdminReply, runAdmin, spawnAdmin } from '../support/admin.ts';
import { call } from '../support/call.ts';
import { effectsOn, itemAt } from '../support/effects.ts';
import { startDynamodbProxy } from '../support/faults/proxy.ts';
import { faultOnce } from '../support/faults/rules.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { useOwnTable } from '../support/own-table.ts';
import { person } from '../support/people.ts';
import { service } from '../support/service.ts';
import { table } from '../support/table.ts';

useOwnTable();

/**
 * An administrator's command is killed (`kill -9`) at its transaction, just before it reaches the table or just after it was applied, and
 * repeated. What is killed is a process of its own, which reaches the table through a proxy of its own, so that the cases run beside one
 * another.
 */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'admin-death-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a command that dies at this moment of its transaction. */
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

/** Runs a command that dies, and once more; the table holds together after each. @returns the second's answer */
async function diesAndRepeats(
  { id }: GivenOrganization,
  args: readonly string[],
  killAt: 'before' | 'after',
): Promise<AdminReply> {
  const violations = async (): Promise<readonly string[]> =>
    (await checkTable(table(), { organizationId: id })).violations;
  await dies(args, killAt);
  expect(await violations()).toEqual([]);
  const repeat = await runAdmin([...args, '--json']);
  expect(repeat.status).toBe(0);
  expect(await violations()).toEqual([]);
  return repeat;
}

const organizationOption = ({ id }: GivenOrganization): string[] => ['--organization', String(id)];

test.concurrent.each(['before', 'after'] as const)(
  'archiving takes effect once when the command dies %s its transaction and is repeated',
  async (killAt) => {
    const organization = await givenOrganization();
    const who = person();
    const { body } = await call('capture-lead', { apiKey: organization.website, body: who });
    const args = [
      'lead',
      'archive',
      ...organizationOption(organization),
      '--lead',
      String(body.lead.id),
    ];

    const repeat = await diesAndRepeats(organization, args, killAt);

    expect(JSON.parse(repeat.stdout)).toEqual({ leadId: body.lead.id, archived: true });
    expect((await effectsOn(organization.id, who.phone)).timeline).toEqual([
      'captured_new',
      'archived',
    ]);
  },
);

test.concurrent.each(['before', 'after'] as const)(
  'a key is whole or not there when its creation dies %s its transaction',
  async (killAt) => {
    const organization = await givenOrganization();
    const known = (await listApiKeys(table(), organization.id)).length;
    const args = [
      'key',
      'create',
      ...organizationOption(organization),
      '--type',
      'website-form',
      '--label',
      'form',
      '--created-by',
      '7',
    ];

    const repeat = await diesAndRepeats(organization, args, killAt);

    const { key } = JSON.parse(repeat.stdout);
    expect((await call('capture-lead', { apiKey: key, body: person() })).status).toBe(201);
    // A key whose creation was applied and never shown is listed, so that it can be revoked.
    const listed = await listApiKeys(table(), organization.id);
    expect(listed).toHaveLength(known + (killAt === 'after' ? 2 : 1));
    for (const { keyId } of listed) {
      const listing = await itemAt(keyListingPrimaryKey(organization.id, keyId));
      expect(await itemAt(apiKeyPrimaryKey(String(listing?.apiKeyHash)))).toMatchObject({
        keyId,
        organizationId: organization.id,
      });
    }
  },
);

test.concurrent.each(['before', 'after'] as const)(
  'a key and its listing are revoked when the command dies %s its transaction and is repeated',
  async (killAt) => {
    const organization = await givenOrganization();
    const { key, keyId } = await organization.key();
    const args = ['key', 'revoke', ...organizationOption(organization), '--key', keyId];

    const repeat = await diesAndRepeats(organization, args, killAt);

    const { revokedAt } = JSON.parse(repeat.stdout);
    const listing = await itemAt(keyListingPrimaryKey(organization.id, keyId));
    expect(listing).toMatchObject({ revokedAt });
    expect(await itemAt(apiKeyPrimaryKey(String(listing?.apiKeyHash)))).toMatchObject({
      revokedAt,
    });
    expect((await call('list-users', { apiKey: key })).status).toBe(401);
  },
);

test.concurrent.each(['before', 'after'] as const)(
  'settings and their version are applied once when the command dies %s its transaction and is repeated',
  async (killAt) => {
    const organization = await givenOrganization();
    const before = await readSettings(table(), organization.id);
    const file = join(folder, `${organization.id}.json`);
    await writeFile(file, JSON.stringify({ ...organization.settings, name: 'Renamed' }));

    await diesAndRepeats(organization, ['organization', 'apply', file], killAt);

    const after = await readSettings(table(), organization.id);
    expect(after?.settings.name).toBe('Renamed');
    expect(after?.version).toBe((before?.version ?? 0) + 1);
    expect((await itemAt(usagePrimaryKey(organization.id)))?.settingsVersion).toBe(after?.version);
  },
);
