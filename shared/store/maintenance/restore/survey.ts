import { batchGet } from '../../table/batch-get.ts';
import type { Table } from '../../table/client.ts';
import { type ItemKind, kindOf } from '../../table/item-kind.ts';
import type { ApiKeyItem, IdempotencyItem, Item, TimelineEntryItem } from '../../table/items.ts';
import type { ItemsByKey } from '../../table/items-by-key.ts';
import {
  apiKeyPrimaryKey,
  keyListingPrimaryKey,
  keyOf,
  leadPrimaryKey,
  type PrimaryKey,
} from '../../table/primary-keys.ts';
import {
  holdsIdentity,
  identityKeysOf,
  isBeyond,
  isState,
  type LeadPart,
  type LeadReference,
  nameOf,
  referenceOf,
} from './lead-in-backup.ts';

export interface KeyReference {
  readonly organizationId: number;
  readonly keyId: string;
  readonly apiKeyHash: string;
}

/** An idempotency record. */
export interface StoredRecord {
  readonly key: PrimaryKey;
  readonly keyId: string;
  readonly leadId: number;
  readonly expiresAt: number;
}

export type TableItem = Item & PrimaryKey;
type OfLead = Extract<ItemKind, LeadReference>;

/** An item is compared with those that were written with it. */
interface Comparison {
  readonly keys: readonly PrimaryKey[];
  readonly compare: (related: ItemsByKey) => void;
}

/**
 * Finds what of a backup may be a part of a transaction, from one scan of it: items without the items that were written with them.
 * Memory: some 200 bytes for each lead, and the idempotency records.
 */
export class Survey {
  /** Leads that disagree with their timeline or their unique items, and leads that are missing although there are items of theirs. */
  readonly leads = new Map<string, LeadReference>();
  /** Unique phones and emails of a lead that does not have them. */
  readonly identities: LeadPart[] = [];
  /** Imported rows of a lead that is missing. */
  readonly rows: LeadPart[] = [];
  readonly records: StoredRecord[] = [];
  /** API keys that disagree with their listing, or have none. */
  readonly keys: KeyReference[] = [];
  readonly organizations = new Set<number>();
  readonly organizationsWithLeads = new Set<number>();
  readonly organizationOfKey = new Map<string, number>();
  readonly #table: Table;
  /** By lead: its version less the timeline items that tell of one, if they are not equal. Empty in a whole table. */
  readonly #unexplained = new Map<string, LeadReference & { readonly versions: number }>();

  constructor(table: Table) {
    this.#table = table;
  }

  async read(items: readonly TableItem[]): Promise<void> {
    const comparisons = items.flatMap((item) => this.#comparisonOf(item) ?? []);
    const related = await batchGet(
      this.#table,
      comparisons.flatMap(({ keys }) => keys),
    );
    for (const { compare } of comparisons) compare(related);
  }

  /** Adds the leads whose timeline does not tell of all their versions. To be called after the last item. */
  complete(): void {
    for (const lead of this.#unexplained.values()) this.#suspect(lead);
    this.#unexplained.clear();
  }

  #suspect(lead: LeadReference): void {
    this.leads.set(nameOf(lead), referenceOf(lead));
  }

  #count(lead: LeadReference, more: number): void {
    const name = nameOf(lead);
    const versions = (this.#unexplained.get(name)?.versions ?? 0) + more;
    if (versions === 0) this.#unexplained.delete(name);
    else this.#unexplained.set(name, { ...referenceOf(lead), versions });
  }

  #comparisonOf(item: TableItem): Comparison | undefined {
    const kind = kindOf(item);
    if (kind && 'organizationId' in kind) this.organizations.add(kind.organizationId);
    switch (kind?.kind) {
      case 'lead':
        return this.#lead(kind, item);
      case 'timeline':
        return this.#entry(kind, item as TableItem & TimelineEntryItem);
      case 'phone':
      case 'email':
      case 'importedRow':
        return this.#part(kind.kind, kind.organizationId, item);
      case 'apiKey':
      case 'listing':
        return this.#key(kind.kind, item);
      case 'idempotency':
        this.records.push({ key: keyOf(item), keyId: kind.keyId, ...storedIn(item) });
    }
    return undefined;
  }

  #lead(kind: OfLead, item: TableItem): Comparison {
    this.organizationsWithLeads.add(kind.organizationId);
    this.#count(kind, Number(item.version));
    const keys = identityKeysOf(kind.organizationId, item);
    const compare = (related: ItemsByKey): void => {
      if (keys.some((key) => related.get(key)?.leadId !== kind.leadId)) this.#suspect(kind);
    };
    return { keys, compare };
  }

  #entry(kind: OfLead, entry: TableItem & TimelineEntryItem): Comparison {
    if (isState(entry)) this.#count(kind, -1);
    const key = leadPrimaryKey(kind.organizationId, kind.leadId);
    const compare = (related: ItemsByKey): void => {
      const lead = related.get(key);
      if (!lead || isBeyond(entry, lead.updatedAt)) this.#suspect(kind);
    };
    return { keys: [key], compare };
  }

  #part(
    kind: 'phone' | 'email' | 'importedRow',
    organizationId: number,
    item: TableItem,
  ): Comparison {
    const part = { organizationId, leadId: Number(item.leadId), key: keyOf(item) };
    const key = leadPrimaryKey(organizationId, part.leadId);
    const compare = (related: ItemsByKey): void => {
      const lead = related.get(key);
      if (!lead) this.#suspect(part);
      if (kind === 'importedRow' && !lead) this.rows.push(part);
      if (kind !== 'importedRow' && !holdsIdentity(part, lead)) this.identities.push(part);
    };
    return { keys: [key], compare };
  }

  #key(kind: 'apiKey' | 'listing', item: TableItem): Comparison {
    const { organizationId, keyId, revokedAt } = item as TableItem & ApiKeyItem;
    const apiKeyHash =
      kind === 'apiKey' ? item.pk.slice(apiKeyPrimaryKey('').pk.length) : String(item.apiKeyHash);
    this.organizations.add(organizationId);
    this.organizationOfKey.set(keyId, organizationId);
    const other: PrimaryKey =
      kind === 'listing'
        ? apiKeyPrimaryKey(apiKeyHash)
        : keyListingPrimaryKey(organizationId, keyId);
    const compare = (related: ItemsByKey): void => {
      const found = related.get(other);
      if (!found || found.revokedAt !== revokedAt)
        this.keys.push({ organizationId, keyId, apiKeyHash });
    };
    return { keys: [other], compare };
  }
}

/** What of an idempotency record tells of its capture. */
export function storedIn(record: TableItem): Pick<StoredRecord, 'leadId' | 'expiresAt'> {
  const { result, expiresAt } = record as TableItem & IdempotencyItem;
  return { leadId: result.id, expiresAt };
}
