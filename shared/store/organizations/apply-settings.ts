import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { storedBytes } from '../../item-size.ts';
import { limits } from '../../limits.ts';
import { type Removal, removalsBetween, withRemovalsInactive } from '../../organization/removals.ts';
import type { Settings } from '../../organization/settings-types.ts';
import type { Table } from '../table/client.ts';
import type { AuditAction } from './audit-log.ts';
import { readSettings, replaceSettings, type StoredSettings } from './organizations.ts';
import { findReferences, type Reference } from './references.ts';

/** Settings that would drop what is in use, or that do not fit: nothing was applied. */
export class SettingsRejectedError extends Error {
  override readonly name = 'SettingsRejectedError';
  readonly issues: readonly { readonly path: string; readonly message: string }[];

  constructor(sentence: string, issues: readonly { readonly path: string; readonly message: string }[]) {
    super(sentence);
    this.issues = issues;
  }
}

/** The settings are no longer of the version that was to be replaced: nothing was applied in the place of the newer ones. */
export class SettingsMoved extends Error {
  override readonly name = 'SettingsMoved';
}

export interface ApplyOptions {
  /** Only in the place of this version; left out, of whichever there is. */
  readonly expectedVersion?: number;
  /** For the history; left out, the service itself did it. */
  readonly action?: AuditAction;
  readonly now?: () => Date;
  /** Lets the given milliseconds pass; replaced in tests. */
  readonly wait?: (ms: number) => Promise<unknown>;
  /** Told before a wait, which is long for a person. */
  readonly onWait?: (seconds: number, removals: readonly Removal[]) => void;
}

const ownDeed: AuditAction = { who: 'the service', what: 'organization apply' };

export type Applied = { readonly outcome: 'created' | 'updated' | 'unchanged'; readonly version: number };

/** No request that began before this time ago is still running. */
const longestRequestMs = (limits.functionTimeoutSeconds + 1) * 1000;

/**
 * Makes these settings the organization's, whole, with a new version; the same settings again write nothing.
 * What a lead or a key's creator still uses is never dropped, in two steps: what is dropped is deactivated first, and goes when,
 * after the longest request, there is still no use. Broken off in between, it stays deactivated, and a repeat completes it.
 * @throws SettingsRefused naming every use, or the size.
 * @throws SettingsMoved when another version than the expected one holds
 */
export async function applySettings(table: Table, settings: Settings, options: ApplyOptions = {}): Promise<Applied> {
  const { now = () => new Date(), action = ownDeed } = options;
  let { expectedVersion } = options;
  refuseTooLarge(settings, 'The settings');
  // Each turn but the last met another apply, or a key being made, which was done then: someone always comes through.
  for (;;) {
    const before = await readSettings(table, settings.id);
    if (expectedVersion !== undefined && before?.version !== expectedVersion) {
      throw new SettingsMoved(`Organization ${settings.id} has no longer version ${expectedVersion} of its settings.`);
    }
    if (before && isDeepStrictEqual(before.settings, settings)) return { outcome: 'unchanged', version: before.version };
    const removals = before ? removalsBetween(before.settings, settings) : [];
    const onStep = (version: number): void => {
      if (expectedVersion !== undefined) expectedVersion = version;
    };
    const version =
      before && removals.length > 0
        ? await replaceWithDrops(table, before, settings, { ...options, drops: removals, onStep })
        : await replaceSettings(table, before, settings, now(), action);
    if (version !== undefined) return { outcome: before ? 'updated' : 'created', version };
  }
}

export interface ApplyPreview {
  /** Undefined for an organization that is not there yet. */
  readonly before: StoredSettings | undefined;
  /** What applying would be refused for; empty when it would be done. */
  readonly refusals: SettingsRejectedError['issues'];
}

/** What applying the settings would meet, with nothing written. Costs what an apply reads: every lead, when something is dropped. */
export async function previewSettings(table: Table, settings: Settings): Promise<ApplyPreview> {
  const before = await readSettings(table, settings.id);
  const removals = before ? removalsBetween(before.settings, settings) : [];
  const references = await findReferences(table, settings.id, removals);
  const between =
    before && removals.some(({ wasActive }) => wasActive) ? withRemovalsInactive(before.settings, settings) : settings;
  return {
    before,
    refusals: [...sizeProblems(settings), ...(between === settings ? [] : sizeProblems(between)), ...useProblems(references)],
  };
}

