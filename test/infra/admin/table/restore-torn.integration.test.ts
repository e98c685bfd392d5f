import { expect, test } from 'vitest';
import { changesBetween, changeTimeOf } from '../../../../shared/leads/changes.ts';
import type { FieldValues, Lead } from '../../../../shared/leads/lead.ts';
import type { TimelineEntry } from '../../../../shared/leads/timeline.ts';
import { parseApiKey } from '../../../../shared/organization/api-key.ts';
import { setArchived } from '../../../../shared/store/leads/archive.ts';
import { writeCapture } from '../../../../shared/store/leads/captures.ts';
import { putTimelineEntry } from '../../../../shared/store/leads/timeline.ts';
import { updateLead } from '../../../../shared/store/leads/update-lead.ts';
import { revokeApiKey } from '../../../../shared/store/organizations/api-keys.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { keyText } from '../../../../shared/store/table/primary-keys.ts';
import { transact } from '../../../../shared/store/table/transact.ts';
import { eraseLead } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { givenTable } from '../../../support/table.ts';
import { newLead } from './given-backup.ts';
import { finish, itemsOf, nextSecond, restored } from './restored-tables.ts';

type Item = Record<string, unknown>;
const nameOf = ({ pk, sk }: Item): string => keyText({ pk: String(pk), sk: String(sk) });

async function itemsByName(on: Table): Promise<Map<string, Item>> {
  return new Map((await itemsOf(on)).map((item) => [nameOf(item), item]));
}

