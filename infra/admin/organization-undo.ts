import { isDeepStrictEqual } from 'node:util';
import { type Command, InvalidArgumentError } from 'commander';
import type { Settings } from '../../shared/organization/settings.ts';
import { applySettings, SettingsMoved } from '../../shared/store/organizations/apply-settings.ts';
import {
  type AuditEntry,
  readAuditLog,
  readKeptSettings,
  versionsBefore,
  versionsKept,
} from '../../shared/store/organizations/audit-log.ts';
import { readSettings, type StoredSettings } from '../../shared/store/organizations/organizations.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { confirmed } from './confirm.ts';
import {
  type CommandContext,
  CommandError,
  existingOrganization,
  formatColumns,
  parseId,
  unknownOrganizationError,
} from './context.ts';
import { changeLine, settingsChanges } from './settings-diff.ts';
import { captureWarnings } from './settings-warnings.ts';

const auditEntriesDefault = 50;
const auditEntriesMax = 10_000;

/** `organization history|undo`. */
export function organizationAuditCommands(organization: Command, context: CommandContext): void {
  organization
    .command('history')
    .description('who changed what and when, newest first')
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .option('--limit <N>', `how many at the most, 1 to ${auditEntriesMax}`, parseLimit, auditEntriesDefault)
    .addHelpText(
      'after',
      '\nAn export or import is there from its beginning on; one that does not say how\nmany leads, or is not followed by an entry that does, is under way or broke off.\n' +
        '\nExample:\n  npm run admin -- organization history --organization 1',
    )
    .action((options: { organization: number; limit: number }) => history(context, options.organization, options.limit));

  organization
    .command('undo')
    .description('apply the settings that held before the last apply; again, those after it')
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `\nThe last ${versionsKept} versions are kept. What was added since and is in use is not\ndropped: then nothing changes.\n` +
        '\nExample:\n  npm run admin -- organization undo --organization 1',
    )
    .action((options: { organization: number; yes?: boolean }) => undo(context, options.organization, options.yes ?? false));
}

async function history(context: CommandContext, organizationId: number, limit: number): Promise<void> {
  await existingOrganization(context.table(), organizationId);
  const items = await readAuditLog(context.table(), organizationId, limit);
  context.print({ items }, () => {
    if (items.length === 0) return `Organization ${organizationId} has no history yet: it begins with its next change.`;
    const row = ({ at, who, what, versionBefore, versionAfter, isBetween: isIntermediate }: AuditEntry): string[] => {
      const versions = versionAfter === undefined ? '' : `${versionBefore ?? 'none'} → ${versionAfter}`;
      return [at, versions, isIntermediate ? `${what} (a step of it)` : what, who];
    };
    return formatColumns(['WHEN', 'SETTINGS', 'WHAT', 'WHO'], items.map(row), { WHAT: 80, WHO: 300 });
  });
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
  const changes = settingsChanges(stored.settings, before.settings);
  if (!yes) {
    const lines = changes.map(changeLine).join('\n');
    await confirmed(
      `Organization ${organizationId} goes back to the settings of version ${before.version}:\n${lines}`,
      String(organizationId),
    );
  }
  const what = `organization undo, back to version ${before.version}`;
  const { version } = await applySettings(table, before.settings, {
    expectedVersion: stored.version,
    action: { who: await context.callerIdentity(), what },
    onWait: (seconds, removals) =>
      context.note(`Waiting ${seconds} s for requests that may still use ${removals.map(({ path }) => path).join(', ')}.`),
  }).catch(async (error: unknown) => {
    throw error instanceof SettingsMoved ? await notAsShown(table, stored, error) : error;
  });
  context.print({ organization: { id: organizationId }, version, settingsOf: before.version, changes }, () =>
    [
      `Organization ${organizationId} has the settings of version ${before.version} again, as version ${version}:`,
      ...changes.map(changeLine),
    ].join('\n'),
  );
  for (const warning of captureWarnings(before.settings)) context.note(warning);
}

/** Someone else applied settings after the difference was shown: says what an undo would change now. */
async function notAsShown(table: Table, { settings: { id }, version }: StoredSettings, cause: SettingsMoved): Promise<Error> {
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
  const sentence = `Nothing was undone: the settings are of version ${current.version} by now, not ${version} as shown.`;
  return new CommandError([sentence, ...lines].join('\n'), { cause });
}

/** The latest settings before those that hold which are still kept and say something else. */
async function settingsBefore(
  table: Table,
  { settings, version }: StoredSettings,
): Promise<{ settings: Settings; version: number } | undefined> {
  for (const before of versionsBefore(await readAuditLog(table, settings.id, auditEntriesMax), version).slice(0, versionsKept)) {
    const kept = await readKeptSettings(table, settings.id, before);
    if (kept && !isDeepStrictEqual(kept, settings)) return { settings: kept, version: before };
  }
  return undefined;
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d{1,5}$/.test(text) || limit < 1 || limit > auditEntriesMax) {
    throw new InvalidArgumentError(`It must be an integer from 1 to ${auditEntriesMax}.`);
  }
  return limit;
}
