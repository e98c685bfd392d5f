import { TimelineReplay } from '../../leads/timeline-replay.ts';
import type { Organization } from '../../organization/organization.ts';
import type { RateLimits } from '../../rate-limits.ts';
import { listApiKeys } from '../organizations/api-keys.ts';
import { listOrganizations } from '../organizations/organizations.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import { type ItemKind, kindOf } from '../table/item-kind.ts';
import type { Item, TimelineEntryItem } from '../table/items.ts';
import {
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
  settingsPrimaryKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { ExpectedItems } from './expected-items.ts';
import { leadIn, leadIssues } from './lead-issues.ts';
import {
  itemIssues,
  lookAtIdentity,
  lookAtImportedRow,
  lookAtItem,
  lookAtRecord,
  recordedLead,
} from './look-at-item.ts';
import { entryIssues, lastLeadIdIn, lookAtLead, organizationIn } from './look-at-lead.ts';
import { lookAtKeyItem, lookAtListedKey, lookAtOrganization } from './look-at-organization.ts';
import { inParallel, type Look, wrongTwice } from './looks.ts';
import { captureIn, RecordedCaptures, type RecordOfKey, recordIssues } from './records.ts';
import { leadPages, scanTable, type TableItem } from './scan.ts';

export interface CheckOptions {
  /** Check only this organization, which must exist. Items that name no organization are then not checked. */
  readonly organizationId?: number | undefined;
  /** The limits in force, as far as they are known. @default unknown: usage is compared with the highest that a deployment can have */
  readonly limits?: Partial<RateLimits>;
  readonly onProgress?: (progress: CheckProgress) => void;
  /** How long what looks wrong has to become right. @default 2000 */
  readonly againAfterMs?: number;
}

/** What a check has read so far. */
export interface CheckProgress {
  readonly leads: number;
  readonly otherItems: number;
}

export interface CheckResult {
  readonly leads: number;
  /** One sentence each, sorted. */
  readonly violations: readonly string[];
}

const organizationsAtOnce = 4;

/**
 * Verifies every invariant of the table during live traffic. Each item is read once, eventually consistent: first the leads, by organization,
 * then all other items in parallel segments. A suspect is read again at the end, together with what it must agree with, as of one moment; if
 * it is wrong, it is read once more two seconds later, and reported if it is still wrong. Settings, usage and API keys, which are few, are
 * all suspects.
 * Memory: about 130 bytes for each lead, 100 for each capture of the last day, each organization's settings and keys, and the suspects.
 */
export async function checkTable(table: Table, options: CheckOptions = {}): Promise<CheckResult> {
  const check = new TableCheck(table, options);
  const { organizationId } = options;
  const organizationIds =
    organizationId === undefined
      ? (await listOrganizations(table)).map(({ id }) => id)
      : [organizationId];
  await inParallel(
    organizationIds,
    organizationsAtOnce,
    async (id) => void (await check.readOrganization(id)),
  );
  await scanTable(
    table,
    organizationId,
    (items, segment) => check.readPage(items, segment),
    (key) => check.afterLeads(key),
  );
  return check.finish();
}

/** What a check keeps of an organization while it reads the rest of the table. */
interface ReadOrganization {
  readonly own: OrganizationTable;
  /** Undefined if it has no settings. */
  readonly organization: Organization | undefined;
  readonly expectedItems: ExpectedItems;
  /** The last item among the leads, by sort key; undefined if there is none. */
  readonly lastLead: PrimaryKey | undefined;
}

/** The timeline that a segment of the scan is reading: a scan reads a partition's items one after another, in their order. */
interface OpenTimeline {
  readonly organizationId: number;
  readonly leadId: number;
  readonly replay: TimelineReplay;
}

class TableCheck {
  readonly #table: Table;
  readonly #options: CheckOptions;
  readonly #organizations = new Map<number, Promise<ReadOrganization>>();
  readonly #organizationOfKey = new Map<string, number>();
  /** Idempotency records of API keys that were unknown when the record was read, such as new keys. */
  readonly #strayRecords: RecordOfKey[] = [];
  readonly #captures = new RecordedCaptures();
  readonly #timelineOfSegment = new Map<number, OpenTimeline>();
  /** By what is looked at. */
  readonly #suspects = new Map<string, Look>();
  #leads = 0;
  #otherItems = 0;

  constructor(table: Table, options: CheckOptions) {
    this.#table = table;
    this.#options = options;
  }

  /** An organization that the directory does not name is read when the scan reads its first item. */
  readOrganization(organizationId: number): Promise<ReadOrganization> {
    const read =
      this.#organizations.get(organizationId) ??
      this.#readOrganization({ table: this.#table, organizationId });
    this.#organizations.set(organizationId, read);
    return read;
  }

  async #readOrganization(own: OrganizationTable): Promise<ReadOrganization> {
    const { table, organizationId } = own;
    const { limits = {} } = this.#options;
    this.#suspects.set(`organization ${organizationId}`, () =>
      lookAtOrganization(own, limits.requestsPerOrganizationPerWindow),
    );
    for (const keyId of await this.#readKeyIds(organizationId))
      this.#suspects.set(`key ${keyId} of organization ${organizationId}`, () =>
        lookAtListedKey(own, keyId, limits.requestsPerKeyPerWindow),
      );
    const organization = organizationIn(await getItem(table, settingsPrimaryKey(organizationId)));
    const lastLeadId = lastLeadIdIn(await getItem(table, usagePrimaryKey(organizationId)));
    const expectedItems = new ExpectedItems();
    let lastLead: PrimaryKey | undefined;
    for await (const page of leadPages(own)) {
      for (const item of page) {
        lastLead = { pk: item.pk, sk: item.sk };
        const kind = kindOf(lastLead);
        if (kind?.kind !== 'lead') {
          this.#suspectItself(lastLead, kind);
          continue;
        }
        const lead = leadIn(organizationId, kind.leadId, item);
        expectedItems.add(lead);
        if (leadIssues(lead, item, organization, lastLeadId).length > 0)
          this.#suspectLead(own, lead.id);
      }
      this.#leads += page.length;
      this.#reportProgress();
    }
    return { own, organization, expectedItems, lastLead };
  }

  async #readKeyIds(organizationId: number): Promise<string[]> {
    const keyIds = (await listApiKeys(this.#table, organizationId)).map(({ keyId }) => keyId);
    for (const keyId of keyIds) this.#organizationOfKey.set(keyId, organizationId);
    return keyIds;
  }

  async readPage(items: readonly TableItem[], segment: number): Promise<void> {
    for (const item of items) await this.#examine(item, segment);
    this.#otherItems += items.length;
    this.#reportProgress();
  }

  /** An organization's leads are one partition, which has been read: a scan that reaches it continues after the last lead. */
  async afterLeads(key: PrimaryKey): Promise<PrimaryKey> {
    const kind = kindOf(key);
    if (
      kind?.kind !== 'lead' ||
      kind.organizationId !== (this.#options.organizationId ?? kind.organizationId)
    )
      return key;
    const { lastLead = key } = await this.readOrganization(kind.organizationId);
    return lastLead.sk > key.sk ? lastLead : key;
  }

  #suspectLead(own: OrganizationTable, leadId: number): void {
    const name = keyText(leadPrimaryKey(own.organizationId, leadId));
    this.#suspects.set(name, () => lookAtLead(own, leadId));
  }

  #suspectItself(key: PrimaryKey, kind: ItemKind | undefined): void {
    this.#suspects.set(`${keyText(key)} itself`, () => lookAtItem(this.#table, key, kind));
  }

  async #examine(item: TableItem, segment: number): Promise<void> {
    const key = { pk: item.pk, sk: item.sk };
    const kind = kindOf(key);
    if (kind?.kind === 'idempotency') return this.#examineRecord(key, kind.keyId, item);
    if (kind?.kind === 'apiKey')
      this.#suspects.set(keyText(key), () => lookAtKeyItem(this.#table, key));
    const isReadWhole = kind?.kind === 'lead' || kind?.kind === 'timeline';
    if (!isReadWhole && itemIssues(key, kind, item).length > 0) this.#suspectItself(key, kind);
    if (!kind || kind.kind === 'apiKey') return;
    const organization = await this.readOrganization(kind.organizationId);
    if (kind.kind === 'timeline') await this.#examineEntry(kind, item, segment, organization);
    else this.#examineInOrganization(key, kind, item, organization);
  }

  #examineInOrganization(
    key: PrimaryKey,
    kind: ItemKind,
    { leadId }: Item,
    { own, expectedItems }: ReadOrganization,
  ): void {
    if (kind.kind === 'phone' || kind.kind === 'email') {
      if (!expectedItems.markIdentity(kind.kind, leadId, kind.value))
        this.#suspects.set(keyText(key), () => lookAtIdentity(own, key, kind));
    }
    if (kind.kind === 'importedRow' && !expectedItems.has(leadId))
      this.#suspects.set(keyText(key), () => lookAtImportedRow(own, key));
  }

  async #examineEntry(
    { organizationId, leadId }: { readonly organizationId: number; readonly leadId: number },
    item: TableItem,
    segment: number,
    { own, organization, expectedItems }: ReadOrganization,
  ): Promise<void> {
    this.#captures.addEntry(leadId, item);
    if (!expectedItems.has(leadId) || entryIssues(item, organization).length > 0)
      this.#suspectLead(own, leadId);
    let open = this.#timelineOfSegment.get(segment);
    if (open?.organizationId !== organizationId || open.leadId !== leadId) {
      if (open) await this.#compare(open);
      open = { organizationId, leadId, replay: new TimelineReplay() };
      this.#timelineOfSegment.set(segment, open);
    }
    open.replay.add(item as TableItem & TimelineEntryItem);
  }

  async #compare({ organizationId, leadId, replay }: OpenTimeline): Promise<void> {
    const { own, expectedItems } = await this.readOrganization(organizationId);
    if (!expectedItems.has(leadId)) return;
    const isExplained = expectedItems.markTimeline(leadId, replay.explained);
    if (!isExplained || replay.openings !== 1) this.#suspectLead(own, leadId);
  }

  async #examineRecord(key: PrimaryKey, keyId: string, record: Item): Promise<void> {
    const organizationId = this.#organizationOfKey.get(keyId);
    if (organizationId === undefined) {
      // In a check of one organization, nearly all of these records are other organizations'.
      if (this.#options.organizationId === undefined) this.#strayRecords.push({ key, keyId });
      return;
    }
    const { expectedItems } = await this.readOrganization(organizationId);
    const leadId = recordedLead(record);
    if (typeof leadId !== 'number' || !expectedItems.has(leadId) || recordIssues(record).length > 0)
      return this.#suspectRecord(key, keyId);
    const capture = captureIn(record, keyId, leadId);
    if (capture) this.#captures.addRecord({ key, keyId }, capture);
  }

  #suspectRecord(key: PrimaryKey, keyId: string): void {
    this.#suspects.set(keyText(key), () =>
      lookAtRecord(this.#table, key, keyId, this.#organizationOfKey.get(keyId)),
    );
  }

  /** Adds the suspects that show only when everything was read, and looks at all. */
  async finish(): Promise<CheckResult> {
    for (const timeline of this.#timelineOfSegment.values()) await this.#compare(timeline);
    for (const organization of this.#organizations.values()) {
      const { own, expectedItems } = await organization;
      for (const leadId of expectedItems.incomplete()) this.#suspectLead(own, leadId);
    }
    if (this.#strayRecords.length > 0)
      for (const organizationId of this.#organizations.keys())
        await this.#readKeyIds(organizationId);
    for (const { key, keyId } of [...this.#strayRecords, ...this.#captures.unexplained])
      this.#suspectRecord(key, keyId);
    const violations = await wrongTwice([...this.#suspects.values()], this.#options.againAfterMs);
    return { leads: this.#leads, violations };
  }

  #reportProgress(): void {
    this.#options.onProgress?.({ leads: this.#leads, otherItems: this.#otherItems });
  }
}
