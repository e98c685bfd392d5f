import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { parseSettingsFile } from '../../../shared/organization/settings.ts';
import type { Settings } from '../../../shared/organization/settings-types.ts';
import {
  type Applied,
  previewSettings,
  SettingsMovedError,
} from '../../../shared/store/organizations/apply-settings.ts';
import { readSettings } from '../../../shared/store/organizations/organizations.ts';
import { countOf } from '../../cli/format.ts';
import { type CommandContext, CommandError } from '../context.ts';
import { readRateOption } from '../options.ts';
import { applyAndNote, noteWarnings } from './apply-and-note.ts';
import { changedSinceLines, outdatedFile, outdatedIssue, outdatedLines } from './outdated-file.ts';
import { changeLine, settingsChanges } from './settings-diff.ts';
import { readSettingsText } from './settings-file.ts';

interface ApplyOptions {
  ignoreKeys?: boolean;
  dryRun?: boolean;
  overwrite?: boolean;
  rate?: number;
}

export function organizationApplyCommand(organization: Command, context: CommandContext): void {
  organization
    .command('apply')
    .description('create or update an organization from a settings file, all or nothing')
    .argument('<FILE>', 'settings file (JSON)')
    .option('--ignore-keys', 'ignore the keys of the file: only npm start creates those')
    .option(
      '--dry-run',
      'print what would change, and whether it would be refused (status 1); change nothing',
    )
    .option('--overwrite', 'apply the file even if its version is older than the one in force')
    .addOption(readRateOption())
    .addHelpText(
      'after',
      `
The output of organization show has the version of the settings. A file with an
older version than the one in force is refused, because it would undo what
others have applied since: merge their changes, or add --overwrite. A file
without a version is always applied.

Settings that prevent captures, such as no default pipeline, are allowed: the
command applies them and prints a warning. It also warns of a field that live
forms must send from now on, and of users who are deactivated but still own
leads, have a live API key or are the only ones that a rule names.

A file that removes something reads every lead to find references, paced so that
live traffic is not throttled.

Examples:
  npm run admin -- organization apply northwind.json --dry-run
  npm run admin -- organization apply northwind.json`,
    )
    .action((file: string, options: ApplyOptions) => apply(context, file, options));
}

/** A settings file as `apply` needs it. */
interface FileToApply {
  readonly settings: Settings;
  /** Undefined if it may overwrite any version. */
  readonly version: number | undefined;
  /** Read units per second of the search for references. */
  readonly rate: number | undefined;
  /** The audit log's entry. */
  readonly what: string;
}

async function apply(
  context: CommandContext,
  path: string,
  { ignoreKeys = false, dryRun = false, overwrite = false, rate }: ApplyOptions,
): Promise<void> {
  const { settings, keys, version } = parseSettingsFile(await readSettingsText(path));
  if (keys.length > 0 && !ignoreKeys) {
    throw new CommandError(
      `${path} has $.keys, which only npm start creates: remove them, or add --ignore-keys and create keys with key create.`,
    );
  }
  const file = overwrite
    ? { settings, version: undefined, rate, what: 'organization apply --overwrite' }
    : { settings, version, rate, what: 'organization apply' };
  if (dryRun) return preview(context, file);
  // Each pass but the last lost to another apply: the conditional write admits one, and the file is compared with that one.
  while (!(await isApplied(context, file)));
}

/**
 * @returns whether the file was applied; false if the settings in force were replaced since they were compared with it
 * @throws CommandError if the file has an older version
 */
async function isApplied(context: CommandContext, file: FileToApply): Promise<boolean> {
  const { settings, version, what } = file;
  const table = context.table();
  const inForce = await readSettings(table, settings.id);
  const outdated = await outdatedFile(table, inForce, file);
  if (outdated) throw new CommandError((await outdatedLines(table, outdated)).join('\n'));
  if (inForce && version !== undefined && version > inForce.version) {
    context.note(
      `Warning: the file has settings version ${version}, but only version ${inForce.version} is in force: is it of another table?`,
    );
  }
  const request = {
    what,
    readUnitsPerSecond: file.rate,
    ...(inForce && version !== undefined && { expectedVersion: inForce.version }),
  };
  try {
    await applyAndNote(context, settings, request, (applied) =>
      printApplied(context, settings, applied),
    );
    return true;
  } catch (error) {
    if (!(error instanceof SettingsMovedError)) throw error;
    // Another apply replaced what this one had begun. To begin again would replace that one's settings unseen.
    if (version === undefined) throw new CommandError(error.message);
    return false;
  }
}

function printApplied(
  context: CommandContext,
  settings: Settings,
  { outcome, version, before }: Applied,
): void {
  context.print({ organization: { id: settings.id } }, () => {
    const done = outcome === 'unchanged' ? 'already has these settings' : `is ${outcome}`;
    return [
      `Organization ${settings.id} (${settings.name}) ${done}, version ${version}: ${inventory(settings)}.`,
      ...(before ? settingsChanges(before, settings).map(changeLine) : []),
    ].join('\n');
  });
}

async function preview(context: CommandContext, file: FileToApply): Promise<void> {
  const { settings } = file;
  const table = context.table();
  const pacedTable = context.pacedTable(file.rate);
  const { before, refusals } = await previewSettings(pacedTable, settings);
  const outdated = await outdatedFile(table, before, file);
  const issues = [
    ...(outdated ? [{ path: '$.version', message: outdatedIssue(outdated) }] : []),
    ...refusals,
  ];
  const outcome = !before
    ? 'created'
    : isDeepStrictEqual(before.settings, settings)
      ? 'unchanged'
      : 'updated';
  const changes = settingsChanges(before?.settings, settings);
  const sinceLines = outdated ? await changedSinceLines(table, outdated) : [];
  if (issues.length > 0) context.exitWithFailure();
  context.print({ organization: { id: settings.id }, outcome, changes, refusals: issues }, () => {
    const subject = `Organization ${settings.id} (${settings.name})`;
    if (outcome === 'unchanged')
      return `${subject} already has these settings: nothing would change.`;
    return [
      outcome === 'created'
        ? `${subject} would be created: ${inventory(settings)}.`
        : `${subject} would be updated:`,
      ...(outcome === 'created' ? [] : changes.map(changeLine)),
      ...(issues.length > 0 ? ['The file would be refused, and nothing would change:'] : []),
      ...issues.map(({ path, message }) => `  ${path} ${message}`),
      ...sinceLines,
    ].join('\n');
  });
  if (issues.length === 0)
    await noteWarnings(context, pacedTable, { before: before?.settings, settings });
}

const inventory = ({ users, pipelines, sources, fields }: Settings): string =>
  [
    countOf(users.length, 'user'),
    countOf(pipelines.length, 'pipeline'),
    countOf(sources.length, 'source'),
    countOf(fields.length, 'field'),
  ].join(', ');
