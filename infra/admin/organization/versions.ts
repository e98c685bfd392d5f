import { isDeepStrictEqual } from 'node:util';
import { limits } from '../../../shared/contract/limits.ts';
import { toSettingsFile } from '../../../shared/organization/settings.ts';
import {
  readAuditLog,
  readKeptSettings,
  versionsBefore,
  versionsKept,
} from '../../../shared/store/organizations/audit-log.ts';
import {
  listOrganizations,
  readSettings,
  type StoredSettings,
} from '../../../shared/store/organizations/organizations.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf, formatTable } from '../../cli/format.ts';
import { integerOption } from '../../cli/options.ts';
import type { AdminCommand } from '../command.ts';
import { type CommandContext, unknownOrganizationError } from '../context.ts';
import { applyAndNote } from './apply.ts';
import { changeLine, changeLines, settingsChanges } from './settings-diff.ts';

/** How many entries of the audit log are printed, or searched for an earlier version. */
const entriesMax = 10_000;

const parseVersion = integerOption(1, limits.idMax);

/** `organization show`, `diff` and `list`. */
export function organizationShowCommands(organization: AdminCommand): void {
  organization
    .ofOrganization(
      'show',
      'print the settings of an organization, in the format of the settings file',
    )
    .option('--version <N>', 'a kept version (default: the version in force)', parseVersion)
    .notes(`
Edit the output and apply it: organization apply refuses it if others have
applied settings in the meantime. organization history lists the versions.

Example:
  npm run --silent admin -- organization show 1 > organization-1.json`)
    .json('the settings as a settings file, with "version":N')
    .run(show);
  organization
    .ofOrganization('diff', 'print what changed between two versions of the settings')
    .requiredOption('--from <N>', 'the earlier version', parseVersion)
    .option('--to <N>', 'the later version (default: the version in force)', parseVersion)
    .notes(`
organization history lists the versions, and who applied them.`)
    .examples('1 --from 3 --to 5')
    .json('{"changes":[{"path":"$.sources[id=9]","kind":"added|removed|changed"}]}')
    .run(diff);
  organization
    .command('list')
    .description('list the organizations of the table')
    .examples('')
    .json('{"items":[{"id","name"}]}')
    .run(list);
}

const entriesDefault = 50;

/** `organization history` and `undo`. */
export function organizationHistoryCommands(organization: AdminCommand): void {
  organization
    .ofOrganization('history', 'print the audit log: who changed what and when, newest first')
    .option(
      '--limit <N>',
      `maximum number of entries, 1 to ${entriesMax}`,
      integerOption(1, entriesMax),
      entriesDefault,
    )
    .notes(`
An entry that ends in "begun" belongs to a long command that is running or was
interrupted: run an interrupted one again. ENDED is when a long command completed.`)
    .examples('--organization 1')
    .json(
      '{"items":[{"at","endedAt"?,"who","what","versionBefore"?,"versionAfter"?,"isBetween"?,"erasedLeadId"?,"restoredTableId"?}]}, without personal data',
    )
    .run(history);
  organization
    .ofOrganization('undo', 'apply an earlier version of the settings again, as a new version')
    .option(
      '--to <N>',
      'a kept version (default: the one before the last apply; a second undo reverses the first)',
      parseVersion,
    )
    .option('--yes', 'do not ask for confirmation')
    .notes(`
The last ${versionsKept} versions are kept: organization history lists them. If something
that was added since is in use, the undo is refused.`)
    .examples('--organization 1 --to 3')
    .json('{"organization":{"id":1}}')
    .run(undo);
}

async function show(context: CommandContext, options: { version?: number }): Promise<void> {
  const inForce = await settingsInForce(context);
  const { settings, version } = await settingsOfVersion(context, inForce, options.version);
  const { id, ...rest } = toSettingsFile(settings);
  const file = { id, version, ...rest };
  context.print(file, JSON.stringify(file, null, 2));
}

interface DiffOptions {
  readonly from: number;
  readonly to?: number;
}

async function diff(context: CommandContext, { from, to }: DiffOptions): Promise<void> {
  const { organizationId } = context;
  const inForce = await settingsInForce(context);
  const before = await settingsOfVersion(context, inForce, from);
  const after = await settingsOfVersion(context, inForce, to);
  const changes = settingsChanges(before.settings, after.settings);
  const kinds = changes.map(({ path, change }) => ({
    path,
    kind: change === 'added' || change === 'removed' ? change : 'changed',
  }));
  const total =
    changes.length === 0
      ? `Organization ${organizationId}: versions ${from} and ${after.version} have the same settings.`
      : `Organization ${organizationId}, from version ${from} to version ${after.version}:`;
  context.print({ changes: kinds }, total, changes.map(changeLine));
}

