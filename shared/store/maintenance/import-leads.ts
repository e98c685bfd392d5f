import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { emailOf, type Lead, LeadIdsExhaustedError, phoneOf } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import { limits } from '../../limits.ts';
import { identityPrimaryKeys, putIdentities } from '../leads/identities.ts';
import { putLead } from '../leads/leads.ts';
import { putTimelineEntry } from '../leads/timeline.ts';
import { batchGet } from '../table/batch-get.ts';
import type { Table } from '../table/client.ts';
import { importedRowPrimaryKey, usagePrimaryKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { putIfAbsent, transact } from '../table/transact.ts';

/** What an import looks up of a row before it writes: a hint, the transaction's conditions are the proof. */
export interface RowLookup {
  /** Of what the row says. */
  readonly digest: string;
  readonly phone: string;
  readonly email: string | undefined;
}

export interface RowMatches {
  /** The lead that this row has become before. */
  readonly importedLeadId: number | undefined;
  readonly phoneLeadId: number | undefined;
  readonly emailLeadId: number | undefined;
}

/** The most rows of one look-up: `BatchGetItem` takes 100 keys, a row has three. */
export const rowsPerLookUp = 33;

/** Which rows are leads already, and who has their phones and e-mails; parallel to the rows. A read unit for each key. */
export async function findRows(table: Table, organizationId: number, rows: readonly RowLookup[]): Promise<RowMatches[]> {
  const keys = rows.map(({ digest, phone, email }) => [
    importedRowPrimaryKey(organizationId, digest),
    ...identityPrimaryKeys(organizationId, phone, email),
  ]);
  // Two rows may share a phone, and a batch may not name a key twice.
  const distinct = [...new Map(keys.flat().map((key) => [key.pk, key])).values()];
  const items = await batchGet(table, distinct);
  const leadIds = new Map(distinct.map(({ pk }, index) => [pk, items[index]?.leadId as number | undefined]));
  return keys.map(([row, phone, email]) => ({
    importedLeadId: leadIds.get(row?.pk ?? ''),
    phoneLeadId: leadIds.get(phone?.pk ?? ''),
    emailLeadId: leadIds.get(email?.pk ?? ''),
  }));
}

export type ImportLeadResult =
  | { readonly outcome: 'created' }
  /** Another run made a lead of the same row. */
  | { readonly outcome: 'imported'; readonly leadId: number }
  | { readonly outcome: 'duplicate'; readonly what: 'phone' | 'email' | 'lead id'; readonly leadId: number };

/**
 * Writes an imported lead, its identity items, its first timeline entry and the item that remembers its row: all or none, so that the
 * same row never makes a second lead. One transaction of 4 or 5 items.
 * @throws StillContended
 */
export async function importLead(table: Table, lead: Lead, opening: TimelineEntry, digest: string): Promise<ImportLeadResult> {
  const row = { ...importedRowPrimaryKey(lead.organizationId, digest), organizationId: lead.organizationId, leadId: lead.id };
  const items = [
    putIfAbsent(table, row),
    putLead(table, lead),
    ...putIdentities(table, lead),
    putTimelineEntry(table, lead, opening),
  ];
  return retryOnConflict<ImportLeadResult>(async () => {
    const written = await transact(table, items);
    if (written.outcome === 'conflict') return conflict;
    if (written.outcome === 'written') return { outcome: 'created' };
    const [sameRow, , phone, email] = written.existing;
    if (sameRow) return { outcome: 'imported', leadId: sameRow.leadId as number };
    if (phone) return { outcome: 'duplicate', what: 'phone', leadId: phone.leadId as number };
    if (email && emailOf(lead) !== null) return { outcome: 'duplicate', what: 'email', leadId: email.leadId as number };
    return { outcome: 'duplicate', what: 'lead id', leadId: lead.id };
  });
}

export const lookupOf = (digest: string, lead: Pick<Lead, 'fields'>): RowLookup => ({
  digest,
  phone: phoneOf(lead),
  email: emailOf(lead) ?? undefined,
});

/** Takes lead ids out of the organization's sequence, as many at once. @returns the first; the last, where no more are left, is refused. */
export async function reserveLeadIds(table: Table, organizationId: number, count: number): Promise<number> {
  const last = await advance(table, organizationId, 'ADD lastLeadId :count', 'lastLeadId <= :most', {
    ':count': count,
    ':most': limits.idMax - count,
  });
  if (last === undefined) throw new LeadIdsExhaustedError(`Organization ${organizationId} has no lead ids left.`);
  return last - count + 1;
}

/** Moves the organization's sequence beyond an id that an imported lead keeps, so that no new lead gets it. */
export async function passLeadId(table: Table, organizationId: number, leadId: number): Promise<void> {
  await advance(table, organizationId, 'SET lastLeadId = :id', 'lastLeadId < :id', { ':id': leadId });
}

/** @returns the sequence after it; undefined when the condition did not hold */
async function advance(
  table: Table,
  organizationId: number,
  expression: string,
  condition: string,
  values: Record<string, number>,
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
      return Attributes?.lastLeadId as number;
    } catch (error) {
      if (error instanceof TransactionConflictException) return conflict; // settings are being applied
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  });
}