interface DropOptions extends ApplyOptions {
  readonly drops: readonly Removal[];
  /** Told the version of the settings in between. */
  readonly onStep: (version: number) => void;
}

async function replaceWithDrops(
  table: Table,
  before: StoredSettings,
  settings: Settings,
  { drops: removals, onStep, now = () => new Date(), wait = sleep, onWait, action = ownDeed }: DropOptions,
): Promise<number | undefined> {
  const seenAt = performance.now();
  refuseUses(await findReferences(table, settings.id, removals), '');
  const pause = async (ms: number): Promise<void> => {
    onWait?.(Math.ceil(ms / 1000), removals);
    await wait(ms);
  };

  if (!removals.some(({ wasActive }) => wasActive)) {
    // Inactive already; what is left to wait for are requests from before it became so. Since when it is, only the clock of whoever
    // made it so could say, which may be ahead or behind: it is counted from when these settings were seen here.
    const leftMs = seenAt + longestRequestMs - performance.now();
    if (leftMs > 0) await pause(leftMs);
    refuseUses(await findReferences(table, settings.id, removals), '');
    return replaceSettings(table, before, settings, now(), action);
  }

  const between = withRemovalsInactive(before.settings, settings);
  refuseTooLarge(between, 'The settings together with what they drop');
  const version = await replaceSettings(table, before, between, now(), { ...action, isBetween: true });
  if (version === undefined) return undefined;
  onStep(version);
  await pause(longestRequestMs);
  const references = await findReferences(table, settings.id, removals);
  if (references.length > 0) await restore(table, before.settings, version, now, action);
  refuseUses(references, ' A request that was still running came to use it.');
  const current = await readSettings(table, settings.id);
  // A key made since then may have a dropped user as its creator, so its count must be from before the look for uses.
  if (current?.version !== version || current.keysCreated !== before.keysCreated) return undefined;
  return replaceSettings(table, current, settings, now(), action);
}

/** Puts back what was there before the first step, unless someone else has applied settings since. */
async function restore(table: Table, settings: Settings, version: number, now: () => Date, action: AuditAction): Promise<void> {
  for (;;) {
    const current = await readSettings(table, settings.id);
    if (current?.version !== version) return;
    if ((await replaceSettings(table, current, settings, now(), { ...action, isBetween: true })) !== undefined) return;
  }
}

function refuseTooLarge(settings: Settings, what: string): void {
  const issues = sizeProblems(settings);
  if (issues.length > 0) throw new SettingsRejectedError(`${what} are too large.`, issues);
}

function sizeProblems(settings: Settings): SettingsRejectedError['issues'] {
  const bytes = Buffer.byteLength(JSON.stringify(settings));
  if (bytes > limits.settingsMaxBytes) {
    return [{ path: '$', message: `is ${bytes} bytes with every default filled in: at most ${limits.settingsMaxBytes} fit` }];
  }
  const itemBytes = storedBytes({ settings });
  if (itemBytes <= limits.settingsItemMaxBytes) return [];
  const why = `its many small parts come to ${itemBytes} bytes as they are stored: at most ${limits.settingsItemMaxBytes} fit`;
  return [{ path: '$', message: `is ${bytes} bytes with every default filled in, and ${why}` }];
}

function refuseUses(references: readonly Reference[], why: string): void {
  const issues = useProblems(references);
  if (issues.length > 0) throw new SettingsRejectedError(`The file drops what is still used; nothing was changed.${why}`, issues);
}

function useProblems(references: readonly Reference[]): SettingsRejectedError['issues'] {
  return references.map(({ removal, leads, keyIds }) => {
    const users = [
      ...(leads > 0 ? [`by ${leads} ${leads === 1 ? 'lead' : 'leads'}`] : []),
      ...(keyIds.length > 0 ? [`as the creator of API ${keyIds.length === 1 ? 'key' : 'keys'} ${keyIds.join(', ')}`] : []),
    ];
    return { path: removal.path, message: `(${removal.name}) is still used ${users.join(' and ')}: ${removal.instead}` };
  });
}
