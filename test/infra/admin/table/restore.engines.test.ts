import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseApiKey } from '../../../../shared/organization/api-key.ts';
import { checkTable } from '../../../../shared/store/check/check-table.ts';
import { listApiKeys, revokeApiKey } from '../../../../shared/store/organizations/api-keys.ts';
import { applySettings } from '../../../../shared/store/organizations/apply-settings.ts';
import { readAuditLog } from '../../../../shared/store/organizations/audit-log.ts';
import { readSettings } from '../../../../shared/store/organizations/organizations.ts';
import { leadIdMargin } from '../../../../shared/store/restore/finish-restore.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { getItem } from '../../../../shared/store/table/get-item.ts';
import { usagePrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { runAdmin } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { accessDenied } from '../../../support/faults/rules.ts';
import { eraseLead } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { startOwnService } from '../../../support/own-service.ts';
import { person } from '../../../support/people.ts';
import { service } from '../../../support/service.ts';
import { environmentOf, givenTable } from '../../../support/table.ts';
import { finish, itemsOf, nextSecond, restored } from './restored-tables.ts';

/** A backup, and the table it was made of, in which much has happened since. */
interface Catastrophe {
  readonly old: Table;
  readonly backup: readonly Record<string, unknown>[];
  readonly organization: GivenOrganization;
  readonly revokedKeyId: string;
  readonly erased: ReturnType<typeof person>;
  readonly keptLeadId: number;
  readonly lastLeadId: number;
}
let given: Catastrophe;

beforeAll(async () => {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const { keyId: revokedKeyId } = await organization.key();
  const [erased, kept] = [person(), person()];
  const functions = await startOwnService(environmentOf(old.name));
  try {
    const { baseUrl } = functions;
    const capture = async (body: object): Promise<number> =>
      (await call('capture-lead', { baseUrl, apiKey: organization.website, body })).body.lead.id;
    const erasedLeadId = await capture({ ...erased, externalId: randomUUID() });
    const keptLeadId = await capture(kept);
    await capture({ ...kept, email: erased.email }); // the person's email on another lead's timeline
    const backup = await itemsOf(old);

    await revokeApiKey(old, organization.id, revokedKeyId);
    await eraseLead(old, organization.id, erasedLeadId, { who: 'a test' });
    await applySettings(old, { ...organization.settings, name: 'Northwind, renamed' });
    await call('capture-lead', {
      baseUrl,
      apiKey: organization.website,
      body: { name: 'Nobody' },
    }); // refused, and its id is a gap
    const lastLeadId = await capture(person());
    given = { old, backup, organization, revokedKeyId, erased, keptLeadId, lastLeadId };
  } finally {
    await functions.stop();
  }
  await nextSecond();
});

// One after the other: a command in this process has variables of its own, and the old table gets another organization.
describe('finishing a restore with the old table', () => {
  test('restore finish removes what the backup brought back: revoked keys, erased people, used lead IDs', async () => {
    const { organization, revokedKeyId, erased, keptLeadId, lastLeadId } = given;
    const on = await restored(given.backup);

    const { status, document } = await finish(on, '--from', given.old.name);

    expect(status).toBe(0);
    expect(document).toMatchObject({
      organizations: 1,
      keysRevoked: 1,
      leadsErased: 1,
      entriesCleaned: 1,
      onlyInOld: [],
    });
    const [before, now] = await Promise.all(
      [given.old, on].map((one) => readSettings(one, organization.id)),
    );
    expect(now?.version).toBeGreaterThan(before?.version ?? 0);
    expect(now?.settings.name).toBe('Northwind Academy'); // settings are the backup's
    const { expiry, pointInTimeRecovery, deletionProtection } = document.protection;
    for (const state of [expiry, pointInTimeRecovery, deletionProtection])
      expect(['on', 'begun', 'unknown here']).toContain(state);
    const items = await itemsOf(on);
    const texts = items.map((item) => JSON.stringify(item).toLowerCase());
    for (const trace of [erased.phone, erased.email.toLowerCase()])
      expect(texts.filter((text) => text.includes(trace))).toEqual([]);
    const leads = items.filter(({ pk }) => String(pk).startsWith('LEADS#'));
    expect(leads.map(({ sk }) => Number(sk))).toEqual([keptLeadId]);
    const keys = await listApiKeys(on, organization.id);
    expect(keys.find(({ keyId }) => keyId === revokedKeyId)?.revokedAt).toEqual(expect.any(String));
    const usage = await getItem(on, usagePrimaryKey(organization.id));
    expect(usage?.lastLeadId).toBeGreaterThanOrEqual(lastLeadId);
    expect((await checkTable(on)).violations).toEqual([]);
  });

  test('an interrupted restore is logged as begun, and its repeat lists what only the old table has', async () => {
    const on = await restored(given.backup);
    const what = `restore finish ${on.name}`;
    const logged = async () =>
      (await readAuditLog(on, given.organization.id, { limit: 100 }))
        .filter((entry) => entry.what.startsWith(what) && !entry.what.includes(`${what}: `))
        .map((entry) => [entry.what, entry.endedAt !== undefined]);
    // The restored table is complete, then the command fails before its check.
    const proxy = await startDynamodbProxy(service().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
    proxy.rule = ({ operation }) => (operation === 'DescribeTimeToLive' ? accessDenied : undefined);
    const interrupted = await runAdmin(['restore', 'finish', '--from', given.old.name], {
      environment: { ...environmentOf(on.name), AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
    });
    await proxy.stop();
    const afterInterruption = await logged();

    const { id } = await givenOrganization({}, given.old);
    const { status, stdout } = await runAdmin(['restore', 'finish', '--from', given.old.name], {
      environment: environmentOf(on.name),
    });

    expect([interrupted.status, status]).toEqual([1, 0]);
    expect(stdout).toContain(`Only the old table has organization ${id}`);
    expect(afterInterruption).toEqual([[`${what} begun`, false]]);
    expect(await logged()).toEqual([
      [`${what}, 0 violations`, true],
      [`${what} begun`, false],
    ]);
  });
});

describe('finishing a restore when the old table is lost', () => {
  test('all keys except the kept ones are revoked, and lead IDs skip far ahead, but only once', async () => {
    const on = await restored(given.backup);
    const { id, writer, reader } = given.organization;
    const keptIds = [writer, reader].map((key) => parseApiKey(key)?.keyId ?? '');

    const unasked = await finish(on, '--keep-key', ...keptIds);
    const unchanged = await itemsOf(on);
    const first = await finish(on, '--keep-key', ...keptIds, '--yes');
    const again = await finish(on, '--keep-key', ...keptIds, '--yes');

    expect([unasked.status, unasked.stderr]).toEqual([
      1,
      expect.stringMatching(
        /every API key in table .* will be revoked, except 2 named keys.*--yes/s,
      ),
    ]);
    expect(unchanged).toHaveLength(given.backup.length);
    expect([first.status, again.status]).toEqual([0, 0]);
    expect([first.document.keysRevoked, again.document.keysRevoked]).toEqual([2, 0]);
    const live = (await listApiKeys(on, id)).filter(({ revokedAt }) => revokedAt === null);
    expect(live.map(({ keyId }) => keyId).sort()).toEqual(keptIds.sort());
    const before = given.backup.find(({ pk }) => pk === usagePrimaryKey(id).pk);
    expect((await getItem(on, usagePrimaryKey(id)))?.lastLeadId).toBe(
      Number(before?.lastLeadId) + leadIdMargin,
    );
  });

  test('restore finish completes a table of another region and account, such as a copy of AWS Backup', async () => {
    const on = await restored(given.backup);
    const own = service().environment;
    const scopes = new Set<string | undefined>();
    // Stands in for that region: the engine sees its own, the command sees ARNs of the other one.
    const region = createServer(async (request, response) => {
      const { authorization = '' } = request.headers;
      scopes.add(/\/([\w-]+)\/dynamodb\//.exec(authorization)?.[1]);
      const reply = await fetch(own.AWS_ENDPOINT_URL_DYNAMODB ?? '', {
        method: 'POST',
        headers: {
          authorization: authorization.replace('/eu-west-1/', `/${own.AWS_REGION}/`),
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-date': String(request.headers['x-amz-date']),
          'x-amz-target': String(request.headers['x-amz-target']),
        },
        body: await text(request),
      });
      const arn = 'arn:aws:dynamodb:eu-west-1:210987654321:';
      const body = (await reply.text()).replaceAll(/arn:aws:dynamodb:[^:]*:\d*:/g, arn);
      response
        .writeHead(reply.status, { date: reply.headers.get('date') ?? new Date().toUTCString() })
        .end(body);
    }).listen(0, '127.0.0.1');
    await once(region, 'listening');

    const { status, json, stderr } = await runAdmin(['restore', 'finish', '--yes', '--json'], {
      environment: {
        ...environmentOf(on.name),
        AWS_REGION: 'eu-west-1',
        AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(region.address() as AddressInfo).port}`,
      },
    });
    region.close();

    expect({ status, stderr, scopes }).toEqual({
      status: 0,
      stderr: expect.any(String),
      scopes: new Set(['eu-west-1']),
    });
    expect(json).toMatchObject({ keysRevoked: 4 });
    expect((await checkTable(on)).violations).toEqual([]);
  });
});
