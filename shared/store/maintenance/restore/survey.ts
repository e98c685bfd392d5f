import { batchGet } from '../../table/batch-get.ts';
import type { Table } from '../../table/client.ts';
import { type ItemKind, kindOf } from '../../table/item-kind.ts';
import type {
  ApiKeyItem,
  IdempotencyItem,
  ImportedRowItem,
  Item,
  TimelineEntryItem,
} from '../../table/items.ts';
import type { ItemsByKey } from '../../table/items-by-key.ts';
import {
  apiKeyPrimaryKey,
  keyListingPrimaryKey,
  leadPrimaryKey,
  type PrimaryKey,
} from '../../table/primary-keys.ts';
import { isBeyond, isState } from './lead-history.ts';
import {
  holdsIdentity,
  identityKeysOf,
  type LeadPart,
  type LeadReference,
} from './lead-identities.ts';

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

export const nameOf = ({ organizationId, leadId }: LeadReference): string =>
  `${organizationId} ${leadId}`;
const keyOf = ({ pk, sk }: TableItem): PrimaryKey => ({ pk, sk });
const apiKeyHashOf = ({ pk }: PrimaryKey): string => pk.slice(apiKeyPrimaryKey('').pk.length);

/**
 * Finds what of a backup may be a part of a transaction, from one scan of it: items without the items that were written with them.
 * Memory: some 50 bytes for each lead, and the idempotency records.
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
  /** Leads with an item `erased` on their timeline. */
  readonly ended = new Map<string, LeadReference>();
  readonly organizations = new Set<number>();
  readonly organizationsWithLeads = new Set<number>();
  readonly organizationOfKey = new Map<string, number>();
  readonly #table: Table;
  /** By organization and lead: the lead's version less the timeline items that tell of one. 0 in a whole table. */
  readonly #unexplained = new Map<number, Map<number, number>>();

  constructor(table: Table) {
    this.#table = table;
  }

  async read(items: readonly TableItem[]): Promise<void> {
    const related = await batchGet(
      this.#table,
      items.flatMap((item) => relatedKeys(item)),
    );
    for (const item of items) this.#examine(item, related);
  }

  /** Adds the leads whose timeline does not tell of all their versions. To be called after the last item. */
  complete(): void {
    for (const [organizationId, leads] of this.#unexplained)
      for (const [leadId, versions] of leads)
        if (versions !== 0) this.#suspect({ organizationId, leadId });
    this.#unexplained.clear();
  }

  #suspect({ organizationId, leadId }: LeadReference): void {
    this.leads.set(nameOf({ organizationId, leadId }), { organizationId, leadId });
  }

  #count({ organizationId, leadId }: LeadReference, versions: number): void {
    const leads = this.#unexplained.get(organizationId) ?? new Map<number, number>();
    this.#unexplained.set(organizationId, leads);
    const unexplained = (leads.get(leadId) ?? 0) + versions;
    if (unexplained === 0) leads.delete(leadId);
    else leads.set(leadId, unexplained);
  }

  #examine(item: TableItem, related: ItemsByKey): void {
    const kind = kindOf(item);
    if (!kind) return;
    if ('organizationId' in kind) this.organizations.add(kind.organizationId);
    if (kind.kind === 'lead') this.#examineLead(kind, item, related);
    if (kind.kind === 'timeline') this.#examineEntry(kind, item, related);
    if (kind.kind === 'phone' || kind.kind === 'email' || kind.kind === 'importedRow')
      this.#examinePart(kind, item, related);
    if (kind.kind === 'idempotency')
      this.records.push({ key: keyOf(item), keyId: kind.keyId, ...storedIn(item) });
    if (kind.kind === 'apiKey' || kind.kind === 'listing')
      this.#examineKey(kind.kind, item, related);
  }

  #examineLead(kind: OfLead, item: TableItem, related: ItemsByKey): void {
    this.organizationsWithLeads.add(kind.organizationId);
    this.#count(kind, Number(item.version));
    const keys = identityKeysOf(kind.organizationId, item);
    if (keys.some((key) => related.get(key)?.leadId !== kind.leadId)) this.#suspect(kind);
  }

  #examineEntry(kind: OfLead, item: TableItem, related: ItemsByKey): void {
    const entry = item as TimelineEntryItem;
    if (entry.type === 'erased') this.ended.set(nameOf(kind), kind);
    const lead = related.get(leadPrimaryKey(kind.organizationId, kind.leadId));
    if (isState(entry)) this.#count(kind, -1);
    if (!lead || isBeyond(entry, lead.updatedAt)) this.#suspect(kind);
  }

  #examinePart(kind: ItemKind & { organizationId: number }, item: TableItem, related: ItemsByKey) {
    const part = {
      organizationId: kind.organizationId,
      leadId: Number(item.leadId),
      key: keyOf(item),
    };
    const lead = related.get(leadPrimaryKey(part.organizationId, part.leadId));
    if (!lead) this.#suspect(part);
    if (kind.kind === 'importedRow' && !lead) this.rows.push(part);
    if (kind.kind !== 'importedRow' && !holdsIdentity(part, lead)) this.identities.push(part);
  }

  #examineKey(kind: 'apiKey' | 'listing', item: TableItem, related: ItemsByKey): void {
    const { organizationId, keyId, revokedAt } = item as unknown as ApiKeyItem;
    const apiKeyHash = kind === 'apiKey' ? apiKeyHashOf(item) : String(item.apiKeyHash);
    const key = { organizationId, keyId, apiKeyHash };
    this.organizations.add(organizationId);
    this.organizationOfKey.set(keyId, organizationId);
    const other = related.get(otherOfKey(kind, key));
    if (!other || other.revokedAt !== revokedAt) this.keys.push(key);
  }
}

/** What of an idempotency record tells of its capture. */
export function storedIn(record: TableItem): Pick<StoredRecord, 'leadId' | 'expiresAt'> {
  const { result, expiresAt } = record as unknown as IdempotencyItem;
  return { leadId: result.id, expiresAt };
}

const otherOfKey = (
  kind: 'apiKey' | 'listing',
  { organizationId, keyId, apiKeyHash }: KeyReference,
): PrimaryKey =>
  kind === 'listing' ? apiKeyPrimaryKey(apiKeyHash) : keyListingPrimaryKey(organizationId, keyId);

/** The keys of the items that were written with an item. */
function relatedKeys(item: TableItem): PrimaryKey[] {
  const kind = kindOf(item);
  switch (kind?.kind) {
    case 'lead':
      return identityKeysOf(kind.organizationId, item);
    case 'timeline':
      return [leadPrimaryKey(kind.organizationId, kind.leadId)];
    case 'phone':
    case 'email':
    case 'importedRow':
      return [leadPrimaryKey(kind.organizationId, (item as unknown as ImportedRowItem).leadId)];
    case 'apiKey':
    case 'listing': {
      const key = item as unknown as KeyReference;
      const apiKeyHash = kind.kind === 'apiKey' ? apiKeyHashOf(item) : key.apiKeyHash;
      return [otherOfKey(kind.kind, { ...key, apiKeyHash })];
    }
    default:
      return [];
  }
}
