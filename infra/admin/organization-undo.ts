import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { SettingsMovedError } from '../../shared/store/organizations/apply-settings.ts';
import {
  readAuditLog,
  readKeptSettings,
  versionsBefore,
  versionsKept,
} from '../../shared/store/organizations/audit-log.ts';
import {
  readSettings,
  type StoredSettings,
} from '../../shared/store/organizations/organizations.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { applyAndNote } from './apply-and-note.ts';
import { confirmed } from './confirm.ts';
import {
  type CommandContext,
  CommandError,
  existingOrganization,
  parseId,
  unknownOrganizationError,
} from './context.ts';
import { changeLine, settingsChanges } from './settings-diff.ts';

/** A version of the settings, in force or kept. */
type SettingsVersion = Pick<StoredSettings, 'settings' | 'version'>;

/** The version before is searched for in this many entries of the audit log. */
const entriesMax = 10_000;

export function organizationUndoCommand(organization: Command, context: CommandContext): void {
  organization
    .command('undo')
    .description(
      'apply the settings from before the last apply; a second undo applies those after it',
    )
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
The last ${versionsKept} versions are kept. If something that was added since is in use, the
undo would remove it: then nothing changes.

Example:
  npm run admin -- organization undo --organization 1`,
    )
    .action((options: { organization: number; yes?: boolean }) =>
      undo(context, options.organization, options.yes ?? false),
    );
}

async function undo(context: CommandContext, organizationId: number, yes: boolean): Promise<void> {
  const table = context.table();
  await existingOrganization(table, organizationId);
  const stored = await readSettings(table, organizationId);
  if (!stored) throw unknownOrganizationError(table, organizationId);
  const before = await settingsBefore(table, stored);
  if (!before) {
    throw new CommandError(
      `Organization ${organizationId} has no settings before version ${stored.version} to go back to: the last ${versionsKept} versions are kept.`,
    );
  }
  const lines = settingsChanges(stored.settings, before.settings).map(changeLine);
  if (!yes) {
    const warning = `Organization ${organizationId} goes back to the settings of version ${before.version}:`;
    await confirmed([warning, ...lines].join('\n'), String(organizationId));
  }
  await applyBefore(context, stored, before);
}

async function applyBefore(
  context: CommandContext,
  stored: SettingsVersion,
  before: SettingsVersion,
): Promise<void> {
  const organization = { id: stored.settings.id };
  const changes = settingsChanges(stored.settings, before.settings);
  const request = {
    what: `organization undo, back to version ${before.version}`,
    expectedVersion: stored.version,
  };
  await applyAndNote(context, before.settings, request, ({ version }) =>
    context.print({ organization, version, settingsOf: before.version, changes }, () =>
      [
        `Organization ${organization.id} has the settings of version ${before.version} again, as version ${version}:`,
        ...changes.map(changeLine),
      ].join('\n'),
    ),
  ).catch(async (error: unknown) => {
    throw error instanceof SettingsMovedError
      ? await movedError(context.table(), stored, error)
      : error;
  });
}

/** Someone else applied settings after the changes were confirmed: says what an undo would change now. */
async function movedError(
  table: Table,
  { settings: { id }, version }: SettingsVersion,
  cause: SettingsMovedError,
): Promise<Error> {
  const current = await readSettings(table, id);
  if (!current) return unknownOrganizationError(table, id);
  const before = await settingsBefore(table, current);
  const lines = before
    ? [
        `An undo now would go back to the settings of version ${before.version}:`,
        ...settingsChanges(current.settings, before.settings).map(changeLine),
        'Run the command again to do that.',
      ]
    : [];
  const sentence = `Nothing was undone: the settings now have version ${current.version}, not ${version} as confirmed.`;
  return new CommandError([sentence, ...lines].join('\n'), { cause });
}

/** The newest kept version before these settings that differs from them. */
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
