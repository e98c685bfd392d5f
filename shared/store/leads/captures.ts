import { type Capture, type Captured, captureRecord } from '../../leads/capture.ts';
import type { IdempotencyRecord } from '../../leads/idempotency.ts';
import { comparableEmail } from '../../leads/identity.ts';
import { emailOf, type Lead, phoneOf } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import { batchGet } from '../table/batch-get.ts';
import type { Table } from '../table/client.ts';
import { idempotencyPrimaryKey, keyText, leadPrimaryKey } from '../table/primary-keys.ts';
import { conflict } from '../table/retry.ts';
import { type TransactItem, transact } from '../table/transact.ts';
import { liveRecord, putRecord } from './idempotency.ts';
import {
  holdersIn,
  type IdentityHolders,
  identityPrimaryKeys,
  type LeadIdentity,
  putEmail,
  putIdentities,
} from './identities.ts';
import { checkLead, checkLeadExists, leadUpdateItem, putLead, readLead } from './leads.ts';
import { putChangeEntry, putTimelineEntry } from './timeline.ts';

/** The person captured, and the keys under which repeats of the capture are found. */
export interface CaptureLookup extends LeadIdentity {
  /** The API key's id. */
  readonly keyId: string;
  readonly idempotencyKeys: readonly string[];
}

/** What a capture reads before it writes. It is a hint: only the transaction's conditions prove it. */
export interface CaptureMatches extends IdentityHolders {
  /** In the order of the lookup's idempotency keys. */
  readonly records: readonly (IdempotencyRecord | undefined)[];
}

/** Reads the idempotency records and the identity items: one `BatchGetItem`, one read unit per item. */
export async function findForCapture(table: Table, lookup: CaptureLookup): Promise<CaptureMatches> {
  const recordKeys = lookup.idempotencyKeys.map((key) => idempotencyPrimaryKey(lookup.keyId, key));
  const items = await batchGet(table, [...recordKeys, ...identityPrimaryKeys(lookup)]);
  const now = new Date();
  return {
    records: recordKeys.map((key) => liveRecord(items.get(key), now)),
    ...holdersIn(items, lookup),
  };
}

/**
 * The lead that a capture matches, archived or not: by phone, else by email. One read if the identity items named a lead.
 * @returns `conflict` if since the first read the phone has moved to another lead, or the lead was erased
 */
export async function findMatch(
  table: Table,
  { organizationId, phone, email }: CaptureLookup,
  { phoneLeadId, emailLeadId }: CaptureMatches,
): Promise<Lead | undefined | typeof conflict> {
  const leadId = phoneLeadId ?? emailLeadId;
  if (leadId === undefined) return undefined;
  const lead = await readLead(table, organizationId, leadId);
  if (!lead) return conflict;
  const stillHolds =
    phoneLeadId === undefined
      ? comparableEmail(emailOf(lead) ?? '') === comparableEmail(email ?? '')
      : phoneOf(lead) === phone;
  return stillHolds ? lead : conflict;
}

/** What a capture writes besides the lead: its timeline entry, and the records that its repeats find. */
export interface CaptureRecord {
  readonly lookup: CaptureLookup;
  readonly entry: TimelineEntry;
  readonly record: IdempotencyRecord;
  readonly now: Date;
}

const recordItems = (table: Table, { lookup, record, now }: CaptureRecord): TransactItem[] =>
  lookup.idempotencyKeys.map((key) =>
    putRecord(table, idempotencyPrimaryKey(lookup.keyId, key), record, now),
  );

/**
 * Writes the captured lead and the capture's records: all or none. One transaction of up to 6 items.
 * @param match the lead that the capture matched, as it was read
 * @returns false on a conflict with another request
 */
export function writeCapture(
  table: Table,
  capture: Capture,
  match: Lead | undefined,
  captured: Captured,
): Promise<boolean> {
  const record = captureRecord(capture, captured);
  return match
    ? captureMatchedLead(table, match, captured.lead, record)
    : captureNewLead(table, captured.lead, record);
}

/** Writes a new lead and the capture's records: all or none. One transaction of up to 6 items. @returns false on a conflict with another request */
export async function captureNewLead(
  table: Table,
  lead: Lead,
  record: CaptureRecord,
): Promise<boolean> {
  const written = await transact(table, [
    putLead(table, lead),
    ...putIdentities(table, lead),
    putChangeEntry(table, lead, record.entry),
    ...recordItems(table, record),
  ]);
  return written.outcome === 'written';
}

/**
 * Writes the fields that a capture fills of a lead, and the capture's records: all or none. If it fills nothing (`after` is `before`),
 * the lead's version is checked but the lead is not written.
 * @returns false on a conflict with another request
 */
async function captureMatchedLead(
  table: Table,
  before: Lead,
  after: Lead,
  record: CaptureRecord,
): Promise<boolean> {
  const newEmail = emailOf(before) === null ? emailOf(after) : null;
  const isFilled = after !== before;
  const written = await transact(table, [
    isFilled ? leadUpdateItem(table, before, after) : checkLead(table, before),
    ...(newEmail === null ? [] : [putEmail(table, after, newEmail)]),
    (isFilled ? putChangeEntry : putTimelineEntry)(table, after, record.entry),
    ...recordItems(table, record),
  ]);
  return written.outcome === 'written';
}

/**
 * Stores the record of an earlier capture under the idempotency keys that have none, unless its lead has since been erased: the
 * erasure would not find these records.
 * @returns false on a conflict with another request
 */
export async function recordUnderOtherKeys(
  table: Table,
  { organizationId, keyId, idempotencyKeys }: CaptureLookup,
  { records }: CaptureMatches,
  record: IdempotencyRecord,
): Promise<boolean> {
  const keys = idempotencyKeys.filter((_, index) => !records[index]);
  if (keys.length === 0) return true;
  const now = new Date();
  const written = await transact(table, [
    checkLeadExists(table, organizationId, record.result.id),
    ...keys.map((key) => putRecord(table, idempotencyPrimaryKey(keyId, key), record, now)),
  ]);
  const isErased =
    written.outcome === 'refused' &&
    written.failed.has(keyText(leadPrimaryKey(organizationId, record.result.id)));
  return written.outcome === 'written' || isErased;
}
