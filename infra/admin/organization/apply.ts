import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Settings } from '../../../shared/organization/organization.ts';
import type { ParsedSettingsFile } from '../../../shared/organization/settings.ts';
import {
  type Applied,
  applySettings,
  previewSettings,
} from '../../../shared/store/organizations/apply-settings.ts';
import {
  readSettings,
  type StoredSettings,
} from '../../../shared/store/organizations/organizations.ts';
import { CommandError } from '../../cli/command.ts';
import { refusePath } from '../../cli/error-code.ts';
import { countOf } from '../../cli/format.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { changeLine, changeLines, settingsChanges } from './settings-diff.ts';
import { applyCompleted, completeSettingsFile } from './settings-file.ts';
import { settingsWarnings } from './settings-warnings.ts';

interface ApplyOptions {
  ignoreKeys?: boolean;
  dryRun?: boolean;
  overwrite?: boolean;
}

export function organizationApplyCommand(organization: AdminCommand): void {
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
    .withReadRate()
    .notes(`
A file with an older version than the one in force is refused with the differences,
because it would undo what others have applied since: merge them, or add --overwrite.
A file without a version is always applied.
A file that removes something reads every lead to find references. The rules are
in infra/guides/settings-file.md.`)
    .examples('northwind.json --dry-run')
    .json(
      '{"organization":{"id":1}}; a dry run also "outcome":"created|updated|unchanged", "changes":[{"path":"$.sources[id=3].name","change":"added|changed|removed|activated|deactivated|reordered","from"?,"to"?}], "refusals":[{"path","message"}]',
    )
    .run(apply);
}

interface FileToApply extends Pick<ParsedSettingsFile, 'settings' | 'names'> {
  /** Undefined if the file may overwrite any version. */
  readonly version: number | undefined;
}

async function apply(context: CommandContext, options: ApplyOptions, path: string): Promise<void> {
  const { ignoreKeys = false, dryRun = false, overwrite = false } = options;
  const complete = await completeSettingsFile(context.table(), path, await readText(path));
  const { settings, keys, version, names, completedBy } = complete;
  if (keys.length > 0 && !ignoreKeys) {
    throw new CommandError(
      `${path} has $.keys, which only npm start creates: remove them, or add --ignore-keys and create keys with key create.`,
    );
  }
  const file = { settings, names, version: overwrite ? undefined : version };
  if (dryRun) return preview(context, file);
  const replaceable = await replaceableVersion(context, file);
  const what = `organization apply${overwrite ? ' --overwrite' : ''}`;
  const linesOf = ({ outcome, version: now, before }: Applied): string[] => {
    const done = outcome === 'unchanged' ? 'already has these settings' : `is ${outcome}`;
    const total = `${nameOf(settings)} ${done}, version ${now}: ${inventory(settings)}.`;
    return [total, ...(before ? changeLines(before, settings) : [])];
  };
  await applyCompleted(complete, ({ expectedVersion = replaceable }) =>
    applyAndNote(context, settings, { what, expectedVersion, names }, linesOf),
  );
  if (completedBy !== undefined)
    context.note(`What ${path} left out, such as IDs, is filled in and written into it.`);
}

const nameOf = ({ id, name }: Settings): string => `Organization ${id} (${name})`;

/** The text of a settings file. @throws CommandError if the file cannot be read or is not UTF-8 */
async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) =>
    refusePath(`The settings file ${file} cannot be read`, error),
  );
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CommandError(`The settings file ${file} is not UTF-8: save it in that encoding.`, {
      cause: error,
    });
  }
}

/**
 * The version that the file may replace: the version in force, or undefined for any version.
 * @throws CommandError if the file has an older version
 */
async function replaceableVersion(
  context: CommandContext,
  file: FileToApply,
): Promise<number | undefined> {
  const { settings, version } = file;
  const inForce = await readSettings(context.table(), settings.id);
  if (!inForce || version === undefined) return undefined;
  if (isOutdated(file, inForce))
    throw new CommandError(
      `Nothing was applied: the file has settings version ${version}, but version ${inForce.version} is in force; merge the changes, or add --overwrite.
The file would change:
${changeLines(inForce.settings, settings).join('\n')}
To see what others changed: npm run admin -- organization diff ${settings.id} --from ${version}
To merge, save the output of organization show ${settings.id}, repeat your change in it, and apply that.`,
    );
  return inForce.version;
}

/**
 * Whether applying a file would undo what others have applied since it was made. A file whose settings are already in force undoes nothing.
 */
const isOutdated = ({ settings, version }: FileToApply, inForce: StoredSettings): boolean =>
  version !== undefined &&
  version < (inForce.appliedVersion ?? inForce.version) &&
  !isDeepStrictEqual(settings, inForce.settings);

/**
 * Applies settings, announces a wait for removals, prints the result, then warns about what the settings and their change break.
 * @param request the audit entry, and the version that must still be in force, if any
 * @throws SettingsRejectedError, SettingsChangedError like `applySettings`
 */
export async function applyAndNote(
  context: CommandContext,
  settings: Settings,
  request: { what: string; expectedVersion: number | undefined; names?: FileToApply['names'] },
  linesOf: (applied: Applied) => readonly string[],
): Promise<void> {
  const { what, expectedVersion, names = [] } = request;
  const table = context.pacedTable();
  const applied = await applySettings(table, settings, {
    names,
    ...(expectedVersion !== undefined && { expectedVersion }),
    action: { who: await context.callerIdentity(), what },
    onWait: (seconds, removals) =>
      context.note(
        `Waiting ${seconds} s for requests that may still use ${removals.map(({ path }) => path).join(', ')}.`,
      ),
  });
  context.print({ organization: { id: settings.id } }, linesOf(applied));
  for (const warning of await settingsWarnings(table, applied.before, settings))
    context.note(warning);
}

async function preview(context: CommandContext, file: FileToApply): Promise<void> {
  const { settings, names, version } = file;
  const table = context.pacedTable();
  const { before, ...found } = await previewSettings(table, settings, names);
  const refusals = [...found.refusals];
  if (before && isOutdated(file, before))
    refusals.unshift({
      path: '$.version',
      message: `is ${version}, but version ${before.version} is in force: merge its changes into the file, or add --overwrite`,
    });
  const changes = settingsChanges(before?.settings, settings);
  const outcome = !before ? 'created' : changes.length === 0 ? 'unchanged' : 'updated';
  const lines = {
    created: [`${nameOf(settings)} would be created: ${inventory(settings)}.`],
    unchanged: [`${nameOf(settings)} already has these settings: nothing would change.`],
    updated: [`${nameOf(settings)} would be updated:`, ...changes.map(changeLine)],
  }[outcome];
  if (refusals.length > 0) {
    context.exitWithFailure();
    lines.push('The file would be refused, and nothing would change:');
    lines.push(...refusals.map(({ path, message }) => `  ${path} ${message}`));
  }
  context.print({ organization: { id: settings.id }, outcome, changes, refusals }, lines);
  if (refusals.length > 0) return;
  for (const warning of await settingsWarnings(table, before?.settings, settings))
    context.note(warning);
}

const inventory = ({ users, pipelines, sources, fields }: Settings): string =>
  `${countOf(users.length, 'user')}, ${countOf(pipelines.length, 'pipeline')}, ${countOf(sources.length, 'source')}, ${countOf(fields.length, 'field')}`;
