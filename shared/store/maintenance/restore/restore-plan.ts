import { isDeepStrictEqual } from 'node:util';
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { withErasuresOf } from '../../../leads/erasure/erasure.ts';
import { readTimeline } from '../../leads/timeline.ts';
import { type ListedApiKey, listApiKeys } from '../../organizations/api-keys.ts';
import { readAuditLog } from '../../organizations/audit-log.ts';
import { batchGet } from '../../table/batch-get.ts';
import type { Table } from '../../table/client.ts';
import { getItem, itemsOf } from '../../table/get-item.ts';
import { kindOf } from '../../table/item-kind.ts';
import type { Item } from '../../table/items.ts';
import { keyOf, type PrimaryKey } from '../../table/primary-keys.ts';
import { type LeadReference, nameOf, referenceOf } from './lead-in-backup.ts';
import { describeTable, RestoreError } from './restore-origin.ts';
import { Survey, type TableItem } from './survey.ts';

/** What a restored table holds in part, and the differences between it and the old one. */
export interface RestorePlan {
  readonly survey: Survey;
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

/**
 * Reads a restored table, and compares it with the old one; writes nothing. A lead counts as erased only if an audit log says so, or the
 * erasure was under way: a lead that the old table lacks for another reason was lost, and the restore keeps it. Leads created in the
 * restored table are kept.
 * @param old undefined if it is lost: then only erasures that had begun at the moment of the backup are known
 * @throws RestoreError if the two tables have different leads under the same id
 */
export async function planRestore(
  table: Table,
  old: Table | undefined,
  organizations: readonly number[],
  onProgress: (itemsRead: number) => void = () => undefined,
): Promise<RestorePlan> {
  const survey = new Survey(table);
  const erasures = new Erasures(table);
  for (const one of [table, ...(old ? [old] : [])])
    for (const id of organizations) await erasures.readLog(one, id);
  const comparison = old && new Comparison(table, old, (await describeTable(table)).createdAt);
  let itemsRead = 0;
  const scan = { TableName: table.name, ConsistentRead: true };
  for await (const { Items } of paginateScan({ client: table.client }, scan)) {
    const items = itemsOf<TableItem>(Items);
    await survey.read(items);
    await erasures.read(items);
    await comparison?.read(items, erasures);
    itemsRead += items.length;
    onProgress(itemsRead);
  }
  survey.complete();
  return {
    survey,
    erased: erasures.begun,
    missing: comparison?.missing.filter((lead) => !erasures.has(lead)) ?? [],
    entriesToClean: comparison?.entriesToClean ?? [],
    entriesDiffering: comparison?.entriesDiffering ?? 0,
    keysOnlyInOld: old ? await keysOnlyInOld(table, old, organizations) : [],
  };
}

/** The leads of the restored table that were erased, or were being erased. */
class Erasures {
  readonly #table: Table;
  /** By lead: when an erasure of a lead with this ID began, as an audit log tells. */
  readonly #times = new Map<string, string[]>();
  readonly #begun = new Map<string, LeadReference>();

  constructor(table: Table) {
    this.#table = table;
  }

  get begun(): LeadReference[] {
    return [...this.#begun.values()];
  }

  has(lead: LeadReference): boolean {
    return this.#begun.has(nameOf(lead));
  }

  async readLog(table: Table, organizationId: number): Promise<void> {
    for (const entry of await readAuditLog(table, organizationId, Number.POSITIVE_INFINITY)) {
      if (entry.erasedLeadId === undefined) continue;
      const name = nameOf({ organizationId, leadId: entry.erasedLeadId });
      this.#times.set(name, [...(this.#times.get(name) ?? []), entry.at]);
    }
  }

  async read(items: readonly TableItem[]): Promise<void> {
    for (const item of items) {
      const kind = kindOf(item);
      const isErased =
        kind?.kind === 'erasure' ||
        (kind?.kind === 'timeline' && item.type === 'erased') ||
        (kind?.kind === 'lead' && (await this.#isOver(kind, item)));
      if (isErased) this.#begun.set(nameOf(kind), referenceOf(kind));
    }
  }

  /** An import can create another lead with the ID of an erased one: an erasure is of the lead that the table had when it began. */
  async #isOver(kind: LeadReference, lead: Item): Promise<boolean> {
    const times = this.#times.get(nameOf(kind)) ?? [];
    if (times.length === 0) return false;
    const added = await addedAt(this.#table, kind, lead);
    return times.some((at) => Date.parse(at) > added);
  }
}

class Comparison {
  readonly missing: LeadReference[] = [];
  readonly entriesToClean: PrimaryKey[] = [];
  entriesDiffering = 0;
  readonly #table: Table;
  readonly #old: Table;
  readonly #restoredAt: number;

  constructor(table: Table, old: Table, restoredAt: number) {
    this.#table = table;
    this.#old = old;
    this.#restoredAt = restoredAt;
  }

  async read(items: readonly TableItem[], erasures: Erasures): Promise<void> {
    const compared = items.filter((item) =>
      ['lead', 'timeline'].includes(kindOf(item)?.kind ?? ''),
    );
    const copies = await batchGet(this.#old, compared.map(keyOf));
    for (const item of compared) {
      const kind = kindOf(item);
      const copy = copies.get(keyOf(item));
      if (kind?.kind === 'timeline') this.#compareEntry(item, copy);
      if (kind?.kind === 'lead' && !erasures.has(kind)) await this.#compareLead(kind, item, copy);
    }
  }

  #compareEntry(entry: TableItem, copy: Item | undefined): void {
    if (!copy || isDeepStrictEqual(entry, copy)) return;
    if (withErasuresOf(entry, copy) === entry) this.entriesDiffering += 1;
    else this.entriesToClean.push(keyOf(entry));
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
    this.missing.push(referenceOf(kind));
  }
}

async function keysOnlyInOld(
  table: Table,
  old: Table,
  organizations: readonly number[],
): Promise<RestorePlan['keysOnlyInOld']> {
  const found: RestorePlan['keysOnlyInOld'][number][] = [];
  for (const organizationId of organizations) {
    const ours = new Set((await listApiKeys(table, organizationId)).map(({ keyId }) => keyId));
    for (const { keyId, label, revokedAt, expiresAt } of await listApiKeys(old, organizationId)) {
      const isLive = revokedAt === null && Date.parse(expiresAt) > Date.now();
      if (isLive && !ours.has(keyId)) found.push({ organizationId, keyId, label });
    }
  }
  return found;
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

/** Removes from entries what erasures removed from them in the old table. @returns of how many */
export async function cleanAllAsInOld(
  table: Table,
  old: Table,
  keys: readonly PrimaryKey[],
): Promise<number> {
  let cleaned = 0;
  for (const key of keys) if (await cleanAsInOld(table, old, key)) cleaned += 1;
  return cleaned;
}

/** Removes from an entry what erasures removed from it in the old table. @returns whether there was anything to remove */
async function cleanAsInOld(table: Table, old: Table, key: PrimaryKey): Promise<boolean> {
  const [entry, copy] = await Promise.all([getItem(table, key), getItem(old, key)]);
  const clean = entry && copy && withErasuresOf(entry, copy);
  if (!clean || clean === entry) return false;
  await table.client.send(new PutCommand({ TableName: table.name, Item: clean }));
  return true;
}
