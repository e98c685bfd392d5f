import { listApiKeys } from '../organizations/api-keys.ts';
import { listOrganizations } from '../organizations/organizations.ts';
import type { Table } from '../table/client.ts';
import { type ItemKind, kindOf, named } from '../table/item-kind.ts';
import type { PrimaryKey } from '../table/primary-keys.ts';
import { inParallel } from './in-parallel.ts';
import { type OrganizationSnapshot, readSnapshot, recheckKeyItem, type ViolationReporter } from './organization-snapshot.ts';
import type { Item } from './read-together.ts';
import {
  entryIssues,
  isOpening,
  readUntilStable,
  recheckEntry,
  recheckErasure,
  recheckIdentities,
  recheckIdentityItem,
  recheckImportedRow,
  recheckOpening,
  recheckRecord,
  recordedLead,
} from './recheck.ts';
import { scanTable } from './scan.ts';

export interface CheckOptions {
  /** Only this organization, which must be there. What does not say whose it is, by key or attribute, then belongs to nobody. */
  readonly organizationId?: number | undefined;
  readonly onProgress?: (progress: CheckProgress) => void;
}

/** How far a check is: what it has read. */
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

const booksAtOnce = 4;
const rechecksAtOnce = 8;

/**
 * Verifies every invariant of the table beside live traffic: what looks wrong is read again in one transaction before it is reported.
 * Each item is read once: the leads by organization, in parallel ranges of ids, then all else in parallel segments. Held in memory are
 * 13 bytes for each lead (at most twice that, as lists double), each organization's users and keys, and the violations.
 */
export async function checkTable(table: Table, options: CheckOptions = {}): Promise<CheckResult> {
  const check = new TableCheck(table, options);
  const { organizationId } = options;
  const organizationIds = organizationId === undefined ? (await listOrganizations(table)).map(({ id }) => id) : [organizationId];
  await inParallel(organizationIds, booksAtOnce, async (id) => void (await check.bookOf(id)));
  await scanTable(
    table,
    organizationId,
    (items) => check.readPage(items),
    (key) => check.afterLeads(key),
  );
  return check.finish();
}

type TableItem = Item & PrimaryKey;

const isTurns = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

