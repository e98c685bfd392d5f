import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { SettingsMovedError } from '../../../shared/store/organizations/apply-settings.ts';
import {
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
import { parseId } from '../../cli/options.ts';
import { type CommandContext, CommandError, unknownOrganizationError } from '../context.ts';
import { applyAndNote } from './apply-and-note.ts';
import { changeLine, settingsChanges } from './settings-diff.ts';
import { type SettingsVersion, settingsInForce, settingsOfVersion } from './settings-version.ts';
import { parseVersion } from './show.ts';

/** The version before is searched for in this many entries of the audit log. */
const entriesMax = 10_000;

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

async function undo(context: CommandContext, { yes = false, ...options }: UndoOptions) {
  const { organization: organizationId, to } = options;
  const table = context.table();
  const inForce = await settingsInForce(table, organizationId);
  if (to === inForce.version)
    throw new CommandError(`Version ${to} of the settings is in force already.`);
  const target = await settingsToApply(table, inForce, to);
  if (!target) {
    throw new CommandError(
      `Organization ${organizationId} has no settings before version ${inForce.version} to go back to: the last ${versionsKept} versions are kept.`,
    );
  }
  const lines = settingsChanges(inForce.settings, target.settings).map(changeLine);
  if (!yes) {
    const warning = `Organization ${organizationId} goes back to the settings of version ${target.version}:`;
    await confirmed([warning, ...lines].join('\n'), String(organizationId));
  }
  await applyVersion(context, inForce, target, to);
}

async function applyVersion(
  context: CommandContext,
  inForce: SettingsVersion,
  target: SettingsVersion,
  to: number | undefined,
): Promise<void> {
  const organization = { id: inForce.settings.id };
  const changes = settingsChanges(inForce.settings, target.settings);
  const request = {
    what: `organization undo, back to version ${target.version}`,
    expectedVersion: inForce.version,
  };
  await applyAndNote(context, target.settings, request, ({ outcome, version }) =>
    context.print({ organization }, () => {
      const settings = `the settings of version ${target.version}`;
      if (outcome === 'unchanged')
        return `Organization ${organization.id} already has ${settings}: nothing was changed.`;
      return [
        `Organization ${organization.id} has ${settings} again, as version ${version}:`,
        ...changes.map(changeLine),
      ].join('\n');
    }),
  ).catch(async (error: unknown) => {
    throw error instanceof SettingsMovedError
      ? await movedError(context.table(), inForce, to, error)
      : error;
  });
}

/** Someone else applied settings after the changes were confirmed: says what an undo would change now. */
async function movedError(
  table: Table,
  { settings: { id }, version }: SettingsVersion,
  to: number | undefined,
  cause: SettingsMovedError,
): Promise<Error> {
  const current = await readSettings(table, id);
  if (!current) return unknownOrganizationError(table, id);
  const target = await settingsToApply(table, current, to);
  const lines = target
    ? [
        `An undo now would go back to the settings of version ${target.version}:`,
        ...settingsChanges(current.settings, target.settings).map(changeLine),
        'Run the command again to do that.',
      ]
    : [];
  const sentence = `Nothing was undone: the settings now have version ${current.version}, not ${version} as confirmed.`;
  return new CommandError([sentence, ...lines].join('\n'), { cause });
}

/** The requested version; without one, the newest kept version before that differs from the settings in force. */
const settingsToApply = (
  table: Table,
  inForce: StoredSettings,
  to: number | undefined,
): Promise<SettingsVersion | undefined> =>
  to === undefined ? settingsBefore(table, inForce) : settingsOfVersion(table, inForce, to);

async function settingsBefore(
  table: Table,
  { settings, version }: SettingsVersion,
): Promise<SettingsVersion | undefined> {
  for (const before of versionsBefore(
    await readAuditLog(table, settings.id, entriesMax),
    version,
  ).slice(0, versionsKept)) {
    const kept = await readKeptSettings(table, settings.id, before);
    if (kept && !isDeepStrictEqual(kept, settings)) return { settings: kept, version: before };
  }
  return undefined;
}
