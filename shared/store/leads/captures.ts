import type { IdempotencyRecord } from '../../leads/idempotency.ts';
import { comparableEmail } from '../../leads/identity.ts';
import { emailOf, type Lead, phoneOf } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import { batchGet } from '../table/batch-get.ts';
import type { Table } from '../table/client.ts';
import { idempotencyPrimaryKey } from '../table/primary-keys.ts';
import { conflict } from '../table/retry.ts';
import { transact } from '../table/transact.ts';
import { liveRecord, putRecord } from './idempotency.ts';
import { identityPrimaryKeys, putEmail, putIdentities } from './identities.ts';
import { checkLead, checkLeadExists, leadUpdateItem, putLead, readLead } from './leads.ts';
import { putTimelineEntry } from './timeline.ts';

/** Who is captured, and under which keys that is remembered. */
export interface CaptureLookup {
  readonly organizationId: number;
  /** The API key's id. */
  readonly keyId: string;
  readonly idempotencyKeys: readonly string[];
  /** E.164; undefined when the text sent is no phone number. */
  readonly phone: string | undefined;
  readonly email: string | undefined;
}

/** What a capture finds before it writes: a hint, the transaction's conditions are the proof. */
export interface CaptureMatches {
  /** Parallel to the idempotency keys asked for. */
  readonly records: readonly (IdempotencyRecord | undefined)[];
  readonly phoneLeadId: number | undefined;
  readonly emailLeadId: number | undefined;
}

/** Reads the idempotency records and who has the phone and the e-mail: one `BatchGetItem`, one read unit per item. */
export async function findForCapture(table: Table, lookup: CaptureLookup): Promise<CaptureMatches> {
  const { organizationId, keyId, idempotencyKeys, phone, email } = lookup;
  const recordKeys = idempotencyKeys.map((key) => idempotencyPrimaryKey(keyId, key));
  const items = await batchGet(table, [...recordKeys, ...identityPrimaryKeys(organizationId, phone, email)]);
  const now = new Date();
  const [first, second] = items.slice(recordKeys.length).map((item) => item?.leadId as number | undefined);
  return {
    records: items.slice(0, recordKeys.length).map((item) => liveRecord(item, now)),
    phoneLeadId: phone === undefined ? undefined : first,
    emailLeadId: phone === undefined ? first : second,
  };
}

/**
 * The lead that a capture matches, archived ones too: by phone, else by e-mail. One read where one was found.
 * Between the two reads a phone can move to another lead, or a lead be erased: then another request was met.
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
    phoneLeadId === undefined ? comparableEmail(emailOf(lead) ?? '') === comparableEmail(email ?? '') : phoneOf(lead) === phone;
  return stillHolds ? lead : conflict;
}

/** What a capture leaves behind besides the lead: its entry on the timeline, and the records that its repeats find. */
export interface CaptureRecord {
  readonly lookup: CaptureLookup;
  readonly entry: TimelineEntry;
  readonly record: IdempotencyRecord;
  readonly now: Date;
}

const captureRecordItems = (table: Table, lead: Lead, { lookup, entry, record, now }: CaptureRecord) => [
  putTimelineEntry(table, lead, entry),
  ...lookup.idempotencyKeys.map((key) => putRecord(table, lookup.keyId, key, record, now)),
];

/** Writes a captured new lead and its trace, all or none; false when another request was met. One transaction of up to 6 items. */
export async function captureNewLead(table: Table, lead: Lead, record: CaptureRecord): Promise<boolean> {
  const written = await transact(table, [
    putLead(table, lead),
    ...putIdentities(table, lead),
    ...captureRecordItems(table, lead, record),
  ]);
  return written.outcome === 'written';
}

/**
 * Writes what a capture fills of a lead as it was read, and its trace, all or none; false when another request was met.
 * Nothing filled (`after` is the lead itself): the lead is checked, not written.
 */
export async function captureMatchedLead(table: Table, before: Lead, after: Lead, record: CaptureRecord): Promise<boolean> {
  const newEmail = emailOf(before) === null ? emailOf(after) : null;
  const written = await transact(table, [
    after === before ? checkLead(table, before) : leadUpdateItem(table, before, after),
    ...(newEmail === null ? [] : [putEmail(table, after, newEmail)]),
    ...captureRecordItems(table, before, record),
  ]);
  return written.outcome === 'written';
}

/**
 * Remembers a known capture under further keys too; false when another request was met. A lead that has been erased meanwhile
 * is remembered under no further key: its erasure would not find it.
 */
export async function recordUnder(
  table: Table,
  { organizationId, keyId }: Pick<CaptureLookup, 'organizationId' | 'keyId'>,
  keys: readonly string[],
  record: IdempotencyRecord,
): Promise<boolean> {
  if (keys.length === 0) return true;
  const now = new Date();
  const written = await transact(table, [
    checkLeadExists(table, organizationId, record.result.id),
    ...keys.map((key) => putRecord(table, keyId, key, record, now)),
  ]);
  return written.outcome === 'written' || (written.outcome === 'refused' && written.failed[0] === true);
}
