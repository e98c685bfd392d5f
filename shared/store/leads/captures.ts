import type { Capture, CaptureDecision } from '../../leads/capture.ts';
import type { IdempotencyKey, IdempotencyRecord } from '../../leads/idempotency.ts';
import { comparableEmail } from '../../leads/identity.ts';
import type { Lead } from '../../leads/lead.ts';
import { batchGet } from '../table/batch-get.ts';
import type { Table } from '../table/client.ts';
import type { IdempotencyItem } from '../table/items.ts';
import {
  idempotencyPrimaryKey,
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
} from '../table/primary-keys.ts';
import { conflict } from '../table/retry.ts';
import { transact } from '../table/transact.ts';
import { put, type Write } from '../table/writes.ts';
import { newLeadWrites } from './create-lead.ts';
import { holdersIn, type IdentityHolder, identityPrimaryKeys } from './identities.ts';
import { checkLeadExists, countEntryOf, readLead } from './leads.ts';
import { putTimelineEntry } from './timeline.ts';
import { changedLeadWrites } from './update-lead.ts';

/** What a capture reads before it writes. It may be outdated: the transaction's conditions check it. */
export interface CaptureMatches {
  /** The lead that has the phone, then the lead that has the email. */
  readonly holders: readonly IdentityHolder[];
  /** In the order of the capture's idempotency keys. */
  readonly records: readonly (IdempotencyRecord | undefined)[];
}

/** Reads the idempotency records and the identity items: one `BatchGetItem`, one read unit per item. */
export async function findForCapture(table: Table, capture: Capture): Promise<CaptureMatches> {
  const recordKeys = capture.keys.map(({ value }) => idempotencyPrimaryKey(capture.keyId, value));
  const items = await batchGet(table, [...recordKeys, ...identityPrimaryKeys(capture)]);
  const now = new Date();
  return {
    records: recordKeys.map((key) => liveRecord(items.get(key), now)),
    holders: holdersIn(items, capture),
  };
}

/**
 * The lead that a capture matches, archived or not: by phone or, if none has the phone, by email. Costs one read if an identity item named
 * a lead.
 * @returns `conflict` if, since the first read, the phone has moved to another lead or the lead was erased
 */
export async function findMatch(
  table: Table,
  { organizationId, phone, email }: Capture,
  { holders: [holder] }: CaptureMatches,
): Promise<Lead | undefined | typeof conflict> {
  if (!holder) return undefined;
  const lead = await readLead(table, organizationId, holder.leadId);
  if (!lead) return conflict;
  const stillHolds =
    holder.field === 'email'
      ? comparableEmail(lead.fields.email ?? '') === comparableEmail(email ?? '')
      : lead.fields.phone === phone;
  return stillHolds ? lead : conflict;
}

/**
 * Writes the decision of a capture in one transaction. For a new lead: the lead, its phone, its email if it has one, and a timeline entry.
 * For a match: the lead, a timeline entry, and an email that was filled. Each idempotency key, of which a capture has none to two, adds a
 * record that its repeats find. A replay whose keys all have their record writes nothing.
 * @returns false on a conflict with another request
 */
export async function writeCapture(
  table: Table,
  { organizationId, keyId, keys }: Capture,
  decision: CaptureDecision,
): Promise<boolean> {
  const { record } = decision;
  const putRecords = (under: readonly IdempotencyKey[]): Write[] =>
    under.map(({ value }) => putRecord(idempotencyPrimaryKey(keyId, value), record));
  if (decision.outcome !== 'replay') {
    const { outcome } = await transact(table, [...leadItems(decision), ...putRecords(keys)]);
    return outcome === 'written';
  }
  if (decision.unrecorded.length === 0) return true;
  const leadId = record.result.id;
  const written = await transact(table, [
    checkLeadExists(organizationId, leadId),
    ...putRecords(decision.unrecorded),
  ]);
  // The record's lead has been erased since. The erasure would not find another record.
  const isErased =
    written.outcome === 'refused' &&
    written.failed.has(keyText(leadPrimaryKey(organizationId, leadId)));
  return written.outcome === 'written' || isErased;
}

/** The writes for a new lead, or for the fields that a capture fills. If it fills none, only the lead's version changes. */
function leadItems(decision: Exclude<CaptureDecision, { outcome: 'replay' }>): Write[] {
  const { lead, entry } = decision;
  if (decision.outcome === 'new') return newLeadWrites(lead, entry);
  const { match } = decision;
  return lead === match
    ? [countEntryOf(match), putTimelineEntry(lead, entry)]
    : changedLeadWrites(match, lead, entry);
}

/** A record that has not expired. Compares the expiry itself, because TTL deletes late. */
function liveRecord(item: IdempotencyItem | undefined, now: Date): IdempotencyRecord | undefined {
  if (!item || item.expiresAt <= now.getTime()) return undefined;
  const { fingerprint, expiresAt } = item;
  const { id, created, updated, archived } = item.result;
  // DynamoDB returns a map in any order, but a replay must have the order of the first response.
  return {
    fingerprint,
    result: { id, created, updated, ...(archived && { archived }) },
    expiresAt,
  };
}

/** Part of a transaction: stores the record of a capture, unless this key has an unexpired record. */
const putRecord = (key: PrimaryKey<IdempotencyItem>, record: IdempotencyRecord): Write =>
  put(
    { ...key, ...record, ttl: Math.ceil(record.expiresAt / 1000) },
    {
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': Date.now() },
    },
  );
