import type { RateLimits } from '../../rate-limits.ts';
import { listApiKeys } from '../organizations/api-keys.ts';
import { listOrganizations } from '../organizations/organizations.ts';
import type { Table } from '../table/client.ts';
import { type ItemKind, kindOf } from '../table/item-kind.ts';
import type { Item } from '../table/items.ts';
import { keyText, type PrimaryKey } from '../table/primary-keys.ts';
import { inParallel } from './in-parallel.ts';
import { isPositiveInteger } from './lead-issues.ts';
import {
  type OrganizationSnapshot,
  readSnapshot,
  recheckKeyItem,
  type ViolationReporter,
} from './organization-snapshot.ts';
import { readUntilStable } from './read-together.ts';
import { recheckErasure, recheckImportedRow, recheckRecord, recordedLead } from './recheck.ts';
import { recheckIdentities, recheckIdentityItem } from './recheck-identities.ts';
import { entryIssues, isOpening, recheckEntry, recheckOpening } from './recheck-timeline.ts';
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

/**
 * Verifies every invariant of the table during live traffic: what looks wrong is read again in one transaction before it is reported.
 * Each item is read once: first the leads, by organization and in parallel ranges of ids, then all other items in parallel segments. Memory:
 * 13 bytes for each lead (up to 26, because arrays double as they grow), each organization's users and keys, and the violations.
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
    (items) => check.readPage(items),
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

  async readPage(items: readonly TableItem[]): Promise<void> {
    const rechecks: (() => Promise<string[]>)[] = [];
    for (const item of items) {
      const recheck = await this.#examine(item);
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

  /** Rechecks the leads with missing items, and the records of API keys that were created during the scan. */
  async finish(): Promise<CheckResult> {
    if (this.#strayRecords.length > 0) await this.#checkStrayRecords();
    for (const snapshot of this.#snapshots.values()) {
      const { organizationId, expectedItems } = await snapshot;
      const own = { table: this.#table, organizationId };
      await inParallel(expectedItems.missingItems(), rechecksAtOnce, async ({ leadId, items }) => {
        if (items.includes('opening')) this.report(await recheckOpening(own, leadId));
        if (items.some((name) => name !== 'opening'))
          this.report(await recheckIdentities(own, leadId));
      });
    }
    return { leads: this.#leads, violations: [...this.#violations].sort() };
  }

  /** @returns the recheck to run if something looks wrong */
  async #examine(item: TableItem): Promise<(() => Promise<string[]>) | undefined> {
    const key = { pk: item.pk, sk: item.sk };
    const kind = kindOf(key);
    if (!kind) return () => this.#recheckUnknown(key);
    if (kind.kind === 'apiKey') return () => recheckKeyItem(this.#table, key, item);
    if (kind.kind === 'idempotency') return this.#examineRecord(key, kind.keyId, item);
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
      const isSecondOpening =
        isOpening(item) && !expectedItems.markOpening(leadId) && expectedItems.has(leadId);
      if (isSecondOpening) return () => recheckOpening(own, leadId);
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
      return () => this.#recheckRotation(key);
    return undefined; // settings, usage, listings and leads were read with the organization
  }

  async #recheckUnknown(key: PrimaryKey): Promise<string[]> {
    const [item] = await readUntilStable(this.#table, [key]);
    return item ? [`The item ${keyText(key)} is of no type that the service knows.`] : [];
  }

  async #recheckRotation(key: PrimaryKey): Promise<string[]> {
    const [counter] = await readUntilStable(this.#table, [key]);
    if (!counter || isPositiveInteger(counter.turns)) return [];
    return [
      `The turn ${keyText(key)} has counted ${JSON.stringify(counter.turns)}, which must be a number of turns taken.`,
    ];
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
    if (typeof leadId === 'number' && expectedItems.has(leadId)) return undefined;
    return () => recheckRecord({ table: this.#table, organizationId }, key, leadId);
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
        this.report(await recheckRecord({ table, organizationId }, key, leadId));
      else this.report(await this.#recheckStrayRecord(key, keyId));
    });
  }

  async #recheckStrayRecord(key: PrimaryKey, keyId: string): Promise<string[]> {
    const [record] = await readUntilStable(this.#table, [key]);
    return record
      ? [
          `The idempotency record ${keyText(key)} belongs to API key ${keyId}, which no organization lists.`,
        ]
      : [];
  }

  #reportProgress(): void {
    this.#options.onProgress?.({
      leads: this.#leads,
      otherItems: this.#otherItems,
      violations: this.#violations.size,
    });
  }
}