/** A backup in which a second lead has the phone that the first has given up in the old table, but not in the backup. */
async function givenSharedPhone() {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const first = await captured(old, organization);
  const before = await itemsByName(old);
  await changed(old, await moved(old, first), { name: 'Moved' });
  const second = await captured(old, organization, { phone: first.fields.phone });
  const after = await itemsByName(old);
  await nextSecond();
  const ofFirst = [...before].filter(([name]) => /^(LEADS|TIMELINE)#/.test(name));
  const ofSecond = [...after].filter(
    ([name, item]) =>
      !name.startsWith(`TIMELINE#${organization.id}#${first.id} /`) && item.leadId !== first.id,
  );
  const on = await restored([...new Map([...ofSecond, ...ofFirst]).values()]);
  return { old, on, first, second, inOld: await itemOf(old, first) };
}

test.concurrent('a lead whose phone another lead has in the backup is taken from the old table', async () => {
  const { old, on, first, second, inOld } = await givenSharedPhone();

  const { status, document } = await finish(on, '--from', old.name);

  expect([status, document.violations]).toEqual([0, []]);
  const leads = (await itemsOf(on)).filter(({ pk }) => String(pk).startsWith('LEADS#'));
  expect(leads).toHaveLength(2);
  expect(leads).toContainEqual(inOld);
  expect(second.fields.phone).toBe(first.fields.phone);
});

test.concurrent('a lead that was changed since the restore is not taken from the old table, and the check names its phone', async () => {
  const { old, on, first } = await givenSharedPhone();
  await changed(on, first, { name: 'New name' }, new Date());

  const { status, document } = await finish(on, '--from', old.name);

  expect([status, document.violations]).toEqual([1, [expect.stringContaining('phone')]]);
  expect(await itemOf(on, first)).toMatchObject({ version: 2, fields: { name: 'New name' } });
});

const itemOf = async (on: Table, { organizationId, id }: Lead): Promise<Item | undefined> =>
  (await itemsOf(on)).find(({ pk, sk }) => pk === `LEADS#${organizationId}` && Number(sk) === id);

test.concurrent('an organization that has leads but no settings is named, and nothing of it is removed', async () => {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  await captured(old, organization);
  await captured(old, await givenOrganization({}, old));
  const items = (await itemsOf(old)).filter(
    ({ pk, sk }) => !(pk === `ORG#${organization.id}` && sk === 'SETTINGS'),
  );
  for (const options of [['--from', (await restored(items)).name], ['--yes']]) {
    const on = await restored(items);

    const { status, stderr } = await finish(on, ...options);

    expect([status, stderr]).toEqual([
      1,
      `Organization ${organization.id} of table ${on.name} has leads but no settings: restore another moment, and check it before you use it. Nothing was changed.\n`,
    ]);
    expect(await itemsOf(on)).toHaveLength(items.length);
  }
});

test.concurrent('enquiries of a phone’s new holder stay when its former holder is erased again', async () => {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const former = await captured(old, organization);
  await moved(old, former);
  const holder = await captured(old, organization, { phone: former.fields.phone });
  const text = `Call me on ${holder.fields.phone}.`;
  const at = new Date(Date.parse(holder.createdAt) + 1).toISOString();
  const note = {
    type: 'note_added',
    via: 'import',
    importedAt: at,
    text,
    actorId: null,
    at,
  } as const;
  await transact(old, [putTimelineEntry(holder, note)]);
  const torn = (await itemsOf(old)).filter(
    ({ pk }) => pk !== `PHONE#${organization.id}#${holder.fields.phone}`,
  );
  await nextSecond();
  await eraseLead(old, organization.id, former.id, { who: 'administrator' });
  const on = await restored(torn);

  const { status, document } = await finish(on, '--from', old.name);

  expect([status, document.leadsErased, document.violations]).toEqual([0, 1, []]);
  expect((await itemsOf(on)).map((item) => item.text).filter(Boolean)).toEqual([text]);
});

const isOf = (prefix: string, { pk }: Item): boolean => String(pk).startsWith(prefix);
type Tear = (before: Map<string, Item>, after: Map<string, Item>) => Iterable<Item>;
const lacking =
  (prefix: string): Tear =>
  (before) =>
    [...before.values()].filter((item) => !isOf(prefix, item));
/** The parts of a change but the lead itself. */
const ahead: Tear = (before, after) =>
  [...after].map(([name, item]) => (isOf('LEADS#', item) ? (before.get(name) ?? item) : item));

test.concurrent.each<[string, number, Tear]>([
  ['without its email', 0, lacking('EMAIL#')],
  ['without its email', 1, lacking('EMAIL#')],
  ['without its email', 2, lacking('EMAIL#')],
  ['without its timeline', 1, lacking('TIMELINE#')],
  ['with an entry ahead of it', 1, ahead],
  ['with an entry ahead of it', 2, ahead],
])(
  'a restore keeps a later change of a lead %s in the backup (%i changes in the old table)',
  async (_, laterChanges, tear) => {
    const old = await givenTable();
    const organization = await givenOrganization({}, old);
    const lead = await captured(old, organization);
    const versions = [await itemsByName(old)];
    let later = lead;
    for (let change = 1; change <= laterChanges; change += 1) {
      later = await changed(old, later, { name: `Old ${change}` });
      versions.push(await itemsByName(old));
    }
    await nextSecond();
    const [before = new Map(), after = before] = versions;
    const on = await restored([...tear(before, after)]);
    await changed(on, lead, { name: 'New name' }, new Date());

    const { status, document } = await finish(on, '--from', old.name);

    expect([status, document.violations]).toEqual([0, []]);
    expect(await itemOf(on, lead)).toMatchObject({ version: 2, fields: { name: 'New name' } });
    expect(JSON.stringify(await changesIn(on))).toContain('New name');
  },
);

const changesIn = async (on: Table): Promise<unknown[]> =>
  (await itemsOf(on)).flatMap(({ changes }) => (changes === undefined ? [] : [changes]));

test.concurrent('a restore writes no change for a field named like an inherited property', async () => {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const lead = await captured(old, organization, { hasOwnProperty: 'a' });
  const last = await changed(old, await changed(old, lead, { hasOwnProperty: 'b' }), { name: 'Z' });
  const torn = (await itemsOf(old)).filter(({ sk }) => !String(sk).startsWith(last.updatedAt));
  const on = await restored(torn);

  const { status } = await finish(on, '--yes');

  expect(status).toBe(0);
  expect(await changesIn(on)).toEqual([[{ field: 'hasOwnProperty', from: 'a', to: 'b' }], []]);
});

test.concurrent('a lead whose last archiving the backup lacks is repaired without the old table', async () => {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const { id } = await captured(old, organization);
  for (const isArchived of [true, false, true])
    await setArchived(old, organization.id, id, { archived: isArchived });
  const timeline = (await itemsOf(old)).filter(({ pk }) => String(pk).startsWith('TIMELINE#'));
  const lost = timeline.map(nameOf).sort().slice(2);
  const on = await restored((await itemsOf(old)).filter((item) => !lost.includes(nameOf(item))));

  const { status, document } = await finish(on, '--yes');

  expect([status, document.violations]).toEqual([0, []]);
});

test.concurrent('a lead that a restore has repaired is repaired again when the next backup lacks a change', async () => {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const lead = await captured(old, organization);
  await moved(old, lead);
  const { updatedAt = '' } = (await itemOf(old, lead)) ?? {};
  const ofRestore = {
    type: 'lead_updated',
    via: 'admin',
    changes: [],
    at: updatedAt,
    actorId: null,
  };
  const items = (await itemsOf(old)).map((item) => {
    if (String(item.pk).startsWith('LEADS#')) return { ...item, version: 3 };
    if (item.type !== 'lead_updated') return item;
    return { ...ofRestore, pk: item.pk, sk: `${updatedAt}#nrestored0` };
  });
  const on = await restored(items);

  const { status, document } = await finish(on, '--yes');

  expect([status, document.violations, document.partsCompleted]).toEqual([0, [], 1]);
});

test.concurrent.each(['KEY#', 'ORG#'])(
  'a key whose revocation the backup has only in its %s item is revoked in both',
  async (revoked) => {
    const old = await givenTable();
    const organization = await givenOrganization({}, old);
    const { keyId } = await organization.key();
    const before = await itemsByName(old);
    await revokeApiKey(old, organization.id, keyId);
    const torn = [...(await itemsByName(old))].map(([name, item]) =>
      name.startsWith(revoked) ? item : (before.get(name) ?? item),
    );
    const on = await restored(torn);

    await finish(on, '--yes', '--keep-key', keyId);

    const items = (await itemsOf(on)).filter((item) => item.keyId === keyId);
    expect(items.map(({ revokedAt }) => typeof revokedAt)).toEqual(['string', 'string']);
  },
);

const enquiry = { actorId: 7, keyLabel: 'website', source: 'Website', filled: [], kept: [] };

async function captured(
  on: Table,
  organization: GivenOrganization,
  values: FieldValues = {},
): Promise<Lead> {
  const made = await newLead(on, organization);
  const lead = { ...made, fields: { ...made.fields, ...values } };
  const { keyId = '' } = parseApiKey(organization.website) ?? {};
  const entry: TimelineEntry = { type: 'captured_new', at: lead.createdAt, keyId, ...enquiry };
  const record = {
    fingerprint: 'f',
    result: { id: lead.id, created: true, updated: false },
    expiresAt: Date.parse(lead.createdAt) + 86_400_000,
  };
  const capture = {
    organizationId: lead.organizationId,
    keyId,
    keys: [{ value: `enquiry ${lead.id}`, givenAs: 'externalId' }],
    fingerprint: record.fingerprint,
    phone: undefined,
    email: undefined,
  } as const;
  await writeCapture(on, capture, { outcome: 'new', lead, entry, record });
  return lead;
}

function moved(on: Table, before: Lead): Promise<Lead> {
  const { phone, email } = person();
  return changed(on, before, { phone, email });
}

/** Changes fields of a lead as the administrator. @param now by default just after its last change */
async function changed(
  on: Table,
  before: Lead,
  fields: FieldValues,
  now = new Date(0),
): Promise<Lead> {
  const at = changeTimeOf(before, now);
  const after = { ...before, fields: { ...before.fields, ...fields }, updatedAt: at };
  const changes = changesBetween(before, after);
  const change = { type: 'lead_updated', via: 'admin', changes, at, actorId: null } as const;
  await updateLead(on, before, after, change);
  return { ...after, version: before.version + 1 };
}
