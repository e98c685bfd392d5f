import { setTimeout as sleep } from 'node:timers/promises';
import type { RateLimits } from '../../rate-limits.ts';
import { listApiKeys } from '../organizations/api-keys.ts';
import { listOrganizations } from '../organizations/organizations.ts';
import type { Table } from '../table/client.ts';
import { type ItemKind, kindOf } from '../table/item-kind.ts';
import type { Item, TimelineEntryItem } from '../table/items.ts';
import type { PrimaryKey } from '../table/primary-keys.ts';
import { inParallel } from './in-parallel.ts';
import { isPositiveInteger } from './lead-issues.ts';
import { OpenTimelines, type ReadTimeline } from './open-timelines.ts';
import {
  type OrganizationSnapshot,
  readSnapshot,
  recheckKeyItem,
  type ViolationReporter,
} from './organization-snapshot.ts';
import {
  itemIssues,
  recheckErasure,
  recheckImportedRow,
  recheckItem,
  recheckRecord,
  recheckRotation,
  recheckStrayRecord,
  recheckUnknown,
  recordedLead,
} from './recheck.ts';
import { recheckIdentities, recheckIdentityItem } from './recheck-identities.ts';
import { entryIssues, recheckEntry, recheckTimeline } from './recheck-timeline.ts';
import { captureIn, RecordedCaptures, recordIssues } from './records-check.ts';
import { scanTable, type TableItem } from './scan.ts';

export interface CheckOptions {
  /** Check only this organization, which must exist. Items that name no organization are then not checked. */
  readonly organizationId?: number | undefined;
  /** The limits in force, as far as they are known. @default unknown: usage is compared with the highest that a deployment can have */
  readonly limits?: Partial<RateLimits>;
  readonly onProgress?: (progress: CheckProgress) => void;
}

/** What a check has read so far. */
export interface CheckProgress {
  readonly leads: number;
  readonly otherItems: number;
  readonly violations: number;
}

export interface CheckResult {
  readonly leads: number;
  /** One sentence each, sorted. */
  readonly violations: readonly string[];
}

const organizationsAtOnce = 4;
const rechecksAtOnce = 8;
/** The items of a transaction become visible one after another, within milliseconds. */
const againAfterMs = 500;

