import { expect, test } from 'vitest';
import { checkTable } from '../../../../shared/store/check/check-table.ts';
import { idempotencyPrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { added, at, type Case, changed, givenSoundTable, namedIn, removed } from './given-table.ts';

const lead = 'Lead 1 of organization 1';
const future = '2999-01-01T00:00:00.000Z';
const inFuture =
  'which is in the future: compare the clock of this machine with that of the writer.';
const ttl = 'has a ttl, at which DynamoDB deletes it: remove the attribute ttl.';
const missing = 'an entry is missing, or the lead was changed without one.';
const later = new Date(Date.parse(at) + 1).toISOString();
const updated = { sk: `${later}#zz`, type: 'lead_updated', at: later, actorId: 7 };
const setsItRight = 'npm run admin -- lead archive or restore sets it right.';
const farAway = Date.UTC(2255, 0);
const unexplained = (leadId: number) =>
  `Lead ${leadId} of organization 1 has a stage, pipeline or field that its timeline does not explain: it was changed without an entry. Compare it with a backup.`;
const windowEnds = `has a window that ends more than an hour from now, at windowEndsAt ${farAway}: once its requests are used up, all are refused until then. Set windowEndsAt to 0.`;
const noCapture = `whose timeline has no capture by key {keyId} at ${at}: delete the record, or look for the enquiry in a backup.`;

const unknown = (pk: string, sk: string): Case => [
  added(() => ({ pk, sk })),
  `Item ${pk} / ${sk} has an unknown type.`,
];

const damagedItems: readonly Case[] = [
  [removed('phone'), `${lead} has the phone +919820000001, but the item {phone} is not there.`],
  [removed('email'), `${lead} has the email p.1@example.com, but the item {email} is not there.`],
  [
    changed('phone', { leadId: 2 }),
    'The item {phone} names lead 2 of organization 1, whose phone is +919820000002.',
    `${lead} has the phone +919820000001, but the item {phone} names lead 2.`,
  ],
  [
    changed('lead', { 'fields.email': null }),
    'The item {email} names lead 1 of organization 1, whose email is missing.',
    unexplained(1),
  ],
  [
    changed('phone', { leadId: 'x' }),
    'The item {phone} names no lead.',
    `${lead} has the phone +919820000001, but the item {phone} names lead x.`,
  ],
  [
    changed('phone', { leadId: null }),
    'The item {phone} names no lead.',
    `${lead} has the phone +919820000001, but the item {phone} names no lead.`,
  ],
  [
    changed('phone', { leadId: '1' }),
    'The item {phone} names no lead.',
    `${lead} has the phone +919820000001, but the item {phone} names lead 1.`,
  ],
  [
    async (sound) => {
      await changed('captured', { 'fields.phone': '+919820000001' })(sound);
      await removed('capturedPhone')(sound);
    },
    'Lead 2 of organization 1 has the phone +919820000001, but the item {phone} names lead 1.',
    unexplained(2),
  ],
  [
    removed('captured'),
    'The idempotency record {record} names lead 2 of organization 1, which is not there.',
    'The item {capturedEmail} names lead 2 of organization 1, which is not there.',
    'The item {capturedPhone} names lead 2 of organization 1, which is not there.',
    'The timeline TIMELINE#1#2 has entries, but organization 1 has no lead 2.',
  ],
  [
    removed('opening'),
    `${lead} has 0 opening entries (lead_created or captured_new) on its timeline TIMELINE#1#1.`,
  ],
  [
    added(({ key }) => ({ ...key.opening, sk: `${at}#zz`, type: 'captured_new', at, actorId: 7 })),
    `${lead} has 2 opening entries ({openingSk}, ${at}#zz) on its timeline TIMELINE#1#1.`,
  ],
  [
    changed('opening', { actorId: 99 }),
    'The timeline entry {opening} was made by user 99, whom the organization does not have.',
  ],
  [
    changed('enquiry', { at: '2020-01-01T00:00:00.000Z' }),
    'The timeline entry {enquiry} has the time "2020-01-01T00:00:00.000Z", which is not that of its key.',
    `Lead 2 of organization 1 was created at ${at}, but its timeline begins at 2020-01-01T00:00:00.000Z.`,
    `Lead 2 of organization 1 was updated at ${at}, but by its timeline at 2020-01-01T00:00:00.000Z: ${missing}`,
  ],
  [
    added(({ key }) => {
      const entry = { type: 'note_added', at: future, actorId: 7 };
      return { ...key.opening, sk: `${future}#zz`, ...entry };
    }),
    `The timeline entry TIMELINE#1#1 / ${future}#zz has the time ${future}, ${inFuture}`,
    `${lead} has the version 1, but its timeline ends at version 2: ${missing}`,
  ],
  [changed('opening', { ttl: 4_000_000_000 }), `The timeline entry {opening} ${ttl}`],
  [changed('lead', { 'fields.city': 'Pune' }), unexplained(1)],
  [changed('lead', { stageId: 12, stageKey: 'STAGE#1#12' }), unexplained(1)],
  [changed('enquiry', { valuesDigest: 5 }), unexplained(2)],
  [
    changed('lead', { version: 2, updatedAt: later }),
    `${lead} has the version 2, but its timeline ends at version 1: ${missing}`,
    `${lead} was updated at ${later}, but by its timeline at ${at}: ${missing}`,
  ],
  [
    added(({ key }) => ({ ...key.opening, ...updated, changes: [] })),
    `${lead} has the version 1, but its timeline ends at version 2: ${missing}`,
    `${lead} was updated at ${at}, but by its timeline at ${later}: ${missing}`,
  ],
  [
    async (sound) => {
      await changed('lead', { version: 3, updatedAt: later })(sound);
      await added(({ key }) => ({ ...key.opening, ...updated, changes: [] }))(sound);
    },
    `${lead} has the version 3, but its timeline ends at version 2: ${missing}`,
  ],
  [
    async (sound) => {
      await changed('lead', { version: 2, updatedAt: later })(sound);
      await added(({ key }) => ({ ...key.opening, ...updated, type: 'archived' }))(sound);
    },
    `${lead} is not archived, but by its timeline it is archived since ${later}: ${setsItRight}`,
  ],
  [
    changed('lead', {
      ...{ archivedAt: at, stageKey: null, ownerKey: null, sourceKey: null, updateKey: null },
    }),
    `${lead} is archived since ${at}, but by its timeline it is not archived: ${setsItRight}`,
  ],
  [
    async (sound) => {
      await changed('opening', { via: 'import', importedAt: at })(sound);
      await changed('lead', { version: 2 })(sound);
    },
    `${lead} has the version 2, but its timeline ends at version 1: ${missing}`,
  ],
  [
    changed('usage', { lastLeadId: 1 }),
    'Lead 2 of organization 1 has an id beyond 1, the last one that the usage item has assigned.',
  ],
  [
    changed('record', { ttl: null }),
    'The idempotency record {record} has the ttl missing, which must be expiresAt in seconds: delete the item.',
  ],
  [
    changed('record', { expiresAt: farAway, ttl: farAway / 1000 }),
    `The idempotency record {record} expires at ${farAway}, more than 24 hours from now: delete the item.`,
  ],
  [
    changed('record', { 'result.id': 1 }),
    `The idempotency record {record} names lead 1 of organization 1, ${noCapture}`,
  ],
  [
    added(() => ({ pk: 'IMPORTED#1#a1b2', sk: 'ROW', leadId: 77 })),
    'The imported row IMPORTED#1#a1b2 / ROW became lead 77 of organization 1, which is not there.',
  ],
  ...(['phone', 'settings', 'usage'] as const).map(
    (name): Case => [changed(name, { ttl: 1 }), `The item {${name}} ${ttl}`],
  ),
  [
    added(() => ({ pk: 'HISTORY#1', sk: `${future}#zz`, at: future, who: 'x', what: 'y' })),
    `The item HISTORY#1 / ${future}#zz has the at ${future}, ${inFuture}`,
  ],
  [
    added(() => ({ pk: 'ERASURE#1', sk: '0000000077' })),
    'The erasure of lead 77 of organization 1 is in progress or was interrupted: npm run admin -- lead erase --organization 1 --lead 77 completes it.',
  ],
  [
    async (sound) => {
      for (const name of ['captured', 'capturedPhone', 'capturedEmail'] as const)
        await removed(name)(sound);
      await added(() => ({ pk: 'ERASURE#1', sk: '0000000002' }))(sound);
    },
    'The erasure of lead 2 of organization 1 is in progress or was interrupted: npm run admin -- lead erase --organization 1 --lead 2 completes it.',
  ],
  [removed('settings'), 'Organization 1 has items but no settings item (ORG#1 / SETTINGS).'],
  [
    changed('settings', { appliedAt: future }),
    `Organization 1 has the appliedAt ${future}, ${inFuture}`,
  ],
  [changed('settings', { 'settings.id': 2 }), 'Organization 1 has the settings of organization 2.'],
  [
    changed('settings', { 'settings.assignmentRules': [{ users: [99] }] }),
    'Organization 1 has settings that no settings file can have: $.assignmentRules[0].users[0] is 99, but must be the ID of a user in $.users, or its name. Apply a settings file that is right.',
  ],
  [removed('usage'), 'Organization 1 has no usage item USAGE#1 / USAGE.'],
  [
    changed('usage', { settingsVersion: 4 }),
    'Organization 1 has settings of version 1, but its usage item says 4.',
  ],
  [changed('usage', { used: 3000, windowEndsAt: farAway }), `Organization 1 ${windowEnds}`],
  [
    removed('directory'),
    'Organization 1 is not in the directory: ORG#DIRECTORY / 0000000001 is not there.',
  ],
  [
    changed('directory', { name: 'Old' }),
    'Organization 1 is called "Northwind Academy", but "Old" in the directory.',
  ],
  [changed('apiKey', { windowEndsAt: farAway }), `API key {keyId} of organization 1 ${windowEnds}`],
  [
    removed('apiKey'),
    'API key {keyId} of organization 1 is listed, but its item {apiKey} is not there.',
  ],
  [
    added(() => ({ pk: 'KEY#00ff', sk: 'KEY', organizationId: 1, keyId: 'unlisted00' })),
    'The API key item KEY#00ff / KEY is key unlisted00 of organization 1, which does not list it under this hash.',
  ],
  [
    added(({ keyId }) => ({ pk: 'KEY#00ff', sk: 'KEY', organizationId: 1, keyId })),
    'The API key item KEY#00ff / KEY is key {keyId} of organization 1, which does not list it under this hash.',
  ],
  [
    changed('listing', { revokedAt: '2026-01-01T00:00:00.000Z' }),
    'API key {keyId} of organization 1 is listed with another revokedAt than its item has.',
  ],
  [
    changed('apiKey', { revokedAt: '2026-01-01T00:00:00.000Z' }),
    'API key {keyId} of organization 1 is listed with another revokedAt than its item has.',
  ],
  [
    async (sound) => {
      await changed('listing', { createdBy: 99 })(sound);
      await changed('apiKey', { createdBy: 99 })(sound);
    },
    'API key {keyId} of organization 1 was created by user 99, whom the organization does not have.',
  ],
  unknown('SOMETHING#1', 'ELSE'),
  unknown('ORG#1', 'SETTING'),
  unknown('LEADS#1', '9999999999'),
];

/** Damage to items that name no organization: a check of one organization leaves them out. */
const damageOfNobody: readonly Case[] = [
  [
    added(() => ({ pk: 'ORG#DIRECTORY', sk: '0000000005', name: 'Nobody' })),
    'Organization 5 has items but no settings item (ORG#5 / SETTINGS).',
  ],
  [
    added(() => ({ pk: 'KEY#00ff', sk: 'KEY' })),
    'The API key item KEY#00ff / KEY is key undefined of organization undefined, which does not list it under this hash.',
  ],
  [
    added(() => ({ ...idempotencyPrimaryKey('nobody', 'x'), result: { id: 1 }, expiresAt: 1 })),
    `The idempotency record ${idempotencyPrimaryKey('nobody', 'x').pk} / RECORD belongs to API key nobody, which no organization lists.`,
  ],
  unknown('EMAIL#x#a@b.co', 'UNIQUE'),
  unknown('ORG#DIRECTORY', '1'),
];

/** The beginning of the first violation. */
const shortened = ([, violation = '']: Case): string => violation.slice(0, 40);

test.for<readonly [violation: string, isOfNobody: boolean, Case]>([
  ...damagedItems.map((one) => [shortened(one), false, one] as const),
  ...damageOfNobody.map((one) => [shortened(one), true, one] as const),
])(
  'checks of the table and of the organization report exactly: %s',
  async ([, isOfNobody, [damage, ...violations]]) => {
    const sound = await givenSoundTable();
    await damage(sound);

    const checked = await checkTable(sound.table, { againAfterMs: 0 });
    const one = await checkTable(sound.table, { organizationId: 1, againAfterMs: 0 });

    expect(checked.violations).toEqual(namedIn(sound, violations));
    expect(one.violations).toEqual(isOfNobody ? [] : checked.violations);
  },
);