async function undo(context: CommandContext, { to }: { to?: number }): Promise<void> {
  const { organizationId: id } = context;
  const inForce = await settingsInForce(context);
  if (to === inForce.version)
    throw new CommandError(`Version ${to} of the settings is in force already.`);
  const target = await (to === undefined
    ? settingsBefore(context, inForce)
    : settingsOfVersion(context, inForce, to));
  const lines = changeLines(inForce.settings, target.settings);
  const targetText = `the settings of version ${target.version}`;
  await context.confirm(
    [`Organization ${id} goes back to ${targetText}:`, ...lines].join('\n'),
    String(id),
  );
  const request = {
    what: `organization undo, back to version ${target.version}`,
    expectedVersion: inForce.version,
  };
  await applyAndNote(context, target.settings, request, ({ outcome, version }) =>
    outcome === 'unchanged'
      ? [`Organization ${id} already has ${targetText}: nothing was changed.`]
      : [`Organization ${id} has ${targetText} again, as version ${version}:`, ...lines],
  );
}

/** A version of the settings that is in force or kept. */
type SettingsVersion = Pick<StoredSettings, 'settings' | 'version'>;

/** The newest earlier version that differs from the settings in force. @throws CommandError if no such version is kept */
async function settingsBefore(
  context: CommandContext,
  { settings, version }: StoredSettings,
): Promise<SettingsVersion> {
  const entries = await readAuditLog(context.table(), settings.id, { limit: entriesMax });
  for (const before of versionsBefore(entries, version).slice(0, versionsKept)) {
    const kept = await readKeptSettings(context.table(), settings.id, before);
    if (kept && !isDeepStrictEqual(kept, settings)) return { settings: kept, version: before };
  }
  throw new CommandError(
    `Organization ${settings.id} has no settings before version ${version} to go back to: the last ${versionsKept} versions are kept.`,
  );
}

/** @throws CommandError for an unknown organization */
async function settingsInForce(context: CommandContext): Promise<StoredSettings> {
  const stored = await readSettings(context.table(), context.organizationId);
  if (!stored) throw unknownOrganizationError(context.table(), context.organizationId);
  return stored;
}

/** @param version by default, the version in force @throws CommandError if the version is not kept */
async function settingsOfVersion(
  context: CommandContext,
  inForce: StoredSettings,
  version: number = inForce.version,
): Promise<SettingsVersion> {
  if (version === inForce.version) return inForce;
  const { organizationId: id } = context;
  const settings = await readKeptSettings(context.table(), id, version);
  if (settings) return { settings, version };
  throw new CommandError(
    `Version ${version} of the settings of organization ${id} is not kept: choose one of the last ${versionsKept} before version ${inForce.version}, which is in force. organization history lists them.`,
  );
}

async function list(context: CommandContext): Promise<void> {
  const table = context.table();
  const items = await listOrganizations(table);
  const rows = items.map(({ id, name }) => ({ ID: String(id), NAME: name }));
  const none = `Table ${table.name} has no organizations: create one with organization apply.`;
  const count = items.length === 0 ? [] : ['', `${countOf(items.length, 'organization')}.`];
  context.print({ items }, formatTable(rows, { width: context.width, none }), count);
}

async function history(context: CommandContext, { limit }: { limit: number }): Promise<void> {
  const { id: organizationId } = await context.organization();
  const items = await readAuditLog(context.table(), organizationId, { limit });
  const rows = items.map(
    ({ at, endedAt = '', who, what, versionBefore, versionAfter, ...entry }) => ({
      WHEN: at.slice(0, 19).replace('T', ' '),
      WHAT: entry.isBetween ? `${what} (intermediate step)` : what,
      WHO: who,
      SETTINGS: versionAfter === undefined ? '' : `${versionBefore ?? 'none'} → ${versionAfter}`,
      ENDED: endedAt.slice(0, 19).replace('T', ' '),
    }),
  );
  const maxChars = { WHAT: 80, WHO: 300 };
  const options = { width: context.width, none: 'No entries.', maxChars };
  context.print({ items }, formatTable(rows, options));
}
