import { TimelineReplay } from '../../leads/timeline-replay.ts';
import type { Organization } from '../../organization/organization.ts';
import { listApiKeys } from '../organizations/api-keys.ts';
import type { Table } from '../table/client.ts';
import { prefixOf } from '../table/entities.ts';
import { getItem } from '../table/get-item.ts';
import type { Item, Stored, TimelineEntryItem } from '../table/items.ts';
import { queryPages } from '../table/many-items.ts';
import {
  type ItemKind,
  keyListingPrimaryKey,
  keyOf,
  keyText,
  kindOf,
  leadPrimaryKey,
  leadsPartitionKey,
  type PrimaryKey,
  settingsPrimaryKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { scanTable } from '../table/scan-table.ts';
import { ExpectedItems } from './expected-items.ts';
import {
  capturedAt,
  hasAny,
  isExpired,
  itemIssues,
  recordedLead,
  recordIssues,
} from './item-issues.ts';
import { leadIn, leadIssues } from './lead-issues.ts';
import { entryIssues, lastLeadIdIn, organizationIn } from './look-at-lead.ts';

export interface FindOptions {
  /** Only this organization, which must exist. Items that name no organization are then left out. */
  readonly organizationId?: number | undefined;
  /** Consistent reads, for a table that was just written. @default eventually consistent, for half of the read units */
  readonly isConsistent?: boolean;
  readonly onProgress?: (progress: { readonly leads: number; readonly otherItems: number }) => void;
}

export interface Suspects {
  /** Items that may be wrong, or missing, by their keys: a lead stands for its timeline too, settings for all of the organization. */
  readonly suspects: readonly PrimaryKey[];
  /** The organization that lists an API key, by the key's id. */
  readonly organizationOfKey: ReadonlyMap<string, number>;
  readonly leads: number;
}

/**
 * Finds what may be wrong, by reading each item once, in parallel segments. An organization's leads are read with the first of its items.
 * What is written meanwhile may be suspected too, and so are all settings and API keys, which are few: the caller must read a suspect again.
 * Memory: about 130 bytes for each lead, 200 for each idempotency record, each organization's settings, and the suspects.
 */
export async function findSuspects(table: Table, options: FindOptions = {}): Promise<Suspects> {
  const { organizationId } = options;
  const finder = new Finder(table, options);
  // Only the organization's API keys identify its idempotency records.
  if (organizationId !== undefined) await finder.readOrganization(organizationId);
  await scanTable(
    table,
    { ConsistentRead: options.isConsistent ?? false },
    ({ items, segment }) => finder.readPage(items, segment),
    { startAfter: (key) => finder.afterLeads(key) },
  );
  return finder.finish();
}

/** What is kept of an organization while the rest of the table is read. */
interface ReadOrganization {
  /** Undefined if it has no settings. */
  readonly organization: Organization | undefined;
  readonly expectedItems: ExpectedItems;
  /** The lead item with the highest sort key; undefined for an organization without leads. */
  readonly lastLead: PrimaryKey | undefined;
}

interface OpenTimeline {
  readonly organizationId: number;
  readonly leadId: number;
  readonly replay: TimelineReplay;
}

/** An idempotency record, and when its capture was; undefined if it has expired. */
interface ReadRecord {
  readonly key: PrimaryKey;
  readonly keyId: string;
  readonly leadId: number;
  readonly at: string | undefined;
}

class Finder {
  readonly #table: Table;
  readonly #options: FindOptions;
  readonly #suspects = new Map<string, PrimaryKey>();
  readonly #organizations = new Map<number, Promise<ReadOrganization>>();
  readonly #organizationOfKey = new Map<string, number>();
  readonly #timelineOfSegment = new Map<number, OpenTimeline>();
  readonly #records: ReadRecord[] = [];
  #leads = 0;
  #otherItems = 0;

  constructor(table: Table, options: FindOptions) {
    this.#table = table;
    this.#options = options;
  }

  #suspect(key: PrimaryKey): void {
    this.#suspects.set(keyText(key), keyOf(key));
  }

  /** Whether only one organization is read, and the item is not its own. Nothing but its API key says whose an idempotency record is. */
  #isLeftOut({ pk, organizationId }: Stored<Item>): boolean {
    const { organizationId: only } = this.#options;
    if (only === undefined || pk.startsWith(prefixOf('idempotency'))) return false;
    return (pk.startsWith(prefixOf('apiKey')) ? organizationId : Number(pk.split('#')[1])) !== only;
  }

  /** Reads an organization's settings, keys and leads, once. */
  readOrganization(organizationId: number): Promise<ReadOrganization> {
    const read = this.#organizations.get(organizationId) ?? this.#readOrganization(organizationId);
    this.#organizations.set(organizationId, read);
    return read;
  }

  async #readOrganization(organizationId: number): Promise<ReadOrganization> {
    const settingsKey = settingsPrimaryKey(organizationId);
    this.#suspect(settingsKey);
    await this.#readKeyIds(organizationId);
    const organization = organizationIn(await getItem(this.#table, settingsKey));
    const lastLeadId = lastLeadIdIn(await getItem(this.#table, usagePrimaryKey(organizationId)));
    const expectedItems = new ExpectedItems();
    let lastLead: PrimaryKey | undefined;
    const pages = queryPages<Stored<Item>>(this.#table, leadsPartitionKey(organizationId), {
      ConsistentRead: this.#options.isConsistent ?? false,
    });
    for await (const items of pages) {
      for (const item of items) {
        lastLead = keyOf(item);
        const kind = kindOf(item);
        const lead = kind?.kind === 'lead' && leadIn(organizationId, kind.leadId, item);
        if (lead) expectedItems.add(lead);
        if (!lead || hasAny(leadIssues(lead, item, organization, lastLeadId))) this.#suspect(item);
      }
      this.#leads += items.length;
      this.#reportProgress();
    }
    return { organization, expectedItems, lastLead };
  }

  async #readKeyIds(organizationId: number): Promise<void> {
    for (const { keyId } of await listApiKeys(this.#table, organizationId)) {
      this.#organizationOfKey.set(keyId, organizationId);
      this.#suspect(keyListingPrimaryKey(organizationId, keyId));
    }
  }

  /** An organization's leads are one partition, which has been read: a scan that reaches it continues after the last lead. */
  async afterLeads(key: PrimaryKey): Promise<PrimaryKey> {
    const kind = kindOf(key);
    if (kind?.kind !== 'lead') return key;
    const lastLead = (await this.#organizations.get(kind.organizationId))?.lastLead;
    return lastLead && lastLead.sk > key.sk ? lastLead : key;
  }

  async readPage(items: readonly Stored<Item>[], segment: number): Promise<void> {
    for (const item of items) if (!this.#isLeftOut(item)) await this.#examine(item, segment);
    this.#otherItems += items.length;
    this.#reportProgress();
  }

  async #examine(item: Stored<Item>, segment: number): Promise<void> {
    const kind = kindOf(item);
    if (kind?.kind === 'apiKey' || hasAny(itemIssues(item, kind, item))) this.#suspect(item);
    if (!kind || kind.kind === 'apiKey') return;
    if (kind.kind === 'idempotency') return this.#examineRecord(item, kind.keyId);
    const read = await this.readOrganization(kind.organizationId);
    const { expectedItems } = read;
    if (kind.kind === 'timeline') return this.#examineEntry(kind, item, segment, read);
    if (kind.kind === 'phone' || kind.kind === 'email') {
      if (!expectedItems.markIdentity(kind.kind, item.leadId, kind.value)) this.#suspect(item);
    }
    if (kind.kind === 'importedRow' && !expectedItems.has(item.leadId)) this.#suspect(item);
  }

  async #examineEntry(
    { organizationId, leadId }: Extract<ItemKind, { readonly leadId: number }>,
    item: Stored<Item>,
    segment: number,
    { organization, expectedItems }: ReadOrganization,
  ): Promise<void> {
    expectedItems.addCapture(leadId, item);
    if (!expectedItems.has(leadId) || hasAny(entryIssues(item, organization)))
      this.#suspect(leadPrimaryKey(organizationId, leadId));
    let open = this.#timelineOfSegment.get(segment);
    if (open?.organizationId !== organizationId || open.leadId !== leadId) {
      if (open) await this.#compare(open);
      open = { organizationId, leadId, replay: new TimelineReplay() };
      this.#timelineOfSegment.set(segment, open);
    }
    open.replay.add(item as Stored<Item> & TimelineEntryItem);
  }

  async #compare({ organizationId, leadId, replay }: OpenTimeline): Promise<void> {
    const { expectedItems } = await this.readOrganization(organizationId);
    const isExplained = expectedItems.markTimeline(leadId, replay.explained);
    if (!isExplained || replay.openings !== 1)
      this.#suspect(leadPrimaryKey(organizationId, leadId));
  }

  #examineRecord(record: Stored<Item>, keyId: string): void {
    // In a check of one organization, nearly all of these records are other organizations'.
    if (this.#options.organizationId !== undefined && !this.#organizationOfKey.has(keyId)) return;
    const leadId = recordedLead(record);
    if (typeof leadId !== 'number' || hasAny(recordIssues(record))) this.#suspect(record);
    else {
      const at = isExpired(record) ? undefined : capturedAt(record);
      this.#records.push({ key: keyOf(record), keyId, leadId, at });
    }
  }

  /** Adds the suspects that show only when everything was read. */
  async finish(): Promise<Suspects> {
    for (const timeline of this.#timelineOfSegment.values()) await this.#compare(timeline);
    for (const [organizationId, read] of this.#organizations)
      for (const leadId of (await read).expectedItems.incomplete())
        this.#suspect(leadPrimaryKey(organizationId, leadId));
    // Of keys that were created since, too.
    for (const organizationId of this.#organizations.keys()) await this.#readKeyIds(organizationId);
    for (const record of this.#records)
      if (!(await this.#isExplained(record))) this.#suspect(record.key);
    const suspects = [...this.#suspects.values()];
    return { suspects, organizationOfKey: this.#organizationOfKey, leads: this.#leads };
  }

  async #isExplained({ keyId, leadId, at }: ReadRecord): Promise<boolean> {
    const organizationId = this.#organizationOfKey.get(keyId);
    if (organizationId === undefined) return false;
    const { expectedItems } = await this.readOrganization(organizationId);
    if (!expectedItems.has(leadId)) return false;
    return at === undefined || expectedItems.hasCapture(leadId, keyId, at);
  }

  #reportProgress(): void {
    this.#options.onProgress?.({ leads: this.#leads, otherItems: this.#otherItems });
  }
}
