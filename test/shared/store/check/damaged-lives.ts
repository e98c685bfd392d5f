import {
  settingsPrimaryKey,
  timelinePartitionKey,
  usagePrimaryKey,
} from '../../../../shared/store/table/primary-keys.ts';
import { changed, unexplained } from './damaged-leads.ts';
import { type Case, damage, named, put, remove, type World } from './given-table.ts';

const farAway = Date.UTC(2255, 0);
const later = '2999-01-01T00:00:00.000Z';
const inFuture =
  'which is in the future: compare the clock of this machine with that of the writer';
const lead = ({ a }: World) => `Lead ${a.id} of organization 1`;
const noFile = 'Organization 1 has settings that no settings file can have:';

/** How long things last, and what a lead has been through. */
export const lives: Case[] = [
  [
    'a lead does not expire',
    ({ table, key }) => damage(table, key.lead, { ttl: 4_000_000_000 }),
    (w) => [`${lead(w)} has a ttl, at which DynamoDB deletes it: remove the attribute ttl.`],
  ],
  [
    'a phone item does not expire',
    ({ table, key }) => damage(table, key.phone, { ttl: 1 }),
    ({ key }) => [
      `The item ${named(key.phone)} has a ttl, at which DynamoDB deletes it: remove the attribute ttl.`,
    ],
  ],
  [
    'an API key does not expire by a ttl',
    ({ table, key }) => damage(table, key.apiKey, { ttl: 4_000_000_000 }),
    ({ key }) => [
      `The item ${named(key.apiKey)} has a ttl, at which DynamoDB deletes it: remove the attribute ttl.`,
    ],
  ],
  [
    'a timeline entry does not expire',
    ({ table, key }) => damage(table, key.opening, { ttl: 4_000_000_000 }),
    ({ key }) => [
      `The timeline entry ${named(key.opening)} has a ttl, at which DynamoDB deletes it: remove the attribute ttl.`,
    ],
  ],
  [
    'settings do not expire',
    ({ table }) => damage(table, settingsPrimaryKey(1), { ttl: 4_000_000_000 }),
    () => [
      'The item ORG#1 / SETTINGS has a ttl, at which DynamoDB deletes it: remove the attribute ttl.',
    ],
  ],
  [
    'a record expires',
    ({ table, key }) => damage(table, key.record, { ttl: null }),
    ({ key }) => [
      `The idempotency record ${named(key.record)} has the ttl missing, which must be expiresAt in seconds: delete the item.`,
    ],
  ],
  [
    'a record expires a day after its capture',
    ({ table, key }) => damage(table, key.record, { expiresAt: farAway, ttl: farAway / 1000 }),
    ({ key }) => [
      `The idempotency record ${named(key.record)} expires at ${farAway}, more than 24 hours from now: delete the item.`,
    ],
  ],
  [
    'a record names the lead of its capture',
    ({ table, key, a }) => damage(table, key.record, { 'result.id': a.id }),
    ({ key, a, b, keyId }) => [
      `The idempotency record ${named(key.record)} names lead ${a.id} of organization 1, whose timeline has no capture by key ${keyId} at ${b.createdAt}: delete the record, or look for the enquiry in a backup.`,
    ],
  ],
  [
    'an enquiry that a record remembers is on the timeline',
    ({ table, key }) => remove(table, key.enquiry),
    ({ key, b, keyId }) => [
      `Lead ${b.id} of organization 1 has no opening entry (lead_created or captured_new) on its timeline ${key.enquiry.pk}.`,
      `The idempotency record ${named(key.record)} names lead ${b.id} of organization 1, whose timeline has no capture by key ${keyId} at ${b.createdAt}: delete the record, or look for the enquiry in a backup.`,
    ],
  ],
  [
    "an organization's window ends within an hour",
    ({ table }) => damage(table, usagePrimaryKey(1), { used: 3000, windowEndsAt: farAway }),
    () => [
      `Organization 1 has a window that ends more than an hour from now, at windowEndsAt ${farAway}: once its requests are used up, all are refused until then. Set windowEndsAt to 0.`,
    ],
  ],
  [
    "a key's window ends within an hour",
    ({ table, key }) => damage(table, key.apiKey, { windowEndsAt: farAway }),
    ({ keyId }) => [
      `API key ${keyId} of organization 1 has a window that ends more than an hour from now, at windowEndsAt ${farAway}: once its requests are used up, all are refused until then. Set windowEndsAt to 0.`,
    ],
  ],
  [
    'settings have one default pipeline',
    ({ table, settings }) =>
      damage(table, settingsPrimaryKey(1), {
        'settings.pipelines': settings.pipelines.map((one) => ({ ...one, isDefault: true })),
      }),
    () => [
      `${noFile} $.pipelines[1].isDefault is true, as in $.pipelines[0]: only one pipeline can be the default. Apply a settings file that is right.`,
    ],
  ],
  [
    'an assignment rule names users who are there',
    ({ table }) =>
      damage(table, settingsPrimaryKey(1), { 'settings.assignmentRules': [{ users: [99] }] }),
    () => [
      `${noFile} $.assignmentRules[0].users[0] is user 99, who is not in $.users: use the ID of a user in $.users. Apply a settings file that is right.`,
    ],
  ],
  [
    "a lead's stage was changed with an entry",
    ({ table, key }) => damage(table, key.lead, { stageId: 12, stageKey: 'STAGE#1#12' }),
    (w) => [unexplained(w.a.id)],
  ],
  [
    "a lead's field was changed with an entry",
    ({ table, key }) => damage(table, key.lead, { 'fields.city': 'Pune' }),
    (w) => [unexplained(w.a.id)],
  ],
  [
    'a change has its entry',
    ({ table, key, a }) => {
      const updatedAt = new Date(Date.parse(a.updatedAt) + 1).toISOString();
      return damage(table, key.lead, { version: 2, updatedAt });
    },
    (w) => [changed(w, 2, new Date(Date.parse(w.a.updatedAt) + 1).toISOString())],
  ],
  [
    'an entry of a change has its change',
    ({ table, key, a }) => {
      const at = new Date(Date.parse(a.updatedAt) + 1).toISOString();
      const entry = { type: 'lead_updated', at, actorId: 7, via: 'api', keyId: 'x', changes: [] };
      return put(table, { pk: key.opening.pk, sk: `${at}#zz`, ...entry });
    },
    (w) => [
      `${lead(w)} has the version 1, updated at ${w.a.updatedAt}, but by its timeline it must have the version 2, updated at ${new Date(Date.parse(w.a.updatedAt) + 1).toISOString()}: an entry is missing, or the lead was changed without one.`,
    ],
  ],
  [
    'a lead was archived with an entry',
    async ({ table, key, a }) => {
      const archivedAt = a.updatedAt;
      const index = { stageKey: null, ownerKey: null, sourceKey: null, updateKey: null };
      await damage(table, key.lead, { archivedAt, ...index });
    },
    (w) => [
      `${lead(w)} is archived since ${w.a.updatedAt}, but by its timeline it is not archived: npm run admin -- lead archive or restore sets it right.`,
    ],
  ],
  [
    'a change of an imported lead has its entry',
    async ({ table, key, a }) => {
      await damage(table, key.opening, { via: 'import', importedAt: a.createdAt });
      await damage(table, key.lead, { version: 2 });
    },
    (w) => [
      `${lead(w)} has the version 2, but its timeline tells of no change since the import: an entry is missing, or the lead was changed without one.`,
    ],
  ],
  [
    'a lead was created when its timeline begins',
    ({ table, key }) => damage(table, key.lead, { createdAt: '2020-01-01T00:00:00.000Z' }),
    (w) => [
      `${lead(w)} was created at 2020-01-01T00:00:00.000Z, but its timeline begins at ${w.a.createdAt}.`,
    ],
  ],
  [
    'a lead was not updated in the future',
    ({ table, key }) => damage(table, key.lead, { updatedAt: later }),
    (w) => [`${lead(w)} has the updatedAt ${later}, ${inFuture}.`, changed(w, 1, later)],
  ],
  [
    'an entry is not of the future',
    ({ table, key, a }) =>
      put(table, {
        pk: timelinePartitionKey(1, a.id),
        sk: `${later}#zz`,
        type: 'note_added',
        at: later,
        actorId: 7,
        keyId: key.apiKey.pk,
      }),
    ({ a }) => [
      `The timeline entry ${timelinePartitionKey(1, a.id)} / ${later}#zz has the time ${later}, ${inFuture}.`,
    ],
  ],
  [
    'an audit log entry is not of the future',
    ({ table }) =>
      put(table, { pk: 'HISTORY#1', sk: `${later}#zz`, at: later, who: 'x', what: 'y' }),
    () => [`The item HISTORY#1 / ${later}#zz has the at ${later}, ${inFuture}.`],
  ],
  [
    'settings were not applied in the future',
    ({ table }) => damage(table, settingsPrimaryKey(1), { appliedAt: later }),
    () => [`Organization 1 has the appliedAt ${later}, ${inFuture}.`],
  ],
  [
    'a large lead says its size',
    async ({ table, key, a }) => {
      const fields = { ...a.fields, remarks: 'x'.repeat(300_000) };
      await damage(table, key.lead, { fields });
    },
    (w) => [`${lead(w)} has the size largeKb missing, which must be 320.`, unexplained(w.a.id)],
  ],
  [
    'a small lead says no size',
    ({ table, key }) => damage(table, key.lead, { largeKb: 64 }),
    (w) => [`${lead(w)} has the size largeKb 64, which must be absent.`],
  ],
];
