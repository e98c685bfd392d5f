import { ScanCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { comparableEmail } from '../../../../shared/leads/identity.ts';
import { emailOf, phoneOf } from '../../../../shared/leads/lead.ts';
import { hashApiKey } from '../../../../shared/organization/api-key.ts';
import { checkTable } from '../../../../shared/store/check/check-table.ts';
import { setArchived } from '../../../../shared/store/leads/archive.ts';
import { applySettings } from '../../../../shared/store/organizations/apply-settings.ts';
import {
  apiKeyPrimaryKey,
  emailPrimaryKey,
  idempotencyPrimaryKey,
  keyListingPrimaryKey,
  leadPrimaryKey,
  phonePrimaryKey,
  timelinePartitionKey,
  usagePrimaryKey,
} from '../../../../shared/store/table/primary-keys.ts';
import { storeItems, storeLeads } from '../../../support/stored-leads.ts';
import { givenTable } from '../../../support/table.ts';
import { identities, leads, timelines } from './damaged-leads.ts';
import { lives } from './damaged-lives.ts';
import { organizations } from './damaged-organizations.ts';
import { damage, givenWorld, named, put, remove, stranger, type World } from './given-table.ts';

/** What each test gets a copy of, in a table of its own. */
let origin: Awaited<ReturnType<typeof givenWorld>>;
let originItems: Record<string, unknown>[];
beforeAll(async () => {
  const table = await givenTable();
  origin = await givenWorld(table);
  ({ Items: originItems = [] } = await table.client.send(
    new ScanCommand({ TableName: table.name }),
  ));
  table.client.destroy();
});

let world: World;
beforeEach(async () => {
  const [table, given] = [await givenTable(), origin];
  await storeItems(table, originItems);
  const [a, b] = given.leads;
  const openingOf = ({ id }: typeof a) => {
    const opening = originItems.find(({ pk }) => pk === timelinePartitionKey(1, id));
    return { pk: String(opening?.pk), sk: String(opening?.sk) };
  };
  const key = {
    lead: leadPrimaryKey(1, a.id),
    phone: phonePrimaryKey(1, phoneOf(a)),
    email: emailPrimaryKey(1, comparableEmail(emailOf(a) ?? '')),
    record: idempotencyPrimaryKey(given.keyId, 'form-1'),
    opening: openingOf(a),
    enquiry: openingOf(b),
    listing: keyListingPrimaryKey(1, given.keyId),
    apiKey: apiKeyPrimaryKey(hashApiKey(given.apiKey)),
  };
  world = { ...given, table, a, b, key };
});
afterEach(() => world.table.client.destroy());

test('a table written by the service has no violations, even with archived leads and settings applied later', async () => {
  const { table, settings, b } = world;
  await setArchived(table, 1, b.id, { archived: true });
  await applySettings(table, { ...settings, name: 'Renamed' });
  await givenWorld(table, 2);

  expect(await checkTable(table)).toEqual({ leads: 4, violations: [] });
  expect(await checkTable(table, { organizationId: 1 })).toEqual({ leads: 2, violations: [] });
});

test('usage within limits that the deployment raised or lowered is not a violation', async () => {
  const { table, key } = world;
  await damage(table, usagePrimaryKey(1), { used: 4000 });
  await damage(table, key.apiKey, { used: 2000 });

  expect((await checkTable(table)).violations).toEqual([]);
});

test('an empty table has no violations', async () => {
  const table = await givenTable();

  expect(await checkTable(table)).toEqual({ leads: 0, violations: [] });
});

/** Damage to items that name no organization, or another one. */
const ofNobody = new Set([
  'an idempotency record belongs to a listed API key',
  'the directory names organizations that are there',
  'a key says whose it is',
  'ORG#0 / SETTINGS is not an item of the service',
  'EMAIL#x#a@b.co / UNIQUE is not an item of the service',
  'KEY#00 / KEYS is not an item of the service',
  'ORG#DIRECTORY / 1 is not an item of the service',
]);

test.each([...identities, ...timelines, ...leads, ...lives, ...organizations])(
  'a check of the table, and one of the organization, reports exactly where this fails: %s',
  async (rule, damages, violations) => {
    await damages(world);

    const checked = await checkTable(world.table, { againAfterMs: 0 });
    const one = await checkTable(world.table, { organizationId: 1, againAfterMs: 0 });

    expect(checked).toEqual({ leads: expect.any(Number), violations: violations(world).sort() });
    expect(one).toEqual({
      leads: expect.any(Number),
      violations: ofNobody.has(rule) ? [] : checked.violations,
    });
  },
);

test('a check reports every item that a lost lead leaves behind', async () => {
  const { table, b, keyId } = world;
  await remove(table, leadPrimaryKey(1, b.id));
  const email = comparableEmail(emailOf(b) ?? '');

  const { leads, violations } = await checkTable(table);

  expect(leads).toBe(1);
  expect(violations).toEqual(
    [
      `The idempotency record ${named(idempotencyPrimaryKey(keyId, 'form-1'))} names lead ${b.id} of organization 1, which is not there.`,
      `The item ${named(emailPrimaryKey(1, email))} names lead ${b.id} of organization 1, which is not there.`,
      `The item ${named(phonePrimaryKey(1, phoneOf(b)))} names lead ${b.id} of organization 1, which is not there.`,
      `The timeline TIMELINE#1#${b.id} has entries, but organization 1 has no lead ${b.id}.`,
    ].sort(),
  );
});

test('a check of one organization reports the violations of that organization only', async () => {
  const { table } = world;
  const other = await givenWorld(table, 2);
  await put(table, { ...phonePrimaryKey(1, stranger), leadId: 77 });
  await put(table, { ...phonePrimaryKey(2, stranger), leadId: 78 });
  await damage(table, idempotencyPrimaryKey(other.keyId, 'form-1'), { 'result.id': 79 });
  await damage(table, apiKeyPrimaryKey(hashApiKey(other.apiKey)), { keyId: 'unlisted00' });

  const [one, two] = [
    await checkTable(table, { organizationId: 1 }),
    await checkTable(table, { organizationId: 2 }),
  ];

  expect(one).toEqual({
    leads: 2,
    violations: [expect.stringMatching(/^The item PHONE#1#\+919999999999 .* lead 77 /)],
  });
  expect(two).toEqual({
    leads: 2,
    violations: [
      expect.stringMatching(/^API key .* is listed with another keyId than its item has\.$/),
      expect.stringMatching(
        /^The API key item .* is key unlisted00 of organization 2, which does not list it\.$/,
      ),
      expect.stringMatching(/^The idempotency record .* names lead 79 of organization 2/),
      expect.stringMatching(/^The item PHONE#2#\+919999999999 .* lead 78 /),
    ],
  });
});

test('a check of a table of several pages reads every item once and rechecks none', async () => {
  const { table, settings, a } = world;
  await applySettings(table, { ...settings, id: 2 });
  const text = 'x'.repeat(20_000); // sixty of these are more than the megabyte of one response
  for (const organizationId of [1, 2]) {
    const ids = Array.from({ length: 60 }, (_, index) => 11 + index);
    const phone = (id: number): string => `+9198${String(id).padStart(8, '0')}`;
    await storeLeads(
      table,
      ids.map((id) => ({
        ...a,
        organizationId,
        id,
        fields: { ...a.fields, phone: phone(id), email: `p${id}@example.com`, remarks: text },
      })),
    );
    await damage(table, usagePrimaryKey(organizationId), { lastLeadId: 70 });
  }
  const rechecks = vi.spyOn(table.client, 'send');

  const checked = await checkTable(table);

  expect(checked).toEqual({ leads: 122, violations: [] });
  const looks = rechecks.mock.calls.flatMap(([command]) =>
    command instanceof TransactGetCommand ? (command.input.TransactItems ?? []) : [],
  );
  expect(
    looks.map((look) => look.Get?.Key?.pk).filter((pk) => /^(LEADS|PHONE|EMAIL|TIMELINE)/.test(pk)),
  ).toEqual([]);
});

test('an item that live traffic is changing is read again, and is not a violation', async () => {
  const { table, b } = world;
  let isDone = false;
  const traffic = (async () => {
    for (let turn = 0; !isDone && turn < 200; turn += 1)
      await setArchived(table, 1, b.id, { archived: turn % 2 === 0 });
  })();

  const checks = [];
  for (let run = 0; run < 5; run += 1) checks.push(await checkTable(table));
  isDone = true;
  await traffic;

  expect(checks).toEqual(Array.from({ length: 5 }, () => ({ leads: 2, violations: [] })));
});
