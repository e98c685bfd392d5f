import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { limits } from '../../contract/limits.ts';
import type { Lead } from '../../leads/lead.ts';
import { LeadIdsExhaustedError } from '../../leads/new-lead.ts';
import { newLeadWrites } from '../leads/create-lead.ts';
import {
  firstHolderIn,
  holdersIn,
  type IdentityHolder,
  identityOf,
  identityPrimaryKeys,
  type LeadIdentity,
} from '../leads/identities.ts';
import { newLastEntryId, putTimelineEntry } from '../leads/timeline.ts';
import { countReference } from '../organizations/replace-settings.ts';
import { batchGet } from '../table/batch-get.ts';
import { type Table, usableUntil } from '../table/client.ts';
import type { ImportedRowItem } from '../table/items.ts';
import { allSettled } from '../table/pacing.ts';
import {
  erasurePrimaryKey,
  type ItemsByKey,
  importedRowPrimaryKey,
  keyText,
  settingsPrimaryKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { ContentionError, conflict, ifConditionHolds, retryOnConflict } from '../table/retry.ts';
import { ThrottledError, transact } from '../table/transact.ts';
import { check, isAbsent, putIfAbsent, type Write } from '../table/writes.ts';

/** The digests by which the table identifies a row. */
export interface RowDigests {
  /** Digest of the row's values as they are in the file. */
  readonly digest: string;
  /** Digest of the values that the import reads from them, which depends on its options. */
  readonly readDigest: string;
}

interface RowLookup {
  readonly digests: RowDigests;
  readonly identity: Pick<LeadIdentity, 'phone' | 'email'> & {
    /** Takes precedence over `phone`: the row means a lead with this phone, or else one with `phone`. */
    readonly storedPhone: string | undefined;
  };
}

/** What an import reads before it writes a row. It may be outdated: the transaction's conditions check it. */
export interface RowMatches {
  /** The lead that has the phone, then the lead that has the email. */
  readonly holders: readonly IdentityHolder[];
  /** The record of an earlier run that imported this row. */
  readonly importedRow: ImportedRowItem | undefined;
}

/** The maximum number of rows in a lookup: `BatchGetItem` accepts 100 keys, and a row has three. */
export const rowsPerLookUp = 33;

/** Adds to each row whether it was already imported, and which leads have its phone and email. A read unit for each key. */
export async function findRows<Row extends RowLookup>(
  table: Table,
  organizationId: number,
  rows: readonly Row[],
): Promise<(Row & RowMatches)[]> {
  const keysOf = ({ digests: { digest }, identity: { storedPhone, phone, email } }: Row) => ({
    rowKey: importedRowPrimaryKey(organizationId, digest),
    identities: [storedPhone ?? phone, phone].map((text) => ({
      organizationId,
      email,
      phone: text,
    })),
  });
  const items = await batchGet(
    table,
    rows.flatMap((row) => {
      const { rowKey, identities } = keysOf(row);
      return [rowKey, ...identities.flatMap(identityPrimaryKeys)];
    }),
  );
  return rows.map((row) => {
    const { rowKey, identities } = keysOf(row);
    const holders = identities.map((identity) => holdersIn(items, identity));
    const ofPhone = holders.find(([first]) => first?.field === 'phone');
    return { ...row, importedRow: items.get(rowKey), holders: ofPhone ?? holders[0] ?? [] };
  });
}

export type ImportLeadResult =
  | { readonly outcome: 'created' }
  /** Another run has imported the same row. */
  | { readonly outcome: 'imported'; readonly importedRow: ImportedRowItem }
  | {
      readonly outcome: 'duplicate';
      readonly what: 'phone' | 'email' | 'lead id';
      readonly leadId: number;
    }
  /** An earlier lead with the same ID is being erased. */
  | { readonly outcome: 'erasing' }
  /** The settings no longer have `settingsVersion`. */
  | { readonly outcome: 'settingsChanged' }
  /** Nothing was written: other requests kept changing the same items, or DynamoDB throttled. */
  | { readonly outcome: 'contended' | 'throttled' };

/** A row's lead, ready to be written. */
export interface ImportedLead {
  readonly lead: Lead;
  /** Follows the creation on the lead's timeline. */
  readonly note: string | undefined;
  /** Who runs the import. */
  readonly by: string;
  readonly digests: RowDigests;
  /** Whether the lead keeps the ID that the row names. */
  readonly keepsId: boolean;
  /** Set if the lead refers to an inactive item: it is written only if the settings have this version. */
  readonly settingsVersion?: number | undefined;
}

function writesOf({
  lead,
  note: text,
  by,
  digests: { digest, readDigest },
  keepsId,
  settingsVersion,
}: ImportedLead): Write[] {
  const { organizationId, id: leadId, createdAt: at } = lead;
  const rowKey = importedRowPrimaryKey(organizationId, digest);
  const importedAt = new Date().toISOString();
  const origin = { at, actorId: null, by, via: 'import', importedAt } as const;
  const opening = { type: 'lead_created', ...origin } as const;
  return [
    putIfAbsent({ ...rowKey, organizationId, leadId, readDigest }),
    ...newLeadWrites({ ...lead, version: text === undefined ? 1 : 2 }, opening),
    ...(text === undefined
      ? []
      : [putTimelineEntry(lead, { type: 'note_added', ...origin, text }, newLastEntryId(at))]),
    // An erasure of an earlier lead with the same ID would delete this lead's timeline and the item of its row.
    ...(keepsId ? [check(erasurePrimaryKey(organizationId, leadId), isAbsent)] : []),
    ...(settingsVersion === undefined ? [] : [countReference(organizationId, settingsVersion)]),
  ];
}

/**
 * Writes leads in parallel, until the deadline. Leads that refer to an inactive item are written one after the other, because each of them
 * increments a counter in the settings. They have no deadline, because their transactions check the settings.
 */
export function importLeads<Imported extends ImportedLead>(
  table: Table,
  leads: readonly Imported[],
  deadline: AbortSignal,
): Promise<(Imported & { readonly result: ImportLeadResult })[]> {
  const limited = usableUntil(table, deadline);
  let before: Promise<unknown> = Promise.resolve();
  const results = leads.map(async (lead) => {
    if (lead.settingsVersion === undefined)
      return { ...lead, result: await importLead(limited, lead) };
    const result = before.then(() => importLead(table, lead));
    before = result.catch(() => undefined);
    return { ...lead, result: await result };
  });
  return allSettled(results);
}

/**
 * Writes an imported lead, its identity items, its timeline and its row's item together, so that the same row is never imported twice. One
 * transaction of 4 to 8 items.
 */
export async function importLead(table: Table, imported: ImportedLead): Promise<ImportLeadResult> {
  const writes = writesOf(imported);
  try {
    return await retryOnConflict<ImportLeadResult>(async () => {
      const written = await transact(table, writes);
      if (written.outcome === 'conflict') return conflict;
      return written.outcome === 'written' ? { outcome: 'created' } : refusalOf(imported, written);
    });
  } catch (error) {
    if (error instanceof ThrottledError) return { outcome: 'throttled' };
    if (error instanceof ContentionError) return { outcome: 'contended' };
    throw error;
  }
}

/** Why a lead was not written. */
function refusalOf(
  { lead, digests: { digest } }: ImportedLead,
  { existing, failed }: { existing: ItemsByKey; failed: ReadonlySet<string> },
): ImportLeadResult {
  const { organizationId, id: leadId } = lead;
  const sameRow = existing.get(importedRowPrimaryKey(organizationId, digest));
  // If the record names this very lead, an earlier attempt wrote it.
  if (sameRow?.leadId === leadId) return { outcome: 'created' };
  if (sameRow) return { outcome: 'imported', importedRow: sameRow };
  const holder = firstHolderIn(existing, identityOf(lead));
  if (holder) return { outcome: 'duplicate', what: holder.field, leadId: holder.leadId };
  if (failed.has(keyText(erasurePrimaryKey(organizationId, leadId)))) return { outcome: 'erasing' };
  if (failed.has(keyText(settingsPrimaryKey(organizationId))))
    return { outcome: 'settingsChanged' };
  return { outcome: 'duplicate', what: 'lead id', leadId };
}

/** Reserves consecutive lead IDs of the organization. One write. @returns the first ID @throws LeadIdsExhaustedError */
export async function reserveLeadIds(
  table: Table,
  organizationId: number,
  count: number,
): Promise<number> {
  const last = await advance(table, organizationId, {
    UpdateExpression: 'ADD lastLeadId :count',
    ConditionExpression: 'lastLeadId <= :most',
    ExpressionAttributeValues: { ':count': count, ':most': limits.idMax - count },
  });
  if (last === undefined)
    throw new LeadIdsExhaustedError(`Organization ${organizationId} has no lead ids left.`);
  return last - count + 1;
}

/** Advances the organization's sequence past an ID that is taken, so that no new lead gets it. One write. */
export async function passLeadId(
  table: Table,
  organizationId: number,
  leadId: number,
): Promise<void> {
  await advance(table, organizationId, {
    UpdateExpression: 'SET lastLeadId = :id',
    // A restored backup may lack the item.
    ConditionExpression: 'attribute_not_exists(lastLeadId) OR lastLeadId < :id',
    ExpressionAttributeValues: { ':id': leadId },
  });
}

/** @returns the new end of the sequence; undefined if the condition did not hold */
async function advance(
  table: Table,
  organizationId: number,
  update: Omit<UpdateCommandInput, 'TableName' | 'Key'>,
): Promise<number | undefined> {
  const Key = usagePrimaryKey(organizationId);
  const input = { TableName: table.name, Key, ...update, ReturnValues: 'UPDATED_NEW' } as const;
  const written = await retryOnConflict(() =>
    ifConditionHolds(table.client.send(new UpdateCommand(input))),
  );
  return written?.Attributes?.lastLeadId;
}
