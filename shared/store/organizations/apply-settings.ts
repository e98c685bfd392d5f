import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { storedBytes } from '../../item-size.ts';
import { limits } from '../../limits.ts';
import {
  type Removal,
  removalsBetween,
  withRemovalsInactive,
} from '../../organization/removals.ts';
import type { Settings } from '../../organization/settings-types.ts';
import type { Table } from '../table/client.ts';
import type { AuditAction } from './audit-log.ts';
import {
  readSettings,
  replaceSettings,
  type SettingsChange,
  type StoredSettings,
} from './organizations.ts';
import { findReferences, type Reference } from './references.ts';

/** Thrown when settings would remove items that are still in use, or are too large: nothing was applied. */
export class SettingsRejectedError extends Error {
  override readonly name = 'SettingsRejectedError';
  readonly issues: readonly { readonly path: string; readonly message: string }[];

  constructor(
    message: string,
    issues: readonly { readonly path: string; readonly message: string }[],
  ) {
    super(message);
    this.issues = issues;
  }
}

/** Thrown when the current settings are not of the version that was to be replaced: nothing was applied. */
export class SettingsMovedError extends Error {
  override readonly name = 'SettingsMovedError';
}

export interface ApplyOptions {
  /** Replace only this version; left out, any version. */
  readonly expectedVersion?: number;
  /** For the audit log; left out, the service itself. */
  readonly action?: AuditAction;
  readonly now?: () => Date;
  /** Waits; replaced in tests. */
  readonly wait?: (ms: number) => Promise<unknown>;
  /** Called before a wait of many seconds. */
  readonly onWait?: (seconds: number, removals: readonly Removal[]) => void;
}

const defaultAction: AuditAction = { who: 'the service', what: 'organization apply' };

export type Applied = {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly version: number;
  /** The settings that were replaced, or that were already the same; undefined for a new organization. */
  readonly before: Settings | undefined;
};

/** No request runs longer than this. */
const longestRequestMs = (limits.functionTimeoutSeconds + 1) * 1000;

/**
 * Replaces an organization's settings under a new version; does nothing if they are already the current ones.
 * An item that a lead or an API key refers to is never removed. A removal takes two steps: the item is deactivated, and removed when the
 * longest possible request has ended and there is still no reference. If it is interrupted, the item stays deactivated and a repeat
 * completes the removal.
 * @throws SettingsRejectedError naming every reference, or the size
 * @throws SettingsMovedError if the current version is not the expected one, or other settings were applied during a removal, twice
 * @throws ContentionError
 */
export async function applySettings(
  table: Table,
  settings: Settings,
  options: ApplyOptions = {},
): Promise<Applied> {
  assertFits(settings, 'The settings');
  const deactivations: Deactivation[] = [];
  try {
    return await replaceCurrent(table, settings, options, deactivations);
  } catch (error) {
    const last = deactivations.at(-1);
    if (error instanceof SettingsRejectedError && last) await revert(table, last, options);
    throw error;
  }
}

/** The first step of a removal. */
interface Deactivation {
  readonly before: StoredSettings;
  /** Of the settings whose items are inactive. */
  readonly version: number;
}

/** @param deactivations gets each one that was written */
async function replaceCurrent(
  table: Table,
  settings: Settings,
  options: ApplyOptions,
  deactivations: Deactivation[],
): Promise<Applied> {
  const { now = () => new Date(), action = defaultAction } = options;
  let { expectedVersion } = options;
  // Each pass but the last lost to another apply or a new API key.
  for (;;) {
    const before = await readSettings(table, settings.id);
    if (expectedVersion !== undefined && before?.version !== expectedVersion) {
      throw new SettingsMovedError(
        `Organization ${settings.id} no longer has version ${expectedVersion} of its settings.`,
      );
    }
    if (before && isDeepStrictEqual(before.settings, settings))
      return { outcome: 'unchanged', version: before.version, before: before.settings };
    const removals = before ? removalsBetween(before.settings, settings) : [];
    // Two applies that both remove something would replace each other without end.
    if (deactivations.length > 1 && removals.some(({ wasActive }) => wasActive))
      throw new SettingsMovedError(
        `Other settings of organization ${settings.id} were applied twice while this apply waited to remove items: see what they are, then apply again.`,
      );
    const onStep = (step: Deactivation): void => {
      deactivations.push(step);
      if (expectedVersion !== undefined) expectedVersion = step.version;
    };
    const version =
      before && removals.length > 0
        ? await replaceWithRemovals(table, { before, settings, removals }, { ...options, onStep })
        : await replaceSettings(table, { before, settings, now: now(), action });
    if (version !== undefined)
      return { outcome: before ? 'updated' : 'created', version, before: before?.settings };
  }
}

export interface ApplyPreview {
  /** Undefined for an organization that does not exist yet. */
  readonly before: StoredSettings | undefined;
  /** Why an apply would be rejected; empty if it would not be. */
  readonly refusals: SettingsRejectedError['issues'];
}

