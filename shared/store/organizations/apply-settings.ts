import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { storedBytes } from '../../base/item-size.ts';
import { limits, settingsLimits } from '../../contract/limits.ts';
import { lookalikesAmong, type PlacedName } from '../../organization/lookalikes.ts';
import type { Settings } from '../../organization/organization.ts';
import {
  type ReferencingLead,
  type Removal,
  removalsBetween,
  withRemovalsInactive,
} from '../../organization/removals.ts';
import { type SettingsIssue, SettingsRejectedError } from '../../organization/settings-shape.ts';
import type { Table } from '../table/client.ts';
import { queryPages } from '../table/many-items.ts';
import { leadsPartitionKey } from '../table/primary-keys.ts';
import { listApiKeys } from './api-keys.ts';
import type { AuditAction } from './audit-log.ts';
import { readSettings, type StoredSettings } from './organizations.ts';
import { replaceSettings, type SettingsChange } from './replace-settings.ts';

/** Thrown if the current settings do not have the expected version. Nothing was applied. */
export class SettingsChangedError extends Error {
  override readonly name = 'SettingsChangedError';
}

export interface ApplyOptions {
  /** The version to replace, 0 for none; if omitted, any version. */
  readonly expectedVersion?: number;
  /** The names in the file, which is refused if two of them look alike. */
  readonly names?: readonly PlacedName[];
  /** For the audit log; if omitted, the service itself. */
  readonly action?: AuditAction;
  /** How to wait; replaced in tests. */
  readonly wait?: (ms: number) => Promise<unknown>;
  /** Called before a wait of many seconds. */
  readonly onWait?: (seconds: number, removals: readonly Removal[]) => void;
}

const defaultAction: AuditAction = { who: 'the service', what: 'organization apply' };

export type Applied = {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly version: number;
  /** The settings that were replaced, or the same settings if they were already current; undefined for a new organization. */
  readonly before: Settings | undefined;
};

/** No request runs longer than this. */
const longestRequestMs = (limits.functionTimeoutSeconds + 1) * 1000;

/**
 * Replaces an organization's settings under a new version; does nothing if they are already current. Never removes an item that a lead or
 * an API key refers to. A removal takes two steps: the item is deactivated; once the longest possible request has ended, it is removed if
 * there is still no reference. If the removal is interrupted, the item stays deactivated, and a repeat completes the removal.
 * @throws SettingsRejectedError that names every reference, or the size
 * @throws SettingsChangedError if the current version is not the expected one, or if other settings were applied during a removal
 * @throws ContentionError
 */
export async function applySettings(
  table: Table,
  settings: Settings,
  options: ApplyOptions = {},
): Promise<Applied> {
  assertFits(settings, 'The settings');
  const apply = new Apply(table, settings, options);
  try {
    // Each pass but the last either deactivated items, or lost a race to another apply or a new API key.
    for (;;) {
      const applied = await apply.pass();
      if (applied) return applied;
    }
  } catch (error) {
    if (error instanceof SettingsRejectedError) await apply.revert();
    throw error;
  }
}

/** Stored settings in which the items to remove are inactive. */
interface Inactive {
  /**
   * Since when the items are inactive, on the clock of `performance`. If they already were, the time when this apply read them, because the
   * clock of the machine that deactivated them may be wrong.
   */
  readonly since: number;
  /** The settings that this apply replaced to deactivate the items. */
  readonly replaced?: StoredSettings;
}

class Apply {
  readonly #table: Table;
  readonly #settings: Settings;
  readonly #options: ApplyOptions;
  #expectedVersion: number | undefined;
  #inactive: Inactive | undefined;

  constructor(table: Table, settings: Settings, options: ApplyOptions) {
    this.#table = table;
    this.#settings = settings;
    this.#options = options;
    this.#expectedVersion = options.expectedVersion;
  }

