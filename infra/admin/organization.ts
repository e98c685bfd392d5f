import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { parseSettingsFile, toSettingsFile } from '../../shared/organization/settings.ts';
import type { Settings } from '../../shared/organization/settings-types.ts';
import { previewSettings } from '../../shared/store/organizations/apply-settings.ts';
import { listOrganizations, readSettings } from '../../shared/store/organizations/organizations.ts';
import { errorCode } from '../cli/error-code.ts';
import { applyAndNote } from './apply-and-note.ts';
import { type CommandContext, CommandError, parseId, unknownOrganizationError } from './context.ts';
import { countOf, formatColumns } from './format.ts';
import { organizationHistoryCommand } from './organization-history.ts';
import { organizationUndoCommand } from './organization-undo.ts';
import { changeLine, settingsChanges } from './settings-diff.ts';
import { captureWarnings } from './settings-warnings.ts';

interface ApplyOptions {
  ignoreKeys?: boolean;
  dryRun?: boolean;
}

export function organizationCommands(program: Command, context: CommandContext): void {
  const organization = program
    .command('organization')
    .description(
      'apply, show and list organization settings, print their history, and undo an apply',
    )
    .addHelpText(
      'after',
      '\nExample:\n  npm run admin -- organization apply northwind.json --dry-run',
    );
  applyCommand(organization, context);
  organization
    .command('show')
    .description('print the settings of an organization, in the format of the settings file')
    .argument('<ID>', 'organization ID', parseId)
    .addHelpText(
      'after',
      '\nExample:\n  npm run --silent admin -- organization show 1 > organization-1.json',
    )
    .action((organizationId: number) => show(context, organizationId));
  organization
    .command('list')
    .description('list the organizations of the table')
    .addHelpText('after', '\nExample:\n  npm run admin -- organization list')
    .action(() => list(context));
  organizationHistoryCommand(organization, context);
  organizationUndoCommand(organization, context);
}

function applyCommand(organization: Command, context: CommandContext): void {
  organization
    .command('apply')
    .description('create or update an organization from a settings file, all or nothing')
    .argument('<FILE>', 'settings file (JSON)')
    .option('--ignore-keys', 'ignore the keys of the file: only npm start creates those')
    .option(
      '--dry-run',
      'print what would change, and whether it would be refused (status 1); change nothing',
    )
    .addHelpText(
      'after',
      `
Settings that prevent captures, such as no default pipeline, are allowed: the
command applies them and prints a warning.

Examples:
  npm run admin -- organization apply northwind.json --dry-run
  npm run admin -- organization apply northwind.json`,
    )
    .action((file: string, options: ApplyOptions) => apply(context, file, options));
}

async function apply(
  context: CommandContext,
  file: string,
  { ignoreKeys = false, dryRun = false }: ApplyOptions,
): Promise<void> {
  const { settings, keys } = parseSettingsFile(await readText(file));
  if (keys.length > 0 && !ignoreKeys) {
    throw new CommandError(
      `${file} has $.keys, which only npm start creates: remove them, or add --ignore-keys and create keys with key create.`,
    );
  }
  if (dryRun) return preview(context, settings);
  await applyAndNote(context, settings, { what: 'organization apply' }, ({ outcome, version }) =>
    context.print({ organization: { id: settings.id } }, () => {
      const done = outcome === 'unchanged' ? 'already has these settings' : `is ${outcome}`;
      return `Organization ${settings.id} (${settings.name}) ${done}, version ${version}: ${inventory(settings)}.`;
    }),
  );
}

async function preview(context: CommandContext, settings: Settings): Promise<void> {
  const { before, refusals } = await previewSettings(context.pacedTable(), settings);
  const outcome = !before
    ? 'created'
    : isDeepStrictEqual(before.settings, settings)
      ? 'unchanged'
      : 'updated';
  const changes = settingsChanges(before?.settings, settings);
  if (refusals.length > 0) context.exitWithFailure();
  context.print({ organization: { id: settings.id }, outcome, changes, refusals }, () => {
    const subject = `Organization ${settings.id} (${settings.name})`;
    if (outcome === 'unchanged')
      return `${subject} already has these settings: nothing would change.`;
    return [
      outcome === 'created'
        ? `${subject} would be created: ${inventory(settings)}.`
        : `${subject} would be updated:`,
      ...(outcome === 'created' ? [] : changes.map(changeLine)),
      ...(refusals.length > 0 ? ['The file would be refused, and nothing would change:'] : []),
      ...refusals.map(({ path, message }) => `  ${path} ${message}`),
    ].join('\n');
  });
  if (refusals.length === 0) for (const warning of captureWarnings(settings)) context.note(warning);
}

async function list(context: CommandContext): Promise<void> {
  const table = context.table();
  const items = await listOrganizations(table);
  context.print({ items }, () => {
    if (items.length === 0)
      return `Table ${table.name} has no organizations: create one with organization apply.`;
    return formatColumns(
      ['ID', 'NAME'],
      items.map(({ id, name }) => [String(id), name]),
    );
  });
}

async function show(context: CommandContext, organizationId: number): Promise<void> {
  const table = context.table();
  const stored = await readSettings(table, organizationId);
  if (!stored) throw unknownOrganizationError(table, organizationId);
  const file = toSettingsFile(stored.settings);
  context.print(file, () => JSON.stringify(file, null, 2));
}

const inventory = ({ users, pipelines, sources, fields }: Settings): string =>
  [
    countOf(users.length, 'user'),
    countOf(pipelines.length, 'pipeline'),
    countOf(sources.length, 'source'),
    countOf(fields.length, 'field'),
  ].join(', ');

const readFailures: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
};

/** @throws CommandError for a file that cannot be read or is not UTF-8 */
async function readText(file: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const reason = readFailures[errorCode(error) ?? ''];
    if (!reason) throw error;
    throw new CommandError(`The settings file ${file} cannot be read: ${reason}.`, {
      cause: error,
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CommandError(`The settings file ${file} is not UTF-8: save it in that encoding.`, {
      cause: error,
    });
  }
}
