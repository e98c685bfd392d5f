import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { limits } from '../../../shared/limits.ts';
import { toSettingsFile } from '../../../shared/organization/settings.ts';
import { SettingsMovedError } from '../../../shared/store/organizations/apply-settings.ts';
import {
  listKeptVersions,
  readAuditLog,
  readKeptSettings,
  versionsBefore,
  versionsKept,
} from '../../../shared/store/organizations/audit-log.ts';
import {
  readSettings,
  type StoredSettings,
} from '../../../shared/store/organizations/organizations.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { confirmed } from '../../cli/confirm.ts';
import { integerOption, parseId } from '../../cli/options.ts';
import { type CommandContext, CommandError, unknownOrganizationError } from '../context.ts';
import { applyAndNote } from './apply.ts';
import { changeLine, type SettingsChange, settingsChanges } from './settings-diff.ts';

const parseVersion = integerOption(1, limits.idMax);

export function organizationShowCommand(organization: Command, context: CommandContext): void {
  organization
    .command('show')
    .description('print the settings of an organization, in the format of the settings file')
    .argument('<ID>', 'organization ID', parseId)
    .option('--version <N>', 'a kept version (default: the version in force)', parseVersion)
    .addHelpText(
      'after',
      `
Edit the output and apply it: organization apply refuses it if others have
applied settings in the meantime. organization history lists the versions.

Examples:
  npm run --silent admin -- organization show 1 > organization-1.json
  npm run --silent admin -- organization show 1 --version 3`,
    )
    .action(async (organizationId: number, { version: requested }: { version?: number }) => {
      const table = context.table();
      const inForce = await settingsInForce(table, organizationId);
      const { settings, version } = await settingsOfVersion(table, inForce, requested);
      const { id, ...rest } = toSettingsFile(settings);
      const file = { id, version, ...rest };
      context.print(file, () => JSON.stringify(file, null, 2));
    });
}

interface DiffOptions {
  from: number;
  to?: number;
}

export function organizationDiffCommand(organization: Command, context: CommandContext): void {
  organization
    .command('diff')
    .description('print what changed between two versions of the settings')
    .argument('<ID>', 'organization ID', parseId)
    .requiredOption('--from <N>', 'the earlier version', parseVersion)
    .option('--to <N>', 'the later version (default: the version in force)', parseVersion)
    .addHelpText(
      'after',
      `
organization history lists the versions, and who applied them.

Examples:
  npm run admin -- organization diff 1 --from 3
  npm run admin -- organization diff 1 --from 3 --to 5`,
    )
    .action((organizationId: number, options: DiffOptions) =>
      diff(context, organizationId, options),
    );
}

async function diff(
  context: CommandContext,
  organizationId: number,
  { from, to }: DiffOptions,
): Promise<void> {
  const table = context.table();
  const inForce = await settingsInForce(table, organizationId);
  const before = await settingsOfVersion(table, inForce, from);
  const after = await settingsOfVersion(table, inForce, to);
  const changes = settingsChanges(before.settings, after.settings);
  context.print({ changes: changes.map(kindOf) }, () =>
    changes.length === 0
      ? `Organization ${organizationId}: versions ${from} and ${after.version} have the same settings.`
      : [
          `Organization ${organizationId}, from version ${from} to version ${after.version}:`,
          ...changes.map(changeLine),
        ].join('\n'),
  );
}

/** A change as programs read it: where, and what kind of. */
const kindOf = ({ path, change }: SettingsChange) => ({
  path,
  kind: change === 'added' || change === 'removed' ? change : 'changed',
});

interface UndoOptions {
  organization: number;
  to?: number;
  yes?: boolean;
}

