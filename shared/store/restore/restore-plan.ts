import { isDeepStrictEqual } from 'node:util';
import { readTimeline } from '../leads/timeline.ts';
import { type ListedApiKey, listApiKeys } from '../organizations/api-keys.ts';
import { readErasures } from '../organizations/audit-log.ts';
import { batchGet } from '../table/batch-get.ts';
import type { Table } from '../table/client.ts';
import type { Item, Stored } from '../table/items.ts';
import { keyOf, kindOf } from '../table/primary-keys.ts';
import { type ScannedPage, scanTable } from '../table/scan-table.ts';
import { type LeadReference, nameOf, referenceOf } from './mended-table.ts';
import { describeTable, RestoreError } from './restore-origin.ts';

/**
 * Reads a restored table and compares it with the old one; writes nothing. A lead counts as erased only if an audit log says so, or if its
 * erasure was in progress. If the old table lacks a lead for another reason, the lead was lost, and the restore keeps it. Leads created in
 * the restored table are kept.
 * @param old undefined if it is lost: then only erasures that had started before the backup are known
 * @param listed the organizations of the directory
 * @throws RestoreError if the two tables have different leads under the same ID
 */
export async function planRestore(
  table: Table,
  old: Table | undefined,
  listed: readonly number[],
  onProgress: (itemsRead: number) => void = () => undefined,
): Promise<RestorePlan> {
  const plan = new RestorePlan(table, old, (await describeTable(table)).createdAt);
  for (const id of listed) {
    for (const source of old ? [table, old] : [table]) await plan.readErasures(source, id);
    if (old) await plan.compareKeys(old, id);
  }
  const onPage = ({ items }: ScannedPage): Promise<void> => plan.read(items);
  await scanTable(table, { ConsistentRead: true }, onPage, { onProgress });
  return plan;
}

/** What a restored table contains, and how it differs from the old one. */
export class RestorePlan {
  /** When the restored table was created, in epoch milliseconds. */
  readonly restoredAt: number;
  /** The organizations that have items, even if only some of their items exist. */
  readonly organizations = new Set<number>();
  readonly organizationsWithLeads = new Set<number>();
  readonly keyIds = new Set<string>();
  /** Timeline entries in the old table from which an erasure has removed a person since the backup. */
  readonly cleanedEntries: Item[] = [];
  /** How many timeline entries differ in another way. They stay as they are in the backup. */
  entriesDiffering = 0;
  /** API keys that only the old table has: created since the backup, and still live. */
  readonly keysOnlyInOld: (Pick<ListedApiKey, 'keyId' | 'label'> & {
    readonly organizationId: number;
  })[] = [];
  readonly #erased = new Map<string, LeadReference>();
  readonly #missing: LeadReference[] = [];
  readonly #table: Table;
  readonly #old: Table | undefined;
  /** By lead: when the last erasure of a lead with this ID started, in epoch milliseconds, according to an audit log. */
  readonly #erasedAt = new Map<string, number>();

  constructor(table: Table, old: Table | undefined, restoredAt: number) {
    this.#table = table;
    this.#old = old;
    this.restoredAt = restoredAt;
  }

  /** Leads that were erased since the backup, or were being erased when it was made. */
  get erased(): readonly LeadReference[] {
    return [...this.#erased.values()];
  }

  /** Leads that the old table lacks although nobody erased them; the restore keeps them. */
  get missing(): readonly LeadReference[] {
    return this.#missing.filter((lead) => !this.#erased.has(nameOf(lead)));
  }

  async readErasures(table: Table, organizationId: number): Promise<void> {
    for (const { leadId, at } of await readErasures(table, organizationId)) {
      const name = nameOf({ organizationId, leadId });
      this.#erasedAt.set(name, Math.max(Date.parse(at), this.#erasedAt.get(name) ?? 0));
    }
  }

  async compareKeys(old: Table, organizationId: number): Promise<void> {
    const keys = await listApiKeys(this.#table, organizationId);
    const ours = new Set(keys.map(({ keyId }) => keyId));
    for (const { keyId, label, revokedAt, expiresAt } of await listApiKeys(old, organizationId)) {
      const isLive = revokedAt === null && Date.parse(expiresAt) > Date.now();
      if (isLive && !ours.has(keyId)) this.keysOnlyInOld.push({ organizationId, keyId, label });
    }
  }

  async read(items: readonly Stored<Item>[]): Promise<void> {
    const compared = items.filter((item) =>
      ['lead', 'timeline'].includes(kindOf(item)?.kind ?? ''),
    );
    const copies = this.#old && (await batchGet(this.#old, compared.map(keyOf)));
    for (const item of items) await this.#readItem(item, copies?.get(keyOf(item)));
  }

  async #readItem(item: Stored<Item>, copy: Item | undefined): Promise<void> {
    const kind = kindOf(item);
    const { organizationId } = kind && 'organizationId' in kind ? kind : item;
    if (typeof organizationId === 'number') this.organizations.add(organizationId);
    if (kind?.kind === 'apiKey' || kind?.kind === 'listing') this.keyIds.add(String(item.keyId));
    if (kind?.kind === 'erasure' || (kind?.kind === 'timeline' && item.type === 'erased'))
      this.#erased.set(nameOf(kind), referenceOf(kind));
    if (kind?.kind === 'timeline' && copy) this.#compareEntry(item, copy);
    if (kind?.kind === 'lead') await this.#readLead(kind, item, copy);
  }

  #compareEntry(entry: Stored<Item>, copy: Item): void {
    if (isDeepStrictEqual(entry, copy)) return;
    if (String(copy.cleanedAt ?? '') > String(entry.cleanedAt ?? ''))
      this.cleanedEntries.push(copy);
    else this.entriesDiffering += 1;
  }

  async #readLead(kind: LeadReference, lead: Item, copy: Item | undefined): Promise<void> {
    this.organizationsWithLeads.add(kind.organizationId);
    const erasedAt = this.#erasedAt.get(nameOf(kind)) ?? 0;
    const isAsInOld = copy !== undefined && copy.createdAt === lead.createdAt;
    if (erasedAt === 0 && (isAsInOld || !this.#old)) return;
    const added = await addedAt(this.#table, kind, lead);
    // An import can create another lead with the ID of an erased one. An erasure applies to the lead that the table had when it started.
    if (erasedAt > added) this.#erased.set(nameOf(kind), referenceOf(kind));
    if (this.#erased.has(nameOf(kind)) || isAsInOld || !this.#old || added >= this.restoredAt)
      return;
    if (copy)
      throw new RestoreError(
        `Lead ${kind.leadId} of organization ${kind.organizationId} differs between tables ${this.#table.name} and ${this.#old.name}: ` +
          `${this.#old.name} is not the table that was in use. Check --from. Nothing was changed.`,
      );
    this.#missing.push(referenceOf(kind));
  }
}

/** When a lead was added to its table. The `createdAt` of an imported lead is older. */
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
