import { isDeepStrictEqual } from 'node:util';
import { withRemovalsInactive } from '../../../shared/organization/removals.ts';
import type { Settings } from '../../../shared/organization/settings-types.ts';
import { readAuditLog, readKeptSettings } from '../../../shared/store/organizations/audit-log.ts';
import type { StoredSettings } from '../../../shared/store/organizations/organizations.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { changeLine, settingsChanges } from './settings-diff.ts';

/** A settings file whose version is older than the one in force: to apply it would undo what others applied since. */
export interface OutdatedFile {
  readonly settings: Settings;
  readonly version: number;
  readonly inForce: StoredSettings;
  /** The settings of the file's version; undefined if they are no longer kept. */
  readonly base: Settings | undefined;
}

interface FileVersion {
  readonly settings: Settings;
  readonly version: number | undefined;
}

/**
 * Whether an apply of the file must be refused; undefined if not. A file without a version never is, nor one whose settings are in force
 * already, nor the repeat of an apply that was interrupted while it removed items.
 */
export async function outdatedFile(
  table: Table,
  inForce: StoredSettings | undefined,
  { settings, version }: FileVersion,
): Promise<OutdatedFile | undefined> {
  if (!inForce || version === undefined || version >= inForce.version) return undefined;
  if (isDeepStrictEqual(inForce.settings, settings)) return undefined;
  const base = await readKeptSettings(table, settings.id, version);
  if (base && isDeepStrictEqual(inForce.settings, withRemovalsInactive(base, settings)))
    return undefined;
  if (base && isDeepStrictEqual(inForce.settings, base) && (await isRevert(table, inForce)))
    return undefined;
  return { settings, version, inForce, base };
}

/** Entries of the audit log that are searched for the version in force: it is one of the newest. */
const entriesMax = 200;

const entryOf = async (table: Table, { settings, version }: StoredSettings) =>
  (await readAuditLog(table, settings.id, entriesMax)).find(
    ({ versionAfter }) => versionAfter === version,
  );

/** Whether an apply wrote the settings in force when it took back its own first step. */
const isRevert = async (table: Table, inForce: StoredSettings): Promise<boolean> =>
  (await entryOf(table, inForce))?.isBetween === true;

/** What is wrong with the version of an outdated file, to follow `$.version`. */
export const outdatedIssue = ({ version, inForce }: OutdatedFile): string =>
  `is ${version}, but version ${inForce.version} is in force: merge its changes into the file, or add --overwrite`;

/** Why an outdated file is refused: the versions, what others changed since, and what the file would change. */
export async function outdatedLines(table: Table, outdated: OutdatedFile): Promise<string[]> {
  const { settings, version, inForce } = outdated;
  return [
    `Nothing was applied: the file has settings version ${version}, but version ${inForce.version} is in force; merge the changes, or add --overwrite.`,
    ...(await changedSinceLines(table, outdated)),
    'The file would change:',
    ...settingsChanges(inForce.settings, settings).map(changeLine),
    `To merge, save the output of organization show ${settings.id}, repeat your change in it, and apply that.`,
  ];
}

/** What others changed after the file was made, and who applied the version in force. */
export async function changedSinceLines(
  table: Table,
  { version, inForce, base }: OutdatedFile,
): Promise<string[]> {
  const entry = await entryOf(table, inForce);
  const by = entry ? ` by ${entry.who}` : '';
  const applied = `Version ${inForce.version} was applied on ${inForce.appliedAt}${by}.`;
  if (!base)
    return [`${applied} Version ${version} is no longer kept: its differences are unknown.`];
  return [
    `${applied} Changed since version ${version}:`,
    ...settingsChanges(base, inForce.settings).map(changeLine),
  ];
}
