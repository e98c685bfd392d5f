import {
  ConditionalCheckFailedException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { emailOf, type Lead, phoneOf } from '../../leads/lead.ts';
import { LeadIdsExhaustedError } from '../../leads/new-lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import { limits } from '../../limits.ts';
import {
  holdersIn,
  type IdentityHolders,
  identityOf,
  identityPrimaryKeys,
  putIdentities,
} from '../leads/identities.ts';
import { putLead } from '../leads/leads.ts';
import { newLastEntryId, putChangeEntry, putTimelineEntry } from '../leads/timeline.ts';
import { batchGet } from '../table/batch-get.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import type { ImportedRowItem, UsageItem } from '../table/items.ts';
import {
  erasurePrimaryKey,
  importedRowPrimaryKey,
  keyText,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { putIfAbsent, ThrottledError, type TransactItem, transact } from '../table/transact.ts';

/** How the table knows a row. */
export interface RowDigests {
  /** Of the row's values as the file has them. */
  readonly digest: string;
  /** Of the values that the import reads from them, which depend on its options. */
  readonly readDigest: string;
}

/** What an import looks up before it writes a row. The result is a hint: only the transaction's conditions prove it. */
export interface RowLookup {
  /** Of the row's values. */
  readonly digest: string;
  readonly phone: string;
  readonly email: string | undefined;
}

export interface RowMatches extends IdentityHolders {
  /** The record of an earlier run that imported this row. */
  readonly importedRow: ImportedRowItem | undefined;
}

/** The most rows of one lookup: `BatchGetItem` accepts 100 keys, and a row has three. */
export const rowsPerLookUp = 33;

/** Which rows are leads already, and which leads have their phones and emails, in the order of the rows. A read unit for each key. */
export async function findRows(
  table: Table,
  organizationId: number,
  rows: readonly RowLookup[],
): Promise<RowMatches[]> {
  const lookups = rows.map(({ digest, phone, email }) => ({
    rowKey: importedRowPrimaryKey(organizationId, digest),
    identity: { organizationId, phone, email },
  }));
  const keys = lookups.flatMap(({ rowKey, identity }) => [
    rowKey,
    ...identityPrimaryKeys(identity),
  ]);
  const items = await batchGet(table, keys);
  return lookups.map(({ rowKey, identity }) => ({
    importedRow: items.get(rowKey),
    ...holdersIn(items, identity),
  }));
}

/** The records of rows that earlier attempts imported; undefined for a row that is not a lead. A read unit for each row. */
export async function importedRows(
  table: Table,
  organizationId: number,
  digests: readonly string[],
): Promise<(ImportedRowItem | undefined)[]> {
  const keys = digests.map((digest) => importedRowPrimaryKey(organizationId, digest));
  const items = await batchGet(table, keys);
  return keys.map((key) => items.get(key));
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
  /** An earlier lead of the same id is being erased. */
  | { readonly outcome: 'erasing' };

/** A lead of a row that is ready to be written. */
export interface ImportedLead {
  readonly lead: Lead;
  readonly entries: ImportedEntries;
  readonly digests: RowDigests;
  /** Whether the row may name the lead's id. */
  readonly keepsId: boolean;
}

/** The timeline of an imported lead. */
export interface ImportedEntries {
  readonly opening: TimelineEntry;
  /** Of the same time as the opening, which it follows. */
  readonly note: TimelineEntry | undefined;
}

/** The most leads of one transaction: it may have 100 items (AWS: TransactWriteItems), and a lead has up to 7. */
const leadsPerTransaction = 14;

/** What became of a lead in a transaction of many: unknown if that may have been carried out without an answer. */
export type WrittenTogether = 'written' | 'not written' | 'unknown';

/**
 * Writes imported leads, many in one transaction: as many units as `importLead` for each, but a fraction of the calls.
 * @returns what became of each lead. `importLead` tells of one that is not written, and of one that may be: that it is imported, or why it
 * cannot be
 */
export async function importTogether(
  table: Table,
  leads: readonly ImportedLead[],
): Promise<WrittenTogether[]> {
  const transactions = Math.ceil(leads.length / leadsPerTransaction);
  const size = Math.ceil(leads.length / transactions);
  const parts = Array.from({ length: transactions }, (_, part) =>
    leads.slice(part * size, (part + 1) * size),
  );
  const written = await Promise.all(
    parts.map(async (part) => {
      const outcome = part.length > 1 ? await writeTogether(table, part) : 'not written';
      return part.map(() => outcome);
    }),
  );
  return written.flat();
}

/** One condition that fails, or any error, is that of one of many leads: written alone, it shows again. */
const writeTogether = (table: Table, leads: readonly ImportedLead[]): Promise<WrittenTogether> =>
  transact(
    table,
    leads.flatMap((one) => itemsOf(table, one)),
  ).then(
    ({ outcome }) => (outcome === 'written' ? 'written' : 'not written'),
    (error: unknown) => (error instanceof ThrottledError ? 'not written' : 'unknown'),
  );

function itemsOf(
  table: Table,
  { lead, entries: { opening, note }, digests: { digest, readDigest }, keepsId }: ImportedLead,
): TransactItem[] {
  const { organizationId, id: leadId } = lead;
  const rowKey = importedRowPrimaryKey(organizationId, digest);
  return [
    putIfAbsent(table, { ...rowKey, organizationId, leadId, readDigest }),
    putLead(table, lead),
    ...putIdentities(table, lead),
    putChangeEntry(table, lead, opening),
    ...(note ? [putTimelineEntry(table, lead, note, newLastEntryId(note.at))] : []),
    ...(keepsId ? [noErasureOf(table, lead)] : []),
  ];
}

/** Part of a transaction: an erasure of an earlier lead of the same id would delete this one's timeline and the item of its row. */
const noErasureOf = (table: Table, { organizationId, id }: Lead): TransactItem => ({
  ConditionCheck: {
    TableName: table.name,
    Key: { ...erasurePrimaryKey(organizationId, id) },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/**
 * Writes an imported lead, its identity items, its timeline and the item of its row: all or none, so that the same row is never imported
 * twice. One transaction of 4 to 7 items.
 * @throws ContentionError
 */
export async function importLead(table: Table, imported: ImportedLead): Promise<ImportLeadResult> {
  const { lead, digests } = imported;
  const { organizationId, id: leadId } = lead;
  const rowKey = importedRowPrimaryKey(organizationId, digests.digest);
  const items = itemsOf(table, imported);
  return retryOnConflict<ImportLeadResult>(async () => {
    const written = await transact(table, items);
    if (written.outcome === 'conflict') return conflict;
    if (written.outcome === 'written') return { outcome: 'created' };
    const sameRow = written.existing.get(rowKey);
    if (sameRow) return { outcome: 'imported', importedRow: sameRow };
    const { phoneLeadId, emailLeadId } = holdersIn(written.existing, identityOf(lead));
    if (phoneLeadId !== undefined)
      return { outcome: 'duplicate', what: 'phone', leadId: phoneLeadId };
    if (emailLeadId !== undefined)
      return { outcome: 'duplicate', what: 'email', leadId: emailLeadId };
    if (written.failed.has(keyText(erasurePrimaryKey(organizationId, leadId))))
      return { outcome: 'erasing' };
    return { outcome: 'duplicate', what: 'lead id', leadId };
  });
}

export const lookupOf = (digest: string, lead: Pick<Lead, 'fields'>): RowLookup => ({
  digest,
  phone: phoneOf(lead),
  email: emailOf(lead) ?? undefined,
});

/** Reserves consecutive lead ids of the organization. One write. @returns the first @throws LeadIdsExhaustedError */
export async function reserveLeadIds(
  table: Table,
  organizationId: number,
  count: number,
): Promise<number> {
  const last = await advance(
    { table, organizationId },
    {
      expression: 'ADD lastLeadId :count',
      condition: 'lastLeadId <= :most',
      values: { ':count': count, ':most': limits.idMax - count },
    },
  );
  if (last === undefined)
    throw new LeadIdsExhaustedError(`Organization ${organizationId} has no lead ids left.`);
  return last - count + 1;
}

/** Advances the organization's sequence past an id that an imported lead keeps, so that no new lead gets it. One write. */
export async function passLeadId(
  table: Table,
  organizationId: number,
  leadId: number,
): Promise<void> {
  const update = {
    expression: 'SET lastLeadId = :id',
    condition: 'lastLeadId < :id',
    values: { ':id': leadId },
  };
  await advance({ table, organizationId }, update);
}

interface SequenceUpdate {
  readonly expression: string;
  readonly condition: string;
  readonly values: Readonly<Record<string, number>>;
}

/** @returns the new end of the sequence; undefined if the condition did not hold */
async function advance(
  { table, organizationId }: OrganizationTable,
  { expression, condition, values }: SequenceUpdate,
): Promise<number | undefined> {
  return retryOnConflict(async () => {
    try {
      const { Attributes } = await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: usagePrimaryKey(organizationId),
          UpdateExpression: expression,
          ConditionExpression: condition,
          ExpressionAttributeValues: values,
          ReturnValues: 'UPDATED_NEW',
        }),
      );
      return (Attributes as Pick<UsageItem, 'lastLeadId'>).lastLeadId;
    } catch (error) {
      if (error instanceof TransactionConflictException) return conflict; // settings are being applied
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  });
}
