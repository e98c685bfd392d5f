import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { changeTimeOf } from '../../leads/change-time.ts';
import { identitiesOf, joinedIdentities } from '../../leads/erasure/erasure.ts';
import type { Identities } from '../../leads/erasure/person-search.ts';
import { emailOf, type Lead, phoneOf } from '../../leads/lead.ts';
import {
  deleteEmail,
  deletePhone,
  holdersIn,
  type IdentityHolders,
  identityOf,
  identityPrimaryKeys,
} from '../leads/identities.ts';
import { readLead } from '../leads/leads.ts';
import { newEntryId, putTimelineEntry } from '../leads/timeline.ts';
import { auditEntryPut, putAuditEntry } from '../organizations/audit-log.ts';
import { batchGet } from '../table/batch-get.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { ErasureItem } from '../table/items.ts';
import { erasurePrimaryKey, leadPrimaryKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { type TransactItem, transact } from '../table/transact.ts';
import { deleteItems } from './delete-items.ts';
import { type RelatedItems, removeRelatedItems } from './erase-related-items.ts';
import { readOwnTimeline, searchFor } from './erased-person.ts';

export interface EraseOptions {
  /** Who erases, for the audit log. */
  readonly who: string;
  /** The action that the erasure is part of, such as a restore. */
  readonly partOf?: string;
  readonly onProgress?: EraseProgress | undefined;
}

/** Called with the number of items read so far. */
type EraseProgress = (itemsRead: number) => void;

export interface Erased extends RelatedItems, Identities {
  /** Entries of the lead's own timeline. */
  readonly timelineEntries: number;
}

/**
 * Erases a lead and its person. Deletes the lead with its identity items and timeline, and the idempotency records and imported rows that
 * refer to it. Removes the person's phones and emails from other leads' timelines. Reads the whole table once.
 *
 * The person's phones and emails are those that the lead has or had. One that another lead has now is that lead's, and a lead that was created
 * after the erasure began keeps its entries: the person may have come back since, if the erasure was interrupted, or while it reads the table.
 *
 * The first transaction deletes the lead and its identity items, adds an audit entry, which says that the erasure has begun until it is
 * complete, and stores an item that says what is left to do. It ends the timeline with an entry `erased`, which the table's stream has after
 * all others, and which is removed after them. From then on no request or import can add anything to the lead, and a capture of the same
 * person creates a new lead. A repeat of the erasure, even after a crash, completes it.
 * @returns undefined if there is neither such a lead nor an unfinished erasure of it
 * @throws ContentionError
 */
export async function eraseLead(
  table: Table,
  organizationId: number,
  leadId: number,
  options: EraseOptions,
): Promise<Erased | undefined> {
  const own = { table, organizationId };
  const begun = await beginErasure(own, leadId, options);
  if (!begun) return undefined;
  const timeline = await readOwnTimeline(own, leadId);
  const search = await searchFor(own, leadId, joinedIdentities(begun, timeline.identities));
  if (!(await storePerson(own, leadId, search.identities))) return undefined; // another process has completed it
  const relatedItems = await removeRelatedItems(table, {
    organizationId,
    leadId,
    search,
    begunAt: begun.begunAt,
    isDryRun: false,
    onProgress: options.onProgress ?? (() => undefined),
  });
  await deleteItems(table, timeline.keys);
  await deleteItems(table, timeline.ends); // not in a batch with others, which is no transaction
  await endErasure(own, leadId);
  return { ...relatedItems, timelineEntries: timeline.keys.length, ...search.identities };
}

/** What `eraseLead` would do now. Reads the whole table once; writes nothing. */
export async function planErasure(
  table: Table,
  organizationId: number,
  leadId: number,
  onProgress: EraseProgress = () => undefined,
): Promise<Erased | undefined> {
  const own = { table, organizationId };
  const { lead, begun } = await readErasure(own, leadId);
  if (!lead && !begun) return undefined;
  const identities = joinedIdentities(lead ? identitiesOf(lead) : nobody, begun ?? nobody);
  const timeline = await readOwnTimeline(own, leadId);
  const search = await searchFor(own, leadId, joinedIdentities(identities, timeline.identities));
  const relatedItems = await removeRelatedItems(table, {
    organizationId,
    leadId,
    search,
    begunAt: begun?.begunAt,
    isDryRun: true,
    onProgress,
  });
  return { ...relatedItems, timelineEntries: timeline.keys.length, ...search.identities };
}

const nobody: Identities = { phones: [], emails: [] };

/** The lead, and the person's identities if an erasure has begun. */
async function readErasure(
  { table, organizationId }: OrganizationTable,
  leadId: number,
): Promise<{ lead: Lead | undefined; begun: BegunErasure | undefined }> {
  const lead = await readLead(table, organizationId, leadId);
  const erasure = await getItem(table, erasurePrimaryKey(organizationId, leadId));
  if (!erasure) return { lead, begun: undefined };
  const { phones, emails, auditEntries } = erasure;
  const begunAt = Object.values(auditEntries)
    .map(({ at }) => at)
    .toSorted()
    .at(-1);
  return { lead, begun: { phones, emails, begunAt, auditEntries } };
}

/** The person of an erasure, and when it began. If an erasure of an earlier lead of this ID is unfinished, the time is the later one's. */
interface ErasedPerson extends Identities {
  readonly begunAt: string | undefined;
}

interface BegunErasure extends ErasedPerson {
  readonly auditEntries: ErasureItem['auditEntries'];
}

/** Deletes the lead and stores what is still to be removed. @returns the person's identities, as far as the lead has them */
async function beginErasure(
  own: OrganizationTable,
  leadId: number,
  { who, partOf }: EraseOptions,
): Promise<ErasedPerson | undefined> {
  const { table, organizationId } = own;
  const what = `${partOf === undefined ? '' : `${partOf}: `}lead erase ${leadId}`;
  return retryOnConflict(async () => {
    const { lead, begun } = await readErasure(own, leadId);
    if (!lead) return begun;
    const person = joinedIdentities(identitiesOf(lead), begun ?? nobody);
    const email = emailOf(lead);
    // Of a lead that a backup has in part, an item may be missing, or may already name another lead.
    const { phoneLeadId, emailLeadId } = await readHolders(table, lead);
    const at = changeTimeOf(lead, new Date()).toISOString();
    // One ID for both: the audit log's is what `lead timelines` prints, the timeline's is what the event has.
    const id = newEntryId(at);
    const entry = { at, who, what, erasedLeadId: leadId };
    // An unfinished erasure of an earlier lead of this ID has an entry too.
    const auditEntries = { ...begun?.auditEntries, [id]: entry };
    const erasure: ErasureItem = { organizationId, leadId, ...person, auditEntries };
    const { outcome } = await transact(table, [
      deleteLead(table, lead),
      ...(phoneLeadId === leadId ? [deletePhone(table, lead, phoneOf(lead))] : []),
      ...(email !== null && emailLeadId === leadId ? [deleteEmail(table, lead, email)] : []),
      {
        Put: {
          TableName: table.name,
          Item: { ...erasurePrimaryKey(organizationId, leadId), ...erasure },
        },
      },
      auditEntryPut(table, organizationId, { ...entry, what: `${what} begun` }, id),
      putTimelineEntry(table, lead, { type: 'erased', at, actorId: null }, id),
    ]);
    return outcome === 'written' ? { ...person, begunAt: at } : conflict;
  });
}

const readHolders = async (table: Table, lead: Lead): Promise<IdentityHolders> => {
  const identity = identityOf(lead);
  return holdersIn(await batchGet(table, identityPrimaryKeys(identity)), identity);
};

/** Part of a transaction: deletes the lead, if it has not changed since it was read. */
const deleteLead = (table: Table, { organizationId, id, version }: Lead): TransactItem => ({
  Delete: {
    TableName: table.name,
    Key: { ...leadPrimaryKey(organizationId, id) },
    ConditionExpression: '#version = :read',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':read': version },
  },
});

/**
 * Stores the identities that the lead's timeline named, because the timeline is deleted before the erasure ends.
 * @returns false if the erasure has ended meanwhile: what was read as the lead's timeline may be that of a later lead of the same ID
 */
async function storePerson(
  { table, organizationId }: OrganizationTable,
  leadId: number,
  { phones, emails }: Identities,
): Promise<boolean> {
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: erasurePrimaryKey(organizationId, leadId),
        UpdateExpression: 'SET phones = :phones, emails = :emails',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':phones': phones, ':emails': emails },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** Completes the erasure's audit entries, then deletes the item that said what was left to do. */
async function endErasure(
  { table, organizationId }: OrganizationTable,
  leadId: number,
): Promise<void> {
  const key = erasurePrimaryKey(organizationId, leadId);
  const { auditEntries = {} } = (await getItem(table, key)) ?? {};
  const endedAt = new Date().toISOString();
  for (const [id, entry] of Object.entries(auditEntries))
    await putAuditEntry(table, organizationId, { ...entry, endedAt }, id);
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...key } }));
}
