import { changeTimeOf } from '../../leads/changes.ts';
import { identitiesIn, identitiesOf } from '../../leads/erasure/erasure.ts';
import {
  type Identities,
  identitiesAmong,
  isEmailIdentity,
  PersonSearch,
} from '../../leads/erasure/person-search.ts';
import type { Lead } from '../../leads/lead.ts';
import { identityKeysOf } from '../leads/identities.ts';
import { readLead } from '../leads/leads.ts';
import { newEntryId, putTimelineEntry, readTimelineItems } from '../leads/timeline.ts';
import { auditEntryPut, completeErasureEntry } from '../organizations/audit-log.ts';
import { batchGet } from '../table/batch-get.ts';
import type { OrganizationTable } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { AuditEntryItem, ErasureItem } from '../table/items.ts';
import { deleteItems, queryAll } from '../table/many-items.ts';
import { untilVisible, withoutWrites } from '../table/pacing.ts';
import {
  erasurePrimaryKey,
  keyOf,
  leadPrimaryKey,
  type PrimaryKey,
} from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { transact } from '../table/transact.ts';
import {
  deletion,
  exists,
  hasVersion,
  namesNobodyBut,
  put,
  type Write,
  writeItem,
} from '../table/writes.ts';
import {
  type ErasedPerson,
  FoundItems,
  heldByOthers,
  type RelatedItems,
  removeRelatedItems,
} from './erase-related-items.ts';

export interface EraseOptions {
  /** Who runs the erasure, for the audit log. */
  readonly who: string;
  /** The action to which the erasure belongs, such as a restore. */
  readonly partOf?: string;
  /** Keeps leads that are not inactive since this time, because they may have changed after they were chosen. ISO 8601, UTC. */
  readonly inactiveSince?: string | undefined;
  /** Called with the number of started erasures. */
  readonly onBegun?: ((leads: number) => void) | undefined;
  /** Called with the number of items read so far. */
  readonly onProgress?: ((itemsRead: number) => void) | undefined;
}

interface ErasedLead extends OrganizationTable {
  readonly leadId: number;
}

export interface Erased extends RelatedItems {
  /** Entries of the lead's own timeline. */
  readonly timelineEntries: number;
  readonly phones: readonly string[];
  readonly emails: readonly string[];
}

/**
 * Erases leads and their people. Deletes each lead with its identity items and timeline, and the idempotency records and imported rows that
 * name it. Removes the person's phones and emails from other leads' timelines. Reads the whole table once, however many leads it erases.
 *
 * The person's phones and emails are all that the lead has or had, except those that another lead has now. A lead that was created after
 * the erasure started keeps its entries: the person may have come back while the erasure was interrupted, or while it read the table.
 *
 * The first transaction of each erasure deletes the lead and its identity items. It adds an audit entry, which says that the erasure has
 * begun, until it is complete. It stores an item that says what is left to do. It ends the timeline with an entry `erased`, which comes
 * last in the table's stream, and is removed last. From then on, no request or import can add anything to the lead, and a capture of the
 * same person creates a new lead. Repeating the erasure completes it, even after a crash.
 * @returns what was erased, by lead ID. Omits leads that were kept, and leads that do not exist and have no unfinished erasure
 * @throws ContentionError
 */
export async function eraseLeads(
  scope: OrganizationTable,
  leadIds: readonly number[],
  options: EraseOptions,
): Promise<ReadonlyMap<number, Erased>> {
  const { onBegun = () => undefined, onProgress = () => undefined } = options;
  const erasures: ErasureItem[] = [];
  for (const leadId of new Set(leadIds)) {
    const erasure = await beginErasure({ ...scope, leadId }, options);
    if (erasure) erasures.push(erasure);
    onBegun(erasures.length);
  }
  // Waits once for all leads: items of a note or an enquiry that was accepted just before may not be visible yet.
  if (erasures.length > 0) await untilVisible(scope.table);
  const begun: Begun[] = [];
  for (const erasure of erasures) begun.push(await withTimeline(scope, erasure));
  const erased = new Set(begun.map(({ leadId }) => leadId));
  const people: Begun[] = [];
  for (const person of begun) {
    const { leadId, search } = person;
    search.forget(await heldByOthers(scope, erased, search.identities));
    // If it returns false, another process has completed the erasure.
    if (await storePerson({ ...scope, leadId }, search.identities)) people.push(person);
  }
  if (people.length === 0) return new Map();
  await removeRelatedItems(scope, people, onProgress);
  for (const { entries } of people) await deleteItems(scope.table, entries);
  for (const person of people) {
    // As long as the entry `erased` exists, nobody reads the other entries. So it is deleted after them, not in the same batch, which is no
    // transaction.
    await deleteItems(scope.table, person.ends);
    await endErasure(scope, person);
  }
  return new Map(
    people.map(({ leadId, search, entries, found }) => [
      leadId,
      { ...found.inOrder, timelineEntries: entries.length, ...byKind(search.identities) },
    ]),
  );
}

/** Previews `eraseLeads`. Reads the whole table once; writes nothing. */
export const planErasures = (
  scope: OrganizationTable,
  leadIds: readonly number[],
  progress: Pick<EraseOptions, 'onBegun' | 'onProgress'>,
): Promise<ReadonlyMap<number, Erased>> =>
  eraseLeads({ ...scope, table: withoutWrites(scope.table) }, leadIds, {
    ...progress,
    who: 'a dry run',
  });

/** The leads whose erasure has started but is not complete. */
export const unfinishedErasures = async ({
  table,
  organizationId,
}: OrganizationTable): Promise<number[]> => {
  const { pk } = erasurePrimaryKey(organizationId, 0);
  return (await queryAll<ErasureItem>(table, pk)).map(({ leadId }) => leadId);
};

