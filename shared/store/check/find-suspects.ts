import { crc32 } from 'node:zlib';
import { TimelineReplay } from '../../leads/timeline-replay.ts';
import { listApiKeys } from '../organizations/api-keys.ts';
import type { Table } from '../table/client.ts';
import { prefixOf } from '../table/entities.ts';
import { getItem } from '../table/get-item.ts';
import type { Item, Stored, TimelineEntryItem } from '../table/items.ts';
import { queryPages } from '../table/many-items.ts';
import {
  keyListingPrimaryKey,
  keyOf,
  keyText,
  kindOf,
  leadsPartitionKey,
  type PrimaryKey,
  settingsPrimaryKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { scanTable } from '../table/scan-table.ts';
import { type Issue, LeadRules } from './lead-rules.ts';

export interface FindOptions {
  /** Checks only this organization, which must exist, and ignores items that name no organization. */
  readonly organizationId?: number | undefined;
  /** Use consistent reads, for a table that was just written. @default eventually consistent, for half of the read units */
  readonly isConsistent?: boolean;
  readonly onProgress?: (progress: { readonly leads: number; readonly otherItems: number }) => void;
}

export interface Suspects {
  /** The keys of items that may be wrong or missing. A lead's key includes its timeline, and the settings' key the whole organization. */
  readonly suspects: readonly PrimaryKey[];
  /** The organization that lists an API key, by the key's ID. */
  readonly organizationOfKey: ReadonlyMap<string, number>;
  readonly leads: number;
}

/**
 * Finds items that may be wrong, by reading each item once, in parallel segments. An organization's leads are read with the first of its
 * items. Items that are written meanwhile may become suspects. So are all settings and API keys, which are few. The caller must read each
 * suspect again. Memory: about 150 bytes for each lead, 250 for each idempotency record, each organization's settings, and the suspects. A
 * lead's values are kept as CRC-32, which misses one wrong value in four billion.
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

/** A digest as a 32-bit integer, which needs no separate memory. */
const digestOf = (value: string | undefined): number =>
  value === undefined ? 0 : crc32(value) | 0;

/** What is kept about an organization while the rest of the table is read. */
interface ReadOrganization {
  readonly rules: LeadRules<number>;
  /** The lead item with the highest sort key; undefined for an organization without leads. */
  readonly lastLead: PrimaryKey | undefined;
}

interface OpenTimeline {
  readonly pk: string;
  readonly close: () => void;
  readonly replay: TimelineReplay<TimelineEntryItem>;
}

class Finder {
  readonly #table: Table;
  readonly #options: FindOptions;
  readonly #suspects = new Map<string, PrimaryKey>();
  readonly #organizations = new Map<number, Promise<ReadOrganization>>();
  readonly #organizationOfKey = new Map<string, number>();
  readonly #timelineOfSegment = new Map<number, OpenTimeline>();
  /** The attributes of each idempotency record that the check reads. */
  readonly #records: Stored<Item>[] = [];
  #leads = 0;
  #otherItems = 0;

  constructor(table: Table, options: FindOptions) {
    this.#table = table;
    this.#options = options;
  }

  #suspect(key: PrimaryKey): void {
    this.#suspects.set(keyText(key), keyOf(key));
  }

  #suspectAll(issues: Iterable<Issue>): void {
    for (const [key] of issues) this.#suspect(key);
  }

  /** Whether the item belongs to an organization that is not being checked. An idempotency record names only its API key. */
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
    const settings = await getItem(this.#table, settingsKey);
    const usage = await getItem(this.#table, usagePrimaryKey(organizationId));
    const rules = new LeadRules(organizationId, { settings, usage }, digestOf);
    let lastLead: PrimaryKey | undefined;
    const pages = queryPages<Stored<Item>>(this.#table, leadsPartitionKey(organizationId), {
      ConsistentRead: this.#options.isConsistent ?? false,
    });
    for await (const items of pages) {
      for (const item of items) {
        lastLead = keyOf(item);
        const kind = kindOf(item);
        if (kind) this.#suspectAll(rules.item(item, kind));
        else this.#suspect(item);
      }
      this.#leads += items.length;
      this.#reportProgress();
    }
    return { rules, lastLead };
  }

  async #readKeyIds(organizationId: number): Promise<void> {
    for (const { keyId } of await listApiKeys(this.#table, organizationId)) {
      this.#organizationOfKey.set(keyId, organizationId);
      this.#suspect(keyListingPrimaryKey(organizationId, keyId));
    }
  }

  /** An organization's leads are one partition, which has already been read. So a scan that reaches it continues after the last lead. */
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
    if (!kind || kind.kind === 'apiKey') return this.#suspect(item);
    if (kind.kind === 'idempotency') {
      const { pk, sk, result, expiresAt, ttl } = item;
      // In a check of one organization, nearly all of these records belong to other organizations.
      if (this.#options.organizationId === undefined || this.#organizationOfKey.has(kind.keyId))
        this.#records.push({ pk, sk, result, expiresAt, ttl });
      return;
    }
    const { rules } = await this.readOrganization(kind.organizationId);
    if (kind.kind === 'timeline') this.#examineEntry(rules, kind.leadId, item, segment);
    else if (kind.kind !== 'lead') this.#suspectAll(rules.item(item, kind));
  }

  #examineEntry(
    rules: LeadRules<number>,
    leadId: number,
    item: Stored<Item>,
    segment: number,
  ): void {
    this.#suspectAll(rules.entry(leadId, item));
    let open = this.#timelineOfSegment.get(segment);
    if (open?.pk !== item.pk) {
      open?.close();
      const replay = new TimelineReplay<TimelineEntryItem>();
      const close = () => this.#suspectAll(rules.timeline(leadId, replay));
      open = { pk: item.pk, replay, close };
      this.#timelineOfSegment.set(segment, open);
    }
    open.replay.add(item as Stored<Item> & TimelineEntryItem);
  }

  /** Adds the suspects that show only after everything was read. */
  async finish(): Promise<Suspects> {
    for (const timeline of this.#timelineOfSegment.values()) timeline.close();
    for (const [organizationId, read] of this.#organizations) {
      this.#suspectAll((await read).rules.missing());
      await this.#readKeyIds(organizationId); // again, because keys may have been created since
    }
    for (const record of this.#records) {
      const kind = kindOf(record);
      const organizationId =
        kind?.kind === 'idempotency' && this.#organizationOfKey.get(kind.keyId);
      if (!kind || !organizationId) this.#suspect(record);
      else this.#suspectAll((await this.readOrganization(organizationId)).rules.item(record, kind));
    }
    const suspects = [...this.#suspects.values()];
    return { suspects, organizationOfKey: this.#organizationOfKey, leads: this.#leads };
  }

  #reportProgress(): void {
    this.#options.onProgress?.({ leads: this.#leads, otherItems: this.#otherItems });
  }
}
