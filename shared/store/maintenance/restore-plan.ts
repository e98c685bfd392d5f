import { isDeepStrictEqual } from 'node:util';
import { PutCommand, paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb';
import { withErasuresOf } from '../../leads/erasure/erasure.ts';
import { readTimeline } from '../leads/timeline.ts';
import { type ListedApiKey, listApiKeys } from '../organizations/api-keys.ts';
import { readAuditLog } from '../organizations/audit-log.ts';
import { batchGet } from '../table/batch-get.ts';
import type { Table } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import { kindOf } from '../table/item-kind.ts';
import type { Item } from '../table/items.ts';
import { erasurePrimaryKey, type PrimaryKey } from '../table/primary-keys.ts';
import { partitionKeyPrefixes as prefix } from '../table/table-definition.ts';
import { describeTable, RestoreError } from './restore-origin.ts';

export interface LeadReference {
  readonly organizationId: number;
  readonly leadId: number;
}

/** The differences between a restored table and the old one. */
export interface RestorePlan {
  /** Leads that were erased since the backup, or were being erased when it was made. */
  readonly erased: readonly LeadReference[];
  /** Leads that the old table lacks although nobody erased them; the restore keeps them. */
  readonly missing: readonly LeadReference[];
  /** Timeline entries from which an erasure since the backup removed a person. */
  readonly entriesToClean: readonly PrimaryKey[];
  /** How many timeline entries differ in another way; they stay as they are in the backup. */
  readonly entriesDiffering: number;
  /** API keys that were created since the backup and would still work; only the old table has them. */
  readonly keysOnlyInOld: readonly (Pick<ListedApiKey, 'keyId' | 'label'> & {
    readonly organizationId: number;
  })[];
}

/** The plan of a restore without the old table: of the erasures, only those that were under way when the backup was made are known. */
export async function planWithoutOld(
  table: Table,
  organizations: readonly number[],
): Promise<RestorePlan> {
  const erased: LeadReference[] = [];
  for (const organizationId of organizations)
    for (const leadId of await leadIdsInErasure(table, organizationId))
      erased.push({ organizationId, leadId });
  return { erased, missing: [], entriesToClean: [], entriesDiffering: 0, keysOnlyInOld: [] };
}

type TableItem = Item & PrimaryKey;

/**
 * Compares a restored table with the old one; writes nothing. A lead counts as erased only if the old table has a record of the erasure: a
 * lead that is missing from it for another reason was lost, and the restore keeps it. Leads created in the restored table are kept.
 * @throws RestoreError if the two tables have different leads under the same id
 */
export async function planRestore(
  table: Table,
  old: Table,
  organizations: readonly number[],
  onProgress: (itemsRead: number) => void = () => undefined,
): Promise<RestorePlan> {
  const comparison = new Comparison(table, old, (await describeTable(table)).createdAt);
  for (const id of organizations) await comparison.readOrganization(id);
  let itemsRead = 0;
  const pages = paginateScan(
    { client: table.client },
    {
      TableName: table.name,
      FilterExpression:
        'begins_with(pk, :leads) OR begins_with(pk, :timelines) OR begins_with(pk, :erasures)',
      ExpressionAttributeValues: {
        ':leads': prefix.lead,
        ':timelines': prefix.timeline,
        ':erasures': prefix.erasure,
      },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [], ScannedCount = 0 } of pages) {
    await comparison.compare(Items as TableItem[]);
    itemsRead += ScannedCount;
    onProgress(itemsRead);
  }
  return comparison.plan();
}

const nameOf = ({ organizationId, leadId }: LeadReference): string => `${organizationId} ${leadId}`;

class Comparison {
  readonly #table: Table;
  readonly #old: Table;
  readonly #restoredAt: number;
  /** Leads whose erasure only the old table has a record of. */
  readonly #erasedInOld = new Set<string>();
  readonly #erased = new Map<string, LeadReference>();
  readonly #missing = new Map<string, LeadReference>();
  readonly #entriesToClean: PrimaryKey[] = [];
  readonly #keysOnlyInOld: RestorePlan['keysOnlyInOld'][number][] = [];
  #entriesDiffering = 0;

  constructor(table: Table, old: Table, restoredAt: number) {
    this.#table = table;
    this.#old = old;
    this.#restoredAt = restoredAt;
  }

  async readOrganization(organizationId: number): Promise<void> {
    const ours = new Set(await erasedLeadIds(this.#table, organizationId));
    for (const leadId of await erasedLeadIds(this.#old, organizationId))
      if (!ours.has(leadId)) this.#erasedInOld.add(nameOf({ organizationId, leadId }));

    const ourKeyIds = new Set(
      (await listApiKeys(this.#table, organizationId)).map(({ keyId }) => keyId),
    );
    for (const { keyId, label, revokedAt, expiresAt } of await listApiKeys(
      this.#old,
      organizationId,
    )) {
      const isLive = revokedAt === null && Date.parse(expiresAt) > Date.now();
      if (isLive && !ourKeyIds.has(keyId))
        this.#keysOnlyInOld.push({ organizationId, keyId, label });
    }
  }

  async compare(items: readonly TableItem[]): Promise<void> {
    const copies = await batchGet(this.#old, items.map(keyOf));
    for (const item of items) {
      const kind = kindOf(item);
      const copy = copies.get(keyOf(item));
      if (kind?.kind === 'timeline') this.#compareEntry(item, copy);
      if (kind?.kind === 'lead') await this.#compareLead(kind, item, copy);
      if (kind?.kind === 'erasure') this.#erased.set(nameOf(kind), reference(kind));
    }
  }

  #compareEntry(entry: TableItem, copy: Item | undefined): void {
    if (!copy || isDeepStrictEqual(entry, copy)) return;
    if (withErasuresOf(entry, copy) === entry) this.#entriesDiffering += 1;
    else this.#entriesToClean.push(keyOf(entry));
  }

  async #compareLead(kind: LeadReference, lead: Item, copy: Item | undefined): Promise<void> {
    if (copy && copy.createdAt === lead.createdAt) return;
    if ((await addedAt(this.#table, kind, lead)) >= this.#restoredAt) return;
    if (copy) {
      throw new RestoreError(
        `Lead ${kind.leadId} of organization ${kind.organizationId} is one lead in table ${this.#table.name} and another in ${this.#old.name}: ` +
          'it is not the table that was in use. Check --from. Nothing was changed.',
      );
    }
    const leads = this.#erasedInOld.has(nameOf(kind)) ? this.#erased : this.#missing;
    leads.set(nameOf(kind), reference(kind));
  }

  plan(): RestorePlan {
    for (const name of this.#erased.keys()) this.#missing.delete(name);
    return {
      erased: [...this.#erased.values()],
      missing: [...this.#missing.values()],
      entriesToClean: this.#entriesToClean,
      entriesDiffering: this.#entriesDiffering,
      keysOnlyInOld: this.#keysOnlyInOld,
    };
  }
}

const keyOf = ({ pk, sk }: TableItem): PrimaryKey => ({ pk, sk });

const reference = ({ organizationId, leadId }: LeadReference): LeadReference => ({
  organizationId,
  leadId,
});

/** Leads whose erasure is in the audit log, or in progress. */
async function erasedLeadIds(table: Table, organizationId: number): Promise<number[]> {
  const entries = await readAuditLog(table, organizationId, Number.POSITIVE_INFINITY);
  return [
    ...entries.flatMap(({ erasedLeadId }) => erasedLeadId ?? []),
    ...(await leadIdsInErasure(table, organizationId)),
  ];
}

/** Leads whose erasure is in progress, or was interrupted. */
async function leadIdsInErasure(table: Table, organizationId: number): Promise<number[]> {
  const leadIds: number[] = [];
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :erasures',
      ExpressionAttributeValues: { ':erasures': erasurePrimaryKey(organizationId, 1).pk },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) leadIds.push(...Items.map(({ sk }) => Number(sk)));
  return leadIds;
}

/** When a lead was added to its table: the `createdAt` of an imported lead is older. */
async function addedAt(
  table: Table,
  { organizationId, leadId }: LeadReference,
  lead: Item,
): Promise<number> {
  const imported = (await readTimeline(table, organizationId, leadId)).flatMap((entry) =>
    'importedAt' in entry ? [entry.importedAt] : [],
  );
  return Date.parse(imported[0] ?? String(lead.createdAt));
}

/** Removes from an entry what erasures removed from it in the old table. @returns whether there was anything to remove */
export async function cleanAsInOld(table: Table, old: Table, key: PrimaryKey): Promise<boolean> {
  const [entry, copy] = await Promise.all([getItem(table, key), getItem(old, key)]);
  const clean = entry && copy && withErasuresOf(entry, copy);
  if (!clean || clean === entry) return false;
  await table.client.send(new PutCommand({ TableName: table.name, Item: clean }));
  return true;
}
