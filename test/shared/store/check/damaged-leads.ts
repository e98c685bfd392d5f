import { comparableEmail } from '../../../../shared/leads/identity.ts';
import { emailOf, phoneOf } from '../../../../shared/leads/lead.ts';
import { setArchived } from '../../../../shared/store/leads/archive.ts';
import {
  leadPrimaryKey,
  phonePrimaryKey,
  timelinePartitionKey,
  usagePrimaryKey,
} from '../../../../shared/store/table/primary-keys.ts';
import { type Case, damage, named, put, remove, stranger, type World } from './given-table.ts';

const lead = ({ a }: World) => `Lead ${a.id} of organization 1`;

export const unexplained = (leadId: number): string =>
  `Lead ${leadId} of organization 1 has a stage, pipeline or field that its timeline does not explain: it was changed without an entry. Compare it with a backup.`;
/** Of a lead that was never changed. */
export const changed = (w: World, version: number, updatedAt: string, openedAt = w.a.createdAt) =>
  `${lead(w)} has the version ${version}, updated at ${updatedAt}, but by its timeline it must have the version 1, updated at ${openedAt}: an entry is missing, or the lead was changed without one.`;

export const identities: Case[] = [
  [
    "a lead's phone has its item",
    ({ table, key }) => remove(table, key.phone),
    (w) => [
      `${lead(w)} has the phone ${phoneOf(w.a)}, but the item ${named(w.key.phone)} is not there.`,
    ],
  ],
  [
    "a lead's email has its item",
    ({ table, key }) => remove(table, key.email),
    (w) => [
      `${lead(w)} has the email ${comparableEmail(emailOf(w.a) ?? '')}, but the item ${named(w.key.email)} is not there.`,
    ],
  ],
  [
    'a phone item names the lead that has the phone',
    ({ table, key, b }) => damage(table, key.phone, { leadId: b.id }),
    ({ key, b }) => [
      `The item ${named(key.phone)} names lead ${b.id} of organization 1, whose phone is ${phoneOf(b)}.`,
    ],
  ],
  [
    'an email item names the lead that has the email',
    ({ table, key, b }) => damage(table, key.email, { leadId: b.id }),
    ({ key, b }) => [
      `The item ${named(key.email)} names lead ${b.id} of organization 1, whose email is ${comparableEmail(emailOf(b) ?? '')}.`,
    ],
  ],
  [
    'a phone item names a lead that is there',
    ({ table }) => put(table, { ...phonePrimaryKey(1, stranger), leadId: 77 }),
    () => [
      `The item ${named(phonePrimaryKey(1, stranger))} names lead 77 of organization 1, which is not there.`,
    ],
  ],
  [
    'an email item names a lead that has an email',
    async ({ table, key }) => damage(table, key.lead, { 'fields.email': null }),
    ({ key, a }) => [
      `The item ${named(key.email)} names lead ${a.id} of organization 1, which has no email.`,
      unexplained(a.id),
    ],
  ],
  [
    'a phone item names a lead at all',
    ({ table, key }) => damage(table, key.phone, { leadId: 'x' }),
    ({ key }) => [`The item ${named(key.phone)} names no lead.`],
  ],
  [
    'a changed phone leaves no item behind, and has one',
    ({ table, key }) => damage(table, key.lead, { 'fields.phone': stranger }),
    (w) => [
      `${lead(w)} has the phone ${stranger}, but the item ${named(phonePrimaryKey(1, stranger))} is not there.`,
      `The item ${named(w.key.phone)} names lead ${w.a.id} of organization 1, whose phone is ${stranger}.`,
      unexplained(w.a.id),
    ],
  ],
  [
    'no two leads have a phone',
    async ({ table, a, b }) => {
      await damage(table, leadPrimaryKey(1, b.id), { 'fields.phone': phoneOf(a) });
      await remove(table, phonePrimaryKey(1, phoneOf(b)));
    },
    ({ a, b, key }) => [
      `Lead ${b.id} of organization 1 has the phone ${phoneOf(a)}, and so has lead ${a.id}, which the item ${named(key.phone)} names.`,
      unexplained(b.id),
    ],
  ],
];

export const timelines: Case[] = [
  [
    'a lead has an opening entry',
    ({ table, key }) => remove(table, key.opening),
    (w) => [
      `${lead(w)} has no opening entry (lead_created or captured_new) on its timeline ${w.key.opening.pk}.`,
    ],
  ],
  [
    'a lead has no second opening entry',
    async ({ table, key, a }) => {
      const entry = { type: 'captured_new', at: a.createdAt, actorId: 7 };
      await put(table, { ...entry, pk: key.opening.pk, sk: `${a.createdAt}#zz` });
    },
    (w) => [
      `${lead(w)} has 2 opening entries (${w.key.opening.sk}, ${w.a.createdAt}#zz) on its timeline ${w.key.opening.pk}.`,
    ],
  ],
  [
    'a timeline belongs to a lead',
    ({ table, a }) =>
      put(table, {
        pk: timelinePartitionKey(1, 78),
        sk: `${a.createdAt}#zz`,
        type: 'note_added',
        at: a.createdAt,
        actorId: 7,
      }),
    () => ['The timeline TIMELINE#1#78 has entries, but organization 1 has no lead 78.'],
  ],
  [
    'an entry is of a known type',
    ({ table, key, a }) =>
      put(table, {
        pk: key.opening.pk,
        sk: `${a.createdAt}#zz`,
        type: 'lost',
        at: a.createdAt,
        actorId: null,
      }),
    ({ key, a }) => [
      `The timeline entry ${key.opening.pk} / ${a.createdAt}#zz has the type "lost", which is none of lead_created, captured_new, captured, lead_updated, note_added, archived, restored.`,
    ],
  ],
  [
    'an entry was made by a user of the organization',
    ({ table, key }) => damage(table, key.opening, { actorId: 99 }),
    ({ key }) => [
      `The timeline entry ${named(key.opening)} was made by user 99, whom the organization does not have.`,
    ],
  ],
  [
    'an entry lies at its time',
    ({ table, key }) => damage(table, key.opening, { at: '2020-01-01T00:00:00.000Z' }),
    (w) => [
      `The timeline entry ${named(w.key.opening)} has the time "2020-01-01T00:00:00.000Z", which is not that of its key.`,
      `${lead(w)} was created at ${w.a.createdAt}, but its timeline begins at 2020-01-01T00:00:00.000Z.`,
      changed(w, 1, w.a.createdAt, '2020-01-01T00:00:00.000Z'),
    ],
  ],
];