class TableCheck implements ViolationReporter {
  readonly #table: Table;
  readonly #options: CheckOptions;
  readonly #books = new Map<number, Promise<OrganizationSnapshot>>();
  readonly #organizationOfKey = new Map<string, number>();
  /** Idempotency records of API keys that were not known when they were met, such as keys made since. */
  #strayRecords: { readonly key: PrimaryKey; readonly keyId: string; readonly leadId: unknown }[] = [];
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
    this.#tell();
  }

  knowKey(keyId: string, organizationId: number): void {
    this.#organizationOfKey.set(keyId, organizationId);
  }

  /** An organization is read when the first of its items is met, if the directory does not name it. */
  bookOf(organizationId: number): Promise<OrganizationSnapshot> {
    const open = this.#books.get(organizationId) ?? readSnapshot(this.#table, organizationId, this);
    this.#books.set(organizationId, open);
    return open;
  }

  async readPage(items: readonly TableItem[]): Promise<void> {
    const rechecks: (() => Promise<string[]>)[] = [];
    for (const item of items) {
      const recheck = await this.#look(item);
      if (recheck) rechecks.push(recheck);
    }
    await inParallel(rechecks, rechecksAtOnce, async (recheck) => this.report(await recheck()));
    this.#otherItems += items.length;
    this.#tell();
  }

  /** An organization's leads are one partition, and read already: a scan that has come to it goes on behind the last of them. */
  async afterLeads(key: PrimaryKey): Promise<PrimaryKey> {
    const kind = kindOf(key);
    if (kind?.kind !== 'lead' || kind.organizationId !== (this.#options.organizationId ?? kind.organizationId)) return key;
    const { lastLead = key } = await this.bookOf(kind.organizationId);
    return lastLead.sk > key.sk ? lastLead : key;
  }

  /** What the scan could not see of leads, and records whose API key was made meanwhile. */
  async finish(): Promise<CheckResult> {
    const table = this.#table;
    if (this.#strayRecords.length > 0) await this.#lookAtStrayRecords();
    for (const open of this.#books.values()) {
      const { organizationId, expectedItems } = await open;
      await inParallel(expectedItems.lacking(), rechecksAtOnce, async ({ leadId, what }) => {
        if (what.includes('opening')) this.report(await recheckOpening(table, organizationId, leadId));
        if (what.some((name) => name !== 'opening')) this.report(await recheckIdentities(table, organizationId, leadId));
      });
    }
    return { leads: this.#leads, violations: [...this.#violations].sort() };
  }

  /** Looks at one item; gives what must be read again where something looks wrong. */
  async #look(item: TableItem): Promise<(() => Promise<string[]>) | undefined> {
    const key = { pk: item.pk, sk: item.sk };
    const kind = kindOf(key);
    if (!kind) return () => this.#lookAtUnknown(key);
    if (kind.kind === 'apiKey') return () => recheckKeyItem(this.#table, key, item);
    if (kind.kind === 'idempotency') return this.#lookAtRecord(key, kind.keyId, item);
    const snapshot = await this.bookOf(kind.organizationId);
    return this.#lookInBook(key, kind, item, snapshot);
  }

  #lookInBook(
    key: PrimaryKey,
    kind: Exclude<ItemKind, { kind: 'apiKey' | 'idempotency' }>,
    item: Item,
    { expectedItems, userIds }: OrganizationSnapshot,
  ): (() => Promise<string[]>) | undefined {
    const table = this.#table;
    const { organizationId } = kind;
    if (kind.kind === 'phone' || kind.kind === 'email') {
      const { leadId } = item;
      if (typeof leadId === 'number' && expectedItems.seeIdentity(kind.kind, leadId, kind.value)) return undefined;
      return () => recheckIdentityItem(table, organizationId, kind.kind, kind.value, leadId);
    }
    if (kind.kind === 'timeline') {
      const { leadId } = kind;
      const isSecondOpening = isOpening(item) && !expectedItems.seeOpening(leadId) && expectedItems.has(leadId);
      if (isSecondOpening) return () => recheckOpening(table, organizationId, leadId);
      const isSound = expectedItems.has(leadId) && entryIssues(item, key.sk, userIds).length === 0;
      return isSound ? undefined : () => recheckEntry(table, key, organizationId, leadId);
    }
    if (kind.kind === 'importedRow') {
      return typeof item.leadId === 'number' && expectedItems.has(item.leadId)
        ? undefined
        : () => recheckImportedRow(table, key, organizationId);
    }
    if (kind.kind === 'erasure') return () => recheckErasure(table, key, organizationId, kind.leadId);
    if (kind.kind === 'turn' && !isTurns(item.turns)) return () => this.#lookAtTurn(key);
    return undefined; // settings, usage, listings and leads are read with the organization
  }

  async #lookAtUnknown(key: PrimaryKey): Promise<string[]> {
    const [item] = await readUntilStable(this.#table, [key]);
    return item ? [`The item ${named(key)} is of no type that the service knows.`] : [];
  }

  async #lookAtTurn(key: PrimaryKey): Promise<string[]> {
    const [turn] = await readUntilStable(this.#table, [key]);
    if (!turn || isTurns(turn.turns)) return [];
    return [`The turn ${named(key)} has counted ${JSON.stringify(turn.turns)}, which must be a number of turns taken.`];
  }

  async #lookAtRecord(key: PrimaryKey, keyId: string, record: Item): Promise<(() => Promise<string[]>) | undefined> {
    const leadId = recordedLead(record);
    const organizationId = this.#organizationOfKey.get(keyId);
    if (organizationId === undefined) {
      // Of one organization alone, they are nearly all the others'.
      if (this.#options.organizationId === undefined) this.#strayRecords.push({ key, keyId, leadId });
      return undefined;
    }
    const { expectedItems } = await this.bookOf(organizationId);
    if (typeof leadId === 'number' && expectedItems.has(leadId)) return undefined;
    return () => recheckRecord(this.#table, key, organizationId, leadId);
  }

  async #lookAtStrayRecords(): Promise<void> {
    const table = this.#table;
    for (const organizationId of this.#books.keys()) {
      for (const { keyId } of await listApiKeys(table, organizationId)) this.knowKey(keyId, organizationId);
    }
    await inParallel(this.#strayRecords, rechecksAtOnce, async ({ key, keyId, leadId }) => {
      const organizationId = this.#organizationOfKey.get(keyId);
      if (organizationId !== undefined) this.report(await recheckRecord(table, key, organizationId, leadId));
      else this.report(await this.#strayRecord(key, keyId));
    });
  }

  async #strayRecord(key: PrimaryKey, keyId: string): Promise<string[]> {
    const [record] = await readUntilStable(this.#table, [key]);
    return record ? [`The idempotency record ${named(key)} belongs to API key ${keyId}, which no organization lists.`] : [];
  }

  #tell(): void {
    this.#options.onProgress?.({ leads: this.#leads, otherItems: this.#otherItems, violations: this.#violations.size });
  }
}
