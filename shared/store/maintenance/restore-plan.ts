import { isDeepStrictEqual } from 'node:util';
import { PutCommand, paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb';
import { withErasuresOf } from '../../leads/erasure/erasure.ts';
import { readTimeline } from '../leads/timeline.ts';
import { type ListedApiKey, listApiKeys } from '../organizations/api-keys.ts';
import { readAuditLog } from '../organizations/audit-log.ts';
import { batchGet } from '../table/batch-get.ts';
import type { Table } from '../table/client.ts';
import { kindOf } from '../table/item-kind.ts';
import { erasurePrimaryKey, type PrimaryKey } from '../table/primary-keys.ts';
import { partitionKeyPrefixes as prefix } from '../table/table-definition.ts';
import { describeTable, RestoreError } from './restore-origin.ts';

export interface LeadReference {
  readonly organizationId: number;
  readonly leadId: number;
}

/** What a restored table has and the old one has not, or has in another form. */
export interface RestorePlan {
  /** Leads that were erased since the backup, or were being erased at its moment. */
  readonly erased: readonly LeadReference[];
  /** Leads that the old table lacks although nobody erased them: the restore brings them back. */
  readonly missing: readonly LeadReference[];
  /** Timeline entries from which an erasure since the backup took a person. */
  readonly entriesToClean: readonly PrimaryKey[];
  /** Timeline entries that differ in another way: they stay as the backup has them. */
  readonly entriesDiffering: number;
  /** API keys made since the backup that would still work: only the old table knows them. */
  readonly keysOnlyInOld: readonly (Pick<ListedApiKey, 'keyId' | 'label'> & { readonly organizationId: number })[];
}

/** Nothing to compare with: the old table is lost. */
export const emptyPlan: RestorePlan = { erased: [], missing: [], entriesToClean: [], entriesDiffering: 0, keysOnlyInOld: [] };

type Item = Record<string, unknown> & PrimaryKey;

/** The most keys of one `BatchGetItem` (AWS: Service quotas). */
const batchMax = 100;

/**
 * Compares a restored table with the old one, and writes nothing. Erased is what the old table says was erased: a lead that is gone from it in
 * any other way was lost, and is what the restore is for. Leads that were made in the restored table stay.
 * @throws NotRestored when the same id is of two leads
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
      FilterExpression: 'begins_with(pk, :leads) OR begins_with(pk, :timelines) OR begins_with(pk, :erasures)',
      ExpressionAttributeValues: { ':leads': prefix.lead, ':timelines': prefix.timeline, ':erasures': prefix.erasure },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [], ScannedCount = 0 } of pages) {
    const items = Items as Item[];
    for (let at = 0; at < items.length; at += batchMax) await comparison.compare(items.slice(at, at + batchMax));
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
  /** Leads of which the old table says that they were erased, and ours does not. */
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

    const known = new Set((await listApiKeys(this.#table, organizationId)).map(({ keyId }) => keyId));
    for (const { keyId, label, revokedAt, expiresAt } of await listApiKeys(this.#old, organizationId)) {
      const isLive = revokedAt === null && Date.parse(expiresAt) > Date.now();
      if (isLive && !known.has(keyId)) this.#keysOnlyInOld.push({ organizationId, keyId, label });
    }
  }

  async compare(items: readonly Item[]): Promise<void> {
    const theirs = await batchGet(this.#old, items);
    for (const [at, item] of items.entries()) {
      const kind = kindOf(item);
      if (kind?.kind === 'timeline') this.#compareEntry(item, theirs[at]);
      if (kind?.kind === 'lead') await this.#compareLead(kind, item, theirs[at]);
      if (kind?.kind === 'erasure') this.#erased.set(nameOf(kind), reference(kind));
    }
  }

  #compareEntry(entry: Item, copy: Readonly<Record<string, unknown>> | undefined): void {
    if (!copy || isDeepStrictEqual(entry, copy)) return;
    if (withErasuresOf(entry, copy) === entry) this.#entriesDiffering += 1;
    else this.#entriesToClean.push({ pk: entry.pk, sk: entry.sk });
  }

  async #compareLead(kind: LeadReference, lead: Item, copy: Readonly<Record<string, unknown>> | undefined): Promise<void> {
    if (copy && copy.createdAt === lead.createdAt) return;
    if ((await madeAt(this.#table, kind, lead)) >= this.#restoredAt) return;
    if (copy) {
      throw new RestoreError(
        `Lead ${kind.leadId} of organization ${kind.organizationId} is one lead in table ${this.#table.name} and another in ${this.#old.name}: ` +
          'it is not the table that was in use. Check --from. Nothing was changed.',
      );
    }
    const found = this.#erasedInOld.has(nameOf(kind)) ? this.#erased : this.#missing;
    found.set(nameOf(kind), reference(kind));
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

const reference = ({ organizationId, leadId }: LeadReference): LeadReference => ({ organizationId, leadId });

/** Leads whose erasure is in the history, or is under way. */
async function erasedLeadIds(table: Table, organizationId: number): Promise<number[]> {
  const entries = await readAuditLog(table, organizationId, Number.POSITIVE_INFINITY);
  const underWay: number[] = [];
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :erasures',
      ExpressionAttributeValues: { ':erasures': erasurePrimaryKey(organizationId, 1).pk },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) underWay.push(...Items.map(({ sk }) => Number(sk)));
  return [...entries.flatMap(({ erasedLeadId }) => erasedLeadId ?? []), ...underWay];
}

/** When a lead came into its table: an imported one has a `createdAt` of its own. */
async function madeAt(table: Table, { organizationId, leadId }: LeadReference, lead: Item): Promise<number> {
  const imported = (await readTimeline(table, organizationId, leadId)).flatMap((entry) =>
    'importedAt' in entry ? [entry.importedAt] : [],
  );
  return Date.parse(imported[0] ?? String(lead.createdAt));
}

/** Takes from an entry what erasures took from it in the old table. @returns whether that was anything */
export async function cleanAsInOld(table: Table, old: Table, key: PrimaryKey): Promise<boolean> {
  const [[entry], [copy]] = await Promise.all([batchGet(table, [key]), batchGet(old, [key])]);
  const clean = entry && copy && withErasuresOf(entry, copy);
  if (!clean || clean === entry) return false;
  await table.client.send(new PutCommand({ TableName: table.name, Item: clean }));
  return true;
}
