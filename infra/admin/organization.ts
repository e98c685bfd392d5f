import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { parseSettingsFile, type Settings, toSettingsFile } from '../../shared/organization/settings.ts';
import { applySettings, previewSettings } from '../../shared/store/organizations/apply-settings.ts';
import { listOrganizations, readSettings } from '../../shared/store/organizations/organizations.ts';
import { type CommandContext, CommandError, countOf, formatColumns, parseId, unknownOrganizationError } from './context.ts';
import { organizationAuditCommands } from './organization-undo.ts';
import { changeLine, settingsChanges } from './settings-diff.ts';
import { captureWarnings } from './settings-warnings.ts';

interface ApplyFlags {
  ignoreKeys?: boolean;
  dryRun?: boolean;
}

/** `organization apply|show|list|history|undo`. */
export function organizationCommands(program: Command, context: CommandContext): void {
  const organization = program
    .command('organization')
    .description('create, change, show and list organizations; their history, and undo')
    .addHelpText('after', '\nExample:\n  npm run admin -- organization apply northwind.json --dry-run');

  organization
    .command('apply')
    .description('create or update an organization from a settings file, all or nothing')
    .argument('<FILE>', 'settings file (JSON)')
    .option('--ignore-keys', 'apply a file that has keys, without them: npm start alone mints those')
    .option('--dry-run', 'only say what would change, and whether it would be refused (status 1)')
    .addHelpText(
      'after',
      '\nWhat keeps the organization from taking captures, such as no default pipeline,\nis allowed, and said as a warning.\n' +
        '\nExamples:\n  npm run admin -- organization apply northwind.json --dry-run\n  npm run admin -- organization apply northwind.json',
    )
    .action((file: string, flags: ApplyFlags) => apply(context, file, flags));

  organization
    .command('show')
    .description("print an organization's settings, in the form of the file")
    .argument('<ID>', "organization's id", parseId)
    .addHelpText('after', '\nExample:\n  npm run --silent admin -- organization show 1 > organization-1.json')
    .action((organizationId: number) => show(context, organizationId));

  organization
    .command('list')
    .description('list the organizations of the table')
    .addHelpText('after', '\nExample:\n  npm run admin -- organization list')
    .action(() => list(context));

  organizationAuditCommands(organization, context);
}

async function apply(context: CommandContext, file: string, { ignoreKeys = false, dryRun = false }: ApplyFlags): Promise<void> {
  const { settings, keys } = parseSettingsFile(await readText(file));
  if (keys.length > 0 && !ignoreKeys) {
    throw new CommandError(
      `${file} has $.keys, which npm start alone mints: remove them, or apply the rest with --ignore-keys and use key create.`,
    );
  }
  if (dryRun) return preview(context, settings);
  const { outcome, version } = await applySettings(context.table(), settings, {
    action: { who: await context.callerIdentity(), what: 'organization apply' },
    onWait: (seconds, removals) =>
      context.note(`Waiting ${seconds} s for requests that may still use ${removals.map(({ path }) => path).join(', ')}.`),
  });
  context.print({ organization: { id: settings.id } }, () => {
    const done = outcome === 'unchanged' ? 'has these settings already' : `is ${outcome}`;
    return `Organization ${settings.id} (${settings.name}) ${done}, version ${version}: ${inventory(settings)}.`;
  });
  for (const warning of captureWarnings(settings)) context.note(warning);
}

async function preview(context: CommandContext, settings: Settings): Promise<void> {
  const { before, refusals } = await previewSettings(context.table(), settings);
  const outcome = !before ? 'created' : isDeepStrictEqual(before.settings, settings) ? 'unchanged' : 'updated';
  const changes = settingsChanges(before?.settings, settings);
  if (refusals.length > 0) context.exitWithFailure();
  context.print({ organization: { id: settings.id }, outcome, changes, refusals }, () => {
    const whose = `Organization ${settings.id} (${settings.name})`;
    if (outcome === 'unchanged') return `${whose} has these settings already: nothing would change.`;
    const would = outcome === 'created' ? `${whose} would be created: ${inventory(settings)}.` : `${whose} would be updated:`;
    return [
      would,
      ...(outcome === 'created' ? [] : changes.map(changeLine)),
      ...(refusals.length > 0 ? ['It would be refused, and nothing changed:'] : []),
      ...refusals.map(({ path, message }) => `  ${path} ${message}`),
    ].join('\n');
  });
  if (refusals.length === 0) for (const warning of captureWarnings(settings)) context.note(warning);
}

async function list(context: CommandContext): Promise<void> {
  const table = context.table();
  const items = await listOrganizations(table);
  context.print({ items }, () => {
    if (items.length === 0) return `Table ${table.name} has no organizations yet: create one with organization apply.`;
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

function inventory({ users, pipelines, sources, fields }: Settings): string {
  return [
    countOf(users.length, 'user'),
    countOf(pipelines.length, 'pipeline'),
    countOf(sources.length, 'source'),
    countOf(fields.length, 'field'),
  ].join(', ');
}

async function readText(file: string): Promise<string> {
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a folder',
    EACCES: 'it may not be read',
  };
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
    if (!reason) throw error;
    throw new CommandError(`The settings file ${file} cannot be read: ${reason}.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CommandError(`The settings file ${file} is not UTF-8: save it in that encoding.`, { cause: error });
  }
}