/** What an apply would do. Writes nothing; reads as much as an apply: every lead, if items are removed. */
export async function previewSettings(table: Table, settings: Settings): Promise<ApplyPreview> {
  const before = await readSettings(table, settings.id);
  const removals = before ? removalsBetween(before.settings, settings) : [];
  const references = await findReferences(table, settings.id, removals);
  const intermediate =
    before && removals.some(({ wasActive }) => wasActive)
      ? withRemovalsInactive(before.settings, settings)
      : settings;
  return {
    before,
    refusals: [
      ...sizeIssues(settings),
      ...(intermediate === settings ? [] : sizeIssues(intermediate)),
      ...referenceIssues(references),
    ],
  };
}

interface Replacement {
  readonly before: StoredSettings;
  readonly settings: Settings;
  readonly removals: readonly Removal[];
}

interface RemovalOptions extends ApplyOptions {
  /** Called when the intermediate settings are written. */
  readonly onStep: (step: Deactivation) => void;
}

async function replaceWithRemovals(
  table: Table,
  replacement: Replacement,
  options: RemovalOptions,
): Promise<number | undefined> {
  const readAt = performance.now();
  const { before, settings, removals } = replacement;
  const { now = () => new Date(), wait = sleep, onWait, action = defaultAction } = options;
  assertUnreferenced(await findReferences(table, settings.id, removals), '');
  const pause = async (ms: number): Promise<void> => {
    onWait?.(Math.ceil(ms / 1000), removals);
    await wait(ms);
  };
  if (removals.some(({ wasActive }) => wasActive))
    return deactivateAndRemove(table, replacement, options, pause);

  // The items are inactive already, but requests may be running that began before that. Only the clock of whoever deactivated them says
  // since when, and it may be wrong: the wait counts from when these settings were read here.
  const remainingMs = readAt + longestRequestMs - performance.now();
  if (remainingMs > 0) await pause(remainingMs);
  assertUnreferenced(await findReferences(table, settings.id, removals), '');
  return replaceSettings(table, { before, settings, now: now(), action });
}

async function deactivateAndRemove(
  table: Table,
  { before, settings, removals }: Replacement,
  { onStep, now = () => new Date(), action = defaultAction }: RemovalOptions,
  pause: (ms: number) => Promise<void>,
): Promise<number | undefined> {
  const intermediate = withRemovalsInactive(before.settings, settings);
  assertFits(intermediate, 'The settings together with the items that they remove');
  const version = await replaceSettings(table, {
    before,
    settings: intermediate,
    now: now(),
    action: { ...action, isBetween: true },
  });
  if (version === undefined) return undefined;
  onStep({ before, version });
  await pause(longestRequestMs);
  const references = await findReferences(table, settings.id, removals);
  assertUnreferenced(references, ' A request in progress began to use one of them.');
  const current = await readSettings(table, settings.id);
  // A key created since then may have a removed user as its creator, so the count must be from before the references were read.
  if (current?.version !== version || current.keysCreated !== before.keysCreated) return undefined;
  return replaceSettings(table, { before: current, settings, now: now(), action });
}

/** Restores the settings from before the first step, unless other settings have been applied since. */
async function revert(
  table: Table,
  { before: { settings }, version }: Deactivation,
  { now = () => new Date(), action = defaultAction }: ApplyOptions,
): Promise<void> {
  const step: SettingsChange['action'] = { ...action, isBetween: true };
  for (;;) {
    const current = await readSettings(table, settings.id);
    if (current?.version !== version) return;
    const change = { before: current, settings, now: now(), action: step };
    if ((await replaceSettings(table, change)) !== undefined) return;
  }
}

function assertFits(settings: Settings, what: string): void {
  const issues = sizeIssues(settings);
  if (issues.length > 0) throw new SettingsRejectedError(`${what} are too large.`, issues);
}

function sizeIssues(settings: Settings): SettingsRejectedError['issues'] {
  const bytes = Buffer.byteLength(JSON.stringify(settings));
  if (bytes > limits.settingsMaxBytes) {
    return [
      {
        path: '$',
        message: `is ${bytes} bytes with every default filled in, but must be at most ${limits.settingsMaxBytes}`,
      },
    ];
  }
  const itemBytes = storedBytes({ settings });
  if (itemBytes <= limits.settingsItemMaxBytes) return [];
  const why = `its many small parts are stored as ${itemBytes} bytes, but must be at most ${limits.settingsItemMaxBytes}`;
  return [{ path: '$', message: `is ${bytes} bytes with every default filled in, and ${why}` }];
}

function assertUnreferenced(references: readonly Reference[], why: string): void {
  const issues = referenceIssues(references);
  if (issues.length > 0)
    throw new SettingsRejectedError(
      `The file removes items that are still used; nothing was changed.${why}`,
      issues,
    );
}

function referenceIssues(references: readonly Reference[]): SettingsRejectedError['issues'] {
  return references.map(({ removal, leads, keyIds }) => {
    const users = [
      ...(leads > 0 ? [`by ${leads} ${leads === 1 ? 'lead' : 'leads'}`] : []),
      ...(keyIds.length > 0
        ? [`as the creator of API ${keyIds.length === 1 ? 'key' : 'keys'} ${keyIds.join(', ')}`]
        : []),
    ];
    return {
      path: removal.path,
      message: `(${removal.name}) is still used ${users.join(' and ')}: ${removal.instead}`,
    };
  });
}
