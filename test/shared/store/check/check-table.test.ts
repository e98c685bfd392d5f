import {
  QueryCommand,
  ScanCommand,
  type ScanCommandOutput,
  TransactGetCommand,
} from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import { checkTable } from '../../../../shared/store/check/check-table.ts';
import { setArchived } from '../../../../shared/store/leads/archive.ts';
import { createLead } from '../../../../shared/store/leads/create-lead.ts';
import { applySettings } from '../../../../shared/store/organizations/apply-settings.ts';
import { sendingThrough } from '../../../../shared/store/table/client.ts';
import { getItem } from '../../../../shared/store/table/get-item.ts';
import type { Item } from '../../../../shared/store/table/items.ts';
import {
  apiKeyPrimaryKey,
  idempotencyPrimaryKey,
  keyListingPrimaryKey,
} from '../../../../shared/store/table/primary-keys.ts';
import { deletion, writeItem } from '../../../../shared/store/table/writes.ts';
import { storeItems } from '../../../support/leads.ts';
import { modelTable } from '../../../support/model-table.ts';
import { added, at, changed, givenSoundTable } from './given-table.ts';

test('a table written by the service has no violations, with archived leads and later settings too', async () => {
  const { table, settings } = await givenSoundTable();
  await setArchived(table, 1, 2, { archived: true });
  for (const archived of [true, false]) await setArchived(table, 1, 1, { archived });
  await applySettings(table, { ...settings, name: 'Renamed' });
  await givenSoundTable(table, 2);

  expect(await checkTable(table)).toEqual({ leads: 4, violations: [] });
  expect(await checkTable(table, { organizationId: 1 })).toEqual({ leads: 2, violations: [] });
});

test('an imported lead’s past, a repaired entry and an enquiry that filled nothing are no violations', async () => {
  const later = new Date(Date.parse(at) + 1).toISOString();
  const noKeys = { stageKey: null, ownerKey: null, sourceKey: null, updateKey: null };
  const sound = await givenSoundTable();
  await changed('opening', { via: 'import', importedAt: at })(sound);
  await changed('lead', { updatedAt: later, archivedAt: later, ...noKeys })(sound);
  await changed('captured', { version: 3, updatedAt: later, 'fields.city': 'Pune' })(sound);
  for (const entry of [{ type: 'lead_updated' }, { type: 'captured', filled: [] }]) {
    const place = { sk: `${later}#${entry.type}`, at: later, actorId: null };
    await added(({ key }) => ({ pk: key.enquiry.pk, ...place, ...entry }))(sound);
  }

  expect((await checkTable(sound.table)).violations).toEqual([]);
});

test('a record that has expired, and that DynamoDB has not deleted yet, needs no capture', async () => {
  const sound = await givenSoundTable();
  const expiresAt = Date.now() - 1000;
  await changed('record', { expiresAt, ttl: Math.ceil(expiresAt / 1000) })(sound);

  expect((await checkTable(sound.table)).violations).toEqual([]);
});

test('usage beyond the default limits, which a deployment may raise, is not a violation', async () => {
  const sound = await givenSoundTable();
  await changed('usage', { used: 4000 })(sound);
  await changed('apiKey', { used: 2000 })(sound);

  expect((await checkTable(sound.table)).violations).toEqual([]);
});

test('an empty table has no violations', async () => {
  expect(await checkTable(modelTable())).toEqual({ leads: 0, violations: [] });
});

test('a check of one organization reports the violations of that organization only', async () => {
  const sound = await givenSoundTable();
  const { table } = sound;
  const other = await givenSoundTable(table, 2);
  for (const [organizationId, leadId] of [
    [1, 77],
    [2, 78],
  ] as const)
    await added(() => ({ pk: `PHONE#${organizationId}#+919999999999`, sk: 'UNIQUE', leadId }))(
      sound,
    );
  await changed('record', { 'result.id': 79 })(other);
  await changed('apiKey', { keyId: 'unlisted00' })(other);

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
        /^The API key item .* is key unlisted00 of organization 2, which does not list it under this hash\.$/,
      ),
      expect.stringMatching(/^The idempotency record .* names lead 79 of organization 2/),
      expect.stringMatching(/^The item PHONE#2#\+919999999999 .* lead 78 /),
    ],
  });
});