  /** @returns undefined if the settings must be read again */
  async pass(): Promise<Applied | undefined> {
    const settings = this.#settings;
    const before = await readSettings(this.#table, settings.id);
    const readAt = performance.now();
    if (this.#expectedVersion !== undefined && (before?.version ?? 0) !== this.#expectedVersion)
      throw new SettingsChangedError(
        `The settings of organization ${settings.id} were changed meanwhile: see what was applied with organization history, then run the command again.`,
      );
    if (before && isDeepStrictEqual(before.settings, settings))
      return { outcome: 'unchanged', version: before.version, before: before.settings };
    const lookalikes = lookalikesAmong(this.#options.names ?? [], before?.settings);
    if (lookalikes.length > 0)
      throw new SettingsRejectedError(
        'The file has names that look alike; nothing was changed.',
        lookalikes,
      );
    const removals = before ? removalsBetween(before.settings, settings) : [];
    if (before && removals.length > 0) {
      if (!this.#inactive) {
        if (await this.#deactivate(before, removals)) return undefined;
        this.#inactive = { since: readAt };
        this.#expectedVersion = before.version;
      }
      await this.#awaitRequests(this.#inactive, removals);
    }
    // A key that was created since the settings were read may name a removed user as its creator. In that case, nothing is replaced.
    const version = await this.#replace(before, settings);
    if (version === undefined) return undefined;
    const replaced = removals.length > 0 ? (this.#inactive?.replaced ?? before) : before;
    return { outcome: before ? 'updated' : 'created', version, before: replaced?.settings };
  }

  /** The first step of a removal. @returns false if the items are inactive already */
  async #deactivate(before: StoredSettings, removals: readonly Removal[]): Promise<boolean> {
    const isActive = removals.some(({ wasActive }) => wasActive);
    await this.#assertUnreferenced(removals, '');
    if (!isActive) return false;
    const settings = withRemovalsInactive(before.settings, this.#settings);
    assertFits(settings, 'The settings together with the items that they remove');
    const version = await this.#replace(before, settings, { isBetween: true });
    if (version === undefined) return true;
    this.#inactive = { since: performance.now(), replaced: before };
    this.#expectedVersion = version;
    return true;
  }

  /** Waits for requests that started before the items were inactive. */
  async #awaitRequests({ since }: Inactive, removals: readonly Removal[]): Promise<void> {
    const { wait = sleep, onWait } = this.#options;
    const seconds = Math.ceil((since + longestRequestMs - performance.now()) / 1000);
    if (seconds > 0) {
      onWait?.(seconds, removals);
      await wait(seconds * 1000);
    }
    await this.#assertUnreferenced(removals, ' A request in progress began to use one of them.');
  }

  async #assertUnreferenced(removals: readonly Removal[], why: string): Promise<void> {
    const issues = await referenceIssues(this.#table, this.#settings.id, removals);
    if (issues.length > 0)
      throw new SettingsRejectedError(
        `The file removes items that are still used; nothing was changed.${why}`,
        issues,
      );
  }

  /** After a rejection, restores the settings from before the first step, unless other settings have been applied since. */
  async revert(): Promise<void> {
    const { replaced } = this.#inactive ?? {};
    while (replaced) {
      const before = await readSettings(this.#table, this.#settings.id);
      if (before?.version !== this.#expectedVersion) return;
      const version = await this.#replace(before, replaced.settings, { isBetween: true });
      if (version !== undefined) return;
    }
  }

  #replace(
    before: StoredSettings | undefined,
    settings: Settings,
    step: Pick<SettingsChange['action'], 'isBetween'> = {},
  ): Promise<number | undefined> {
    const action = { ...(this.#options.action ?? defaultAction), ...step };
    return replaceSettings(this.#table, { before, settings, now: new Date(), action });
  }
}

interface ApplyPreview {
  /** Undefined for an organization that does not exist yet. */
  readonly before: StoredSettings | undefined;
  /** Why an apply would be rejected; empty if it would succeed. */
  readonly refusals: readonly SettingsIssue[];
}

/** Previews an apply. Writes nothing, but reads as much as an apply: every lead, if items are removed. */
export async function previewSettings(
  table: Table,
  settings: Settings,
  names: readonly PlacedName[] = [],
): Promise<ApplyPreview> {
  const before = await readSettings(table, settings.id);
  const removals = before ? removalsBetween(before.settings, settings) : [];
  const hasSteps = removals.some(({ wasActive }) => wasActive);
  return {
    before,
    refusals: [
      ...sizeIssues(settings),
      ...lookalikesAmong(names, before?.settings),
      ...(before && hasSteps ? sizeIssues(withRemovalsInactive(before.settings, settings)) : []),
      ...(await referenceIssues(table, settings.id, removals)),
    ],
  };
}

function assertFits(settings: Settings, what: string): void {
  const issues = sizeIssues(settings);
  if (issues.length > 0) throw new SettingsRejectedError(`${what} are too large.`, issues);
}

function sizeIssues(settings: Settings): readonly SettingsIssue[] {
  const bytes = Buffer.byteLength(JSON.stringify(settings));
  const itemBytes = storedBytes({ settings });
  const why =
    bytes > settingsLimits.maxBytes
      ? `but must be at most ${settingsLimits.maxBytes}`
      : `and its many small parts are stored as ${itemBytes} bytes, but must be at most ${settingsLimits.itemMaxBytes}`;
  return bytes > settingsLimits.maxBytes || itemBytes > settingsLimits.itemMaxBytes
    ? [{ path: '$', message: `is ${bytes} bytes with every default filled in, ${why}` }]
    : [];
}

/**
 * The removals that existing leads, archived or not, and API keys block. A revoked key also blocks, because it is always listed with its
 * creator. Consistent reads of every lead of the organization and of its list of keys: about one read unit per 4 KB of leads.
 */
async function referenceIssues(
  table: Table,
  organizationId: number,
  removals: readonly Removal[],
): Promise<readonly SettingsIssue[]> {
  if (removals.length === 0) return [];
  const leadsOf = await countReferencingLeads(table, organizationId, removals);
  const apiKeys = removals.some(({ userId }) => userId !== undefined)
    ? await listApiKeys(table, organizationId)
    : [];
  return removals.flatMap((removal) => {
    const leads = leadsOf.get(removal) ?? 0;
    const keyIds = apiKeys
      .filter(({ createdBy }) => createdBy === removal.userId)
      .map(({ keyId }) => keyId);
    const users = [
      ...(leads > 0 ? [`by ${leads} ${leads === 1 ? 'lead' : 'leads'}`] : []),
      ...(keyIds.length > 0
        ? [`as the creator of API ${keyIds.length === 1 ? 'key' : 'keys'} ${keyIds.join(', ')}`]
        : []),
    ].join(' and ');
    const { path, name, instead } = removal;
    return users ? [{ path, message: `(${name}) is still used ${users}: ${instead}` }] : [];
  });
}

async function countReferencingLeads(
  table: Table,
  organizationId: number,
  removals: readonly Removal[],
): Promise<Map<Removal, number>> {
  const counts = new Map<Removal, number>();
  const pages = queryPages<ReferencingLead>(table, leadsPartitionKey(organizationId), {
    ProjectionExpression: '#fields, stageId, pipelineId',
    ExpressionAttributeNames: { '#fields': 'fields' },
  });
  for await (const leads of pages)
    for (const removal of removals) {
      const references = leads.filter((lead) => removal.isReferencedBy(lead)).length;
      counts.set(removal, (counts.get(removal) ?? 0) + references);
    }
  return counts;
}