/** A started erasure, and what it removes. */
interface Begun extends ErasedPerson {
  /** The entries of the lead's own timeline. */
  readonly entries: readonly PrimaryKey[];
  /** The entries `erased`, which are removed after all other entries. */
  readonly ends: readonly PrimaryKey[];
  readonly auditEntries: ErasureItem['auditEntries'];
}

async function withTimeline(
  scope: OrganizationTable,
  { leadId, phones, emails, auditEntries }: ErasureItem,
): Promise<Begun> {
  const timeline = await readTimelineItems(scope, leadId);
  return {
    leadId,
    auditEntries,
    found: new FoundItems(),
    // There are several entries if an erasure of an earlier lead with this ID is also unfinished.
    begunAt: Object.values(auditEntries)
      .map(({ at }) => at)
      .toSorted()
      .at(-1),
    search: new PersonSearch([...phones, ...emails, ...identitiesIn(timeline)]),
    entries: timeline.filter(({ type }) => type !== 'erased').map(keyOf),
    ends: timeline.filter(({ type }) => type === 'erased').map(keyOf),
  };
}

const byKind = (identities: Identities) => ({
  phones: identities.filter((identity) => !isEmailIdentity(identity)),
  emails: identities.filter(isEmailIdentity),
});

/**
 * Deletes the lead, and stores an item that says what is still to be removed.
 * @returns that item; undefined if the lead is kept, or if there is neither a lead nor an unfinished erasure
 */
async function beginErasure(
  { table, organizationId, leadId }: ErasedLead,
  { who, partOf, inactiveSince }: EraseOptions,
): Promise<ErasureItem | undefined> {
  const what = `${partOf === undefined ? '' : `${partOf}: `}lead erase ${leadId}`;
  return retryOnConflict(async () => {
    const lead = await readLead(table, organizationId, leadId);
    const before = await getItem(table, erasurePrimaryKey(organizationId, leadId));
    if (!lead) return before;
    if (inactiveSince !== undefined) {
      const entries = await readTimelineItems({ table, organizationId }, leadId);
      // The version also counts entries that are not visible yet.
      const isInactive = lead.updatedAt < inactiveSince && entries.length === lead.version;
      if (!isInactive || entries.some(({ sk }) => sk >= inactiveSince)) return undefined;
    }
    const { phones = [], emails = [], auditEntries } = before ?? {};
    // In a partly restored table, an identity item may name another lead or be missing. If a new lead's item is not visible yet, its
    // deletion conflicts.
    const identityItems = await batchGet(table, identityKeysOf(lead));
    const ownKeys = identityKeysOf(lead).filter(
      (key) => (identityItems.get(key)?.leadId ?? leadId) === leadId,
    );
    const at = changeTimeOf(lead, new Date());
    // The audit entry and the timeline's last entry share an ID: `lead timelines` prints the first, and the event has the second.
    const id = newEntryId(at);
    const entry = { at, who, what, leadIds: [leadId], erasedLeadId: leadId };
    const ended = { ...entry, state: 'finished', ...(!partOf && { cleanedLeadIds: [] }) } as const;
    const erasure: ErasureItem = {
      organizationId,
      leadId,
      ...byKind(identitiesAmong([...identitiesOf(lead), ...phones, ...emails])),
      // An unfinished erasure of an earlier lead with this ID has an entry too.
      auditEntries: { ...auditEntries, [id]: ended },
    };
    const { outcome } = await transact(table, [
      ...ownKeys.map((key) => deletion(key, namesNobodyBut(leadId))),
      ...beginItems(lead, { erasure, entry: { ...entry, state: 'started' }, id }),
    ]);
    return outcome === 'written' ? erasure : conflict;
  });
}

interface BegunErasure {
  readonly erasure: ErasureItem;
  /** The entry of the audit log. */
  readonly entry: AuditEntryItem;
  /** The ID of that entry and of the timeline's last entry. */
  readonly id: string;
}

/** Part of a transaction: deletes a lead that has not changed since it was read, stores what is left to do, and ends the timeline. */
export const beginItems = (lead: Lead, { erasure, entry, id }: BegunErasure): Write[] => [
  deletion(leadPrimaryKey(lead.organizationId, lead.id), hasVersion(lead.version)),
  put({ ...erasurePrimaryKey(lead.organizationId, lead.id), ...erasure }),
  auditEntryPut(lead.organizationId, entry, id),
  putTimelineEntry(lead, { type: 'erased', at: entry.at, actorId: null }, id),
];

/**
 * Stores the phones and emails that the lead's timeline named, because the timeline is deleted before the erasure ends.
 * @returns false if the erasure has ended meanwhile: the timeline that was read may belong to a later lead with the same ID
 */
function storePerson(
  { table, organizationId, leadId }: ErasedLead,
  identities: Identities,
): Promise<boolean> {
  const { phones, emails } = byKind(identities);
  return writeItem(table, {
    Update: {
      Key: erasurePrimaryKey(organizationId, leadId),
      UpdateExpression: 'SET phones = :phones, emails = :emails',
      ...exists,
      ExpressionAttributeValues: { ':phones': phones, ':emails': emails },
    },
  });
}

/**
 * Completes the erasure's audit entries, then deletes the item that says what is left to do. If another process has done so, this one may
 * have cleaned other leads since, and adds them.
 */
async function endErasure(
  scope: OrganizationTable,
  { leadId, auditEntries, found }: Begun,
): Promise<void> {
  for (const [id, entry] of Object.entries(auditEntries))
    await completeErasureEntry(scope, id, entry, found.cleanedLeads);
  await writeItem(scope.table, deletion(erasurePrimaryKey(scope.organizationId, leadId)));
}