test('a check of a table of several pages reads every item once and rechecks none', async () => {
  const sound = await givenSoundTable();
  const { table, settings, lead, keyId, key } = sound;
  await applySettings(table, { ...settings, id: 2 });
  const text = 'x'.repeat(20_000); // sixty of these are more than the megabyte of one response
  for (const organizationId of [1, 2]) {
    for (let id = 11; id <= 70; id += 1) {
      const fields = {
        ...lead.fields,
        phone: `+9198300000${id}`,
        email: `${id}@x.co`,
        remarks: text,
      };
      await createLead(table, () => ({
        lead: { ...lead, organizationId, id, fields },
        opening: { type: 'lead_created', at, actorId: 7, via: 'api', keyId },
      }));
    }
  }
  for (const usage of [key.usage, { pk: 'USAGE#2', sk: 'USAGE' }])
    await changed('usage', { lastLeadId: 70 })({ ...sound, key: { ...key, usage } });
  const rechecks = vi.spyOn(table.client, 'send');

  const checked = await checkTable(table);

  expect(checked).toEqual({ leads: 122, violations: [] });
  const scans = rechecks.mock.calls.flatMap(([command], call) =>
    command instanceof ScanCommand ? [rechecks.mock.results[call]?.value] : [],
  );
  const scanned: ScanCommandOutput[] = await Promise.all(scans);
  const leadsAgain = scanned
    .flatMap(({ Items = [] }) => Items)
    .filter(({ pk }) => /^LEADS/.test(pk));
  expect(leadsAgain.length).toBeLessThan(110); // the rest of a page with which a scan reaches them
  const looks = rechecks.mock.calls.flatMap(([command]) =>
    command instanceof TransactGetCommand ? (command.input.TransactItems ?? []) : [],
  );
  expect(
    looks.map((look) => look.Get?.Key?.pk).filter((pk) => /^(LEADS|PHONE|EMAIL|TIMELINE)/.test(pk)),
  ).toEqual([]);
});

test('what becomes right within the time until the second look is no violation', async () => {
  const { table, key } = await givenSoundTable();
  const phone = await getItem<Item>(table, key.phone);
  await writeItem(table, deletion(key.phone));
  let isLookedAt = false;
  const mending = sendingThrough(table, (send) => async (command, options) => {
    const reply = await send(command, options);
    const isOfPhone = JSON.stringify(command.input).includes(key.phone.pk);
    if (command instanceof TransactGetCommand && isOfPhone && !isLookedAt) {
      isLookedAt = true;
      setTimeout(() => storeItems(table, [{ ...phone }]), 50);
    }
    return reply;
  });

  expect((await checkTable(mending, { againAfterMs: 500 })).violations).toEqual([]);
  expect(isLookedAt).toBe(true);
});

test('the record of a key that was created while the table is read is no violation', async () => {
  const { table, key } = await givenSoundTable();
  const [keyId, apiKeyHash] = ['newkey0000', '00ff'];
  const listing = { ...(await getItem<Item>(table, key.listing)), keyId, apiKeyHash };
  const item = { ...(await getItem<Item>(table, key.apiKey)), keyId };
  const expiresAt = Date.now() - 1000;
  const record = { result: { id: 2 }, expiresAt, ttl: Math.ceil(expiresAt / 1000) };
  const created = [
    { ...listing, ...keyListingPrimaryKey(1, keyId) },
    { ...item, ...apiKeyPrimaryKey(apiKeyHash) },
    { ...record, ...idempotencyPrimaryKey(keyId, 'x') },
  ];
  const changing = sendingThrough(table, (send) => async (command, options) => {
    const isOfLeads = JSON.stringify(command.input).includes('LEADS#1');
    if (command instanceof QueryCommand && isOfLeads) await storeItems(table, created);
    const reply = await send(command, options);
    if (command instanceof ScanCommand && command.input.Segment === 0)
      (reply as ScanCommandOutput).Items?.push({ ...created[2] });
    return reply;
  });

  expect(await checkTable(changing, { againAfterMs: 0 })).toEqual({ leads: 2, violations: [] });
});

test('settings that an earlier release stored, without newer properties, are valid', async () => {
  const sound = await givenSoundTable();
  const { assignmentRules: _, ...others } = sound.settings;
  const fields = sound.settings.fields.map(({ showWhen, active, ...field }) => field);

  await changed('settings', { settings: { ...others, fields } })(sound);

  expect((await checkTable(sound.table)).violations).toEqual([]);
});