/**
 * Verifies every invariant of the table during live traffic: what looks wrong is read again before it is reported, in one transaction, or
 * twice where that is not possible. A lead is compared with its timeline, as far as that says what became of it: entries of 1.0.0 do not
 * say which values a lead had.
 * Each item is read once: first the leads, by organization and in parallel ranges of ids, then all other items in parallel segments. Memory:
 * 29 bytes for each lead (up to 58, because arrays double as they grow), 100 for each capture of the last day, each organization's users and
 * keys, and the violations.
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
    async (id) => void (await check.snapshotOf(id)),
  );
  await scanTable(
    table,
    organizationId,
    (items, segment) => check.readPage(items, segment),
    (key) => check.afterLeads(key),
  );
  return check.finish();
}

class TableCheck implements ViolationReporter {
  readonly #table: Table;
  readonly #options: CheckOptions;
  readonly #snapshots = new Map<number, Promise<OrganizationSnapshot>>();
  readonly #organizationOfKey = new Map<string, number>();
  /** Idempotency records of API keys that were unknown when the record was read, such as new keys. */
  #strayRecords: { readonly key: PrimaryKey; readonly keyId: string; readonly leadId: unknown }[] =
    [];
  readonly #timelines = new OpenTimelines();
  readonly #captures = new RecordedCaptures();
  /** What is read again at the end, and reported if it is wrong twice. */
  readonly #suspects: (() => Promise<string[]>)[] = [];
  readonly #violations = new Set<string>();
  #leads = 0;
  #otherItems = 0;

  constructor(table: Table, options: CheckOptions) {
    this.#table = table;
    this.#options = options;
  }

  report(violations: readonly string[]): void {
    for (const violation of violations) this.#violations.add(violation);
  }

  countLeads(leads: number): void {
    this.#leads += leads;
    this.#reportProgress();
  }

  addKey(keyId: string, organizationId: number): void {
    this.#organizationOfKey.set(keyId, organizationId);
  }

  /** An organization that the directory does not name is read when the scan reads its first item. */
  snapshotOf(organizationId: number): Promise<OrganizationSnapshot> {
    const snapshot =
      this.#snapshots.get(organizationId) ??
      readSnapshot({ table: this.#table, organizationId }, this.#options.limits ?? {}, this);
    this.#snapshots.set(organizationId, snapshot);
    return snapshot;
  }

  async readPage(items: readonly TableItem[], segment: number): Promise<void> {
    const rechecks: (() => Promise<string[]>)[] = [];
    for (const item of items) {
      const recheck = await this.#examine(item, segment);
      if (recheck) rechecks.push(recheck);
    }
    await inParallel(rechecks, rechecksAtOnce, async (recheck) => this.report(await recheck()));
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
    const { lastLead = key } = await this.snapshotOf(kind.organizationId);
    return lastLead.sk > key.sk ? lastLead : key;
  }

  /** Rechecks the leads with missing items, the records of API keys that were created during the scan, and what is suspect. */
  async finish(): Promise<CheckResult> {
    for (const timeline of this.#timelines.last) await this.#compare(timeline);
    if (this.#strayRecords.length > 0) await this.#checkStrayRecords();
    for (const snapshot of this.#snapshots.values()) {
      const { organizationId, expectedItems } = await snapshot;
      const own = { table: this.#table, organizationId };
      await inParallel(expectedItems.missingItems(), rechecksAtOnce, async ({ leadId, items }) => {
        if (items.includes('timeline')) this.#suspects.push(() => recheckTimeline(own, leadId));
        if (items.some((name) => name !== 'timeline'))
          this.report(await recheckIdentities(own, leadId));
      });
    }
    for (const { organizationId, key, keyId, leadId } of this.#captures.waiting) {
      const own = { table: this.#table, organizationId };
      this.#suspects.push(() => recheckRecord(own, key, keyId, leadId));
    }
    await this.#reportWrongTwice();
    return { leads: this.#leads, violations: [...this.#violations].sort() };
  }

  async #reportWrongTwice(): Promise<void> {
    const wrong: (() => Promise<string[]>)[] = [];
    await inParallel(this.#suspects, rechecksAtOnce, async (recheck) => {
      if ((await recheck()).length > 0) wrong.push(recheck);
    });
    if (wrong.length > 0) await sleep(againAfterMs);
    await inParallel(wrong, rechecksAtOnce, async (recheck) => this.report(await recheck()));
  }

  async #compare({ organizationId, leadId, replay }: ReadTimeline): Promise<void> {
    const { expectedItems } = await this.snapshotOf(organizationId);
    if (!expectedItems.has(leadId)) return;
    const isExplained = expectedItems.markTimeline(leadId, replay.explained);
    const own = { table: this.#table, organizationId };
    if (!isExplained || replay.openings !== 1)
      this.#suspects.push(() => recheckTimeline(own, leadId));
  }

  /** @returns the recheck to run if something looks wrong */
  async #examine(item: TableItem, segment: number): Promise<(() => Promise<string[]>) | undefined> {
    const key = { pk: item.pk, sk: item.sk };
    const kind = kindOf(key);
    if (!kind) return () => recheckUnknown(this.#table, key);
    if (kind.kind === 'apiKey') return () => recheckKeyItem(this.#table, key, item);
    if (kind.kind === 'idempotency') return this.#examineRecord(key, kind.keyId, item);
    if (kind.kind === 'timeline') {
      this.#captures.addEntry(kind.leadId, item);
      const ended = this.#timelines.add(segment, kind, item as TimelineEntryItem & TableItem);
      if (ended) await this.#compare(ended);
    } else if (kind.kind !== 'lead' && itemIssues(item).length > 0)
      this.#suspects.push(() => recheckItem(this.#table, key));
    const snapshot = await this.snapshotOf(kind.organizationId);
    return this.#examineInOrganization(kind, item, snapshot);
  }

  #examineInOrganization(
    kind: Exclude<ItemKind, { kind: 'apiKey' | 'idempotency' }>,
    item: TableItem,
    { expectedItems, userIds }: OrganizationSnapshot,
  ): (() => Promise<string[]>) | undefined {
    const key = { pk: item.pk, sk: item.sk };
    const own = { table: this.#table, organizationId: kind.organizationId };
    if (kind.kind === 'phone' || kind.kind === 'email') {
      const { leadId } = item;
      if (typeof leadId === 'number' && expectedItems.markIdentity(kind.kind, leadId, kind.value))
        return undefined;
      return () => recheckIdentityItem(own, kind, leadId);
    }
    if (kind.kind === 'timeline') {
      const { leadId } = kind;
      const isSound = expectedItems.has(leadId) && entryIssues(item, key.sk, userIds).length === 0;
      return isSound ? undefined : () => recheckEntry(own, key, leadId);
    }
    if (kind.kind === 'importedRow') {
      return typeof item.leadId === 'number' && expectedItems.has(item.leadId)
        ? undefined
        : () => recheckImportedRow(own, key);
    }
    if (kind.kind === 'erasure') return () => recheckErasure(own, key, kind.leadId);
    if (kind.kind === 'turn' && !isPositiveInteger(item.turns))
      return () => recheckRotation(this.#table, key);
    return undefined; // settings, usage, listings and leads were read with the organization
  }

  async #examineRecord(
    key: PrimaryKey,
    keyId: string,
    record: Item,
  ): Promise<(() => Promise<string[]>) | undefined> {
    const leadId = recordedLead(record);
    const organizationId = this.#organizationOfKey.get(keyId);
    if (organizationId === undefined) {
      // In a check of one organization, nearly all of these records are other organizations'.
      if (this.#options.organizationId === undefined)
        this.#strayRecords.push({ key, keyId, leadId });
      return undefined;
    }
    const { expectedItems } = await this.snapshotOf(organizationId);
    const own = { table: this.#table, organizationId };
    if (typeof leadId !== 'number' || !expectedItems.has(leadId) || recordIssues(record).length > 0)
      return () => recheckRecord(own, key, keyId, leadId);
    const capture = captureIn(record, keyId, leadId);
    if (capture) this.#captures.addRecord(capture, { organizationId, key, keyId, leadId });
    return undefined;
  }

  async #checkStrayRecords(): Promise<void> {
    const table = this.#table;
    for (const organizationId of this.#snapshots.keys()) {
      for (const { keyId } of await listApiKeys(table, organizationId))
        this.addKey(keyId, organizationId);
    }
    await inParallel(this.#strayRecords, rechecksAtOnce, async ({ key, keyId, leadId }) => {
      const organizationId = this.#organizationOfKey.get(keyId);
      if (organizationId !== undefined)
        this.#suspects.push(() => recheckRecord({ table, organizationId }, key, keyId, leadId));
      else this.report(await recheckStrayRecord(table, key, keyId));
    });
  }

  #reportProgress(): void {
    this.#options.onProgress?.({
      leads: this.#leads,
      otherItems: this.#otherItems,
      violations: this.#violations.size,
    });
  }
}