const index = 'has an index attribute that disagrees with it:';
export const leads: Case[] = [
  [
    'a stage is there',
    ({ table, key }) => damage(table, key.lead, { stageId: 99, stageKey: 'STAGE#1#99' }),
    (w) => [
      `${lead(w)} is in stage 99, which the organization does not have.`,
      unexplained(w.a.id),
    ],
  ],
  [
    'a pipeline is there',
    ({ table, key }) => damage(table, key.lead, { pipelineId: 9 }),
    (w) => [
      `${lead(w)} is in pipeline 9, which the organization does not have.`,
      unexplained(w.a.id),
    ],
  ],
  [
    "a stage is one of the lead's pipeline",
    ({ table, key }) => damage(table, key.lead, { pipelineId: 2 }),
    (w) => [
      `${lead(w)} is in pipeline 2, but its stage 11 belongs to pipeline 1.`,
      unexplained(w.a.id),
    ],
  ],
  [
    'a source is there',
    ({ table, key }) => damage(table, key.lead, { 'fields.source': 9, sourceKey: 'SOURCE#1#9' }),
    (w) => [
      `${lead(w)} has 9 in the field source, which must be the id of a source.`,
      unexplained(w.a.id),
    ],
  ],
  [
    'an owner is there',
    ({ table, key }) =>
      damage(table, key.lead, { 'fields.assigned_to': 99, ownerKey: 'OWNER#1#99' }),
    (w) => [
      `${lead(w)} has 99 in the field assigned_to, which must be the id of a user.`,
      unexplained(w.a.id),
    ],
  ],
  [
    'stageKey agrees',
    ({ table, key }) => damage(table, key.lead, { stageKey: 'STAGE#1#12' }),
    (w) => [`${lead(w)} ${index} stageKey is "STAGE#1#12" and must be "STAGE#1#11".`],
  ],
  [
    'ownerKey agrees',
    ({ table, key }) => damage(table, key.lead, { ownerKey: null }),
    (w) => [`${lead(w)} ${index} ownerKey is missing and must be "OWNER#1#7".`],
  ],
  [
    'sourceKey agrees',
    ({ table, key }) => damage(table, key.lead, { 'fields.source': null }),
    (w) => [
      `${lead(w)} ${index} sourceKey is "SOURCE#1#1" and must be absent.`,
      unexplained(w.a.id),
    ],
  ],
  [
    'updateKey agrees',
    ({ table, key }) => damage(table, key.lead, { updateKey: 'UPDATED#2' }),
    (w) => [`${lead(w)} ${index} updateKey is "UPDATED#2" and must be "UPDATED#1".`],
  ],
  [
    'an archived lead is in no index',
    async ({ table, key, a }) => {
      await setArchived(table, 1, a.id, { archived: true });
      await damage(table, key.lead, { ownerKey: 'OWNER#1#7' });
    },
    (w) => [
      `${lead(w)} ${index} ownerKey is "OWNER#1#7" and must be absent, as the lead is archived.`,
    ],
  ],
  [
    'a name is there',
    ({ table, key }) => damage(table, key.lead, { 'fields.name': null }),
    (w) => [`${lead(w)} has no name.`, unexplained(w.a.id)],
  ],
  [
    'a field is there',
    ({ table, key }) => damage(table, key.lead, { 'fields.shoe': 'x' }),
    (w) => [
      `${lead(w)} has a value in the field "shoe", which the organization does not have.`,
      unexplained(w.a.id),
    ],
  ],
  [
    'a version counts writes',
    ({ table, key }) => damage(table, key.lead, { version: 0 }),
    (w) => [
      `${lead(w)} has the version 0, which must be a number of writes.`,
      changed(w, 0, w.a.updatedAt),
    ],
  ],
  [
    'a date-time is one',
    ({ table, key }) => damage(table, key.lead, { updatedAt: 'today' }),
    (w) => [
      `${lead(w)} has the updatedAt "today", which is not a date-time.`,
      changed(w, 1, 'today'),
    ],
  ],
  [
    'an update is not before the creation',
    ({ table, key }) => damage(table, key.lead, { updatedAt: '2020-01-01T00:00:00.000Z' }),
    (w) => [
      `${lead(w)} was updated at 2020-01-01T00:00:00.000Z, before it was created at ${w.a.createdAt}.`,
      changed(w, 1, '2020-01-01T00:00:00.000Z'),
    ],
  ],
  [
    'an id is one that was given',
    ({ table }) => damage(table, usagePrimaryKey(1), { lastLeadId: 1 }),
    ({ b }) => [
      `Lead ${b.id} of organization 1 has an id beyond 1, the last one that the usage item has assigned.`,
    ],
  ],
];