export function organizationUndoCommand(organization: Command, context: CommandContext): void {
  organization
    .command('undo')
    .description('apply an earlier version of the settings again, as a new version')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .option(
      '--to <N>',
      'a kept version (default: the one before the last apply; a second undo then goes forward again)',
      parseVersion,
    )
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
The last ${versionsKept} versions are kept: organization history lists them, and
organization diff compares them. If something that was added since is in use,
the undo would remove it: then nothing changes.

Examples:
  npm run admin -- organization undo --organization 1
  npm run admin -- organization undo --organization 1 --to 3`,
    )
    .action((options: UndoOptions) => undo(context, options));
}

async function undo(
  context: CommandContext,
  { organization: id, to, yes = false }: UndoOptions,
): Promise<void> {
  const table = context.table();
  const { inForce, target, lines } = await planUndo(table, id, to);
  const targetText = `the settings of version ${target.version}`;
  if (!yes)
    await confirmed(
      [`Organization ${id} goes back to ${targetText}:`, ...lines].join('\n'),
      String(id),
    );
  const request = {
    what: `organization undo, back to version ${target.version}`,
    expectedVersion: inForce.version,
  };
  await applyAndNote(context, target.settings, request, ({ outcome, version }) =>
    context.print({ organization: { id } }, () =>
      outcome === 'unchanged'
        ? `Organization ${id} already has ${targetText}: nothing was changed.`
        : [`Organization ${id} has ${targetText} again, as version ${version}:`, ...lines].join(
            '\n',
          ),
    ),
  ).catch(async (error: unknown) => {
    if (!(error instanceof SettingsMovedError)) throw error;
    const now = await planUndo(table, id, to);
    const sentence = `Nothing was undone: the settings now have version ${now.inForce.version}, not ${inForce.version} as confirmed.`;
    const further = `An undo now would go back to the settings of version ${now.target.version}:`;
    const message = [sentence, further, ...now.lines, 'Run the command again to do that.'];
    throw new CommandError(message.join('\n'), { cause: error });
  });
}

interface UndoPlan {
  readonly inForce: StoredSettings;
  readonly target: SettingsVersion;
  /** What the undo changes. */
  readonly lines: readonly string[];
}

/** @throws CommandError if there is nothing to undo */
async function planUndo(
  table: Table,
  organizationId: number,
  to: number | undefined,
): Promise<UndoPlan> {
  const inForce = await settingsInForce(table, organizationId);
  if (to === inForce.version)
    throw new CommandError(`Version ${to} of the settings is in force already.`);
  const target =
    to === undefined
      ? await settingsBefore(table, inForce)
      : await settingsOfVersion(table, inForce, to);
  const lines = settingsChanges(inForce.settings, target.settings).map(changeLine);
  return { inForce, target, lines };
}

/** The version before is searched for in this many entries of the audit log. */
const entriesMax = 10_000;

/** The newest kept version before that differs from the settings in force. @throws CommandError if there is none */
async function settingsBefore(
  table: Table,
  { settings, version }: StoredSettings,
): Promise<SettingsVersion> {
  const entries = await readAuditLog(table, settings.id, entriesMax);
  for (const before of versionsBefore(entries, version).slice(0, versionsKept)) {
    const kept = await readKeptSettings(table, settings.id, before);
    if (kept && !isDeepStrictEqual(kept, settings)) return { settings: kept, version: before };
  }
  throw new CommandError(
    `Organization ${settings.id} has no settings before version ${version} to go back to: the last ${versionsKept} versions are kept.`,
  );
}

/** A version of the settings, in force or kept. */
type SettingsVersion = Pick<StoredSettings, 'settings' | 'version'>;

/** @throws CommandError for an unknown organization */
async function settingsInForce(table: Table, organizationId: number): Promise<StoredSettings> {
  const stored = await readSettings(table, organizationId);
  if (!stored) throw unknownOrganizationError(table, organizationId);
  return stored;
}

/** @param version by default the one in force @throws CommandError naming the versions that are kept */
async function settingsOfVersion(
  table: Table,
  inForce: StoredSettings,
  version: number = inForce.version,
): Promise<SettingsVersion> {
  if (version === inForce.version) return inForce;
  const { id } = inForce.settings;
  const settings = await readKeptSettings(table, id, version);
  if (settings) return { settings, version };
  const kept = [inForce.version, ...(await listKeptVersions(table, id))];
  throw new CommandError(
    `Version ${version} of the settings of organization ${id} is not kept: there are ${kept.join(', ')} (the last ${versionsKept}, and the one in force).`,
  );
}
