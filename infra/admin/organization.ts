import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { parseSettingsFile, type Settings, settingsFile } from '../../shared/organization/settings.ts';
import { applySettings } from '../../shared/store/apply-settings.ts';
import { readSettings } from '../../shared/store/organizations.ts';
import { CommandRefused, type Desk, parseId } from './desk.ts';

/** `organization apply|show`. */
export function organizationCommands(program: Command, desk: Desk): void {
  const organization = program.command('organization').description('create, change and show an organization');

  organization
    .command('apply')
    .description('create or update an organization from a settings file, all or nothing')
    .argument('<FILE>', 'settings file (JSON)')
    .option('--ignore-keys', 'apply a file that has keys, without them: npm start alone mints those')
    .addHelpText('after', '\nExample:\n  npm run admin -- organization apply northwind.json')
    .action((file: string, { ignoreKeys = false }: { ignoreKeys?: boolean }) => apply(desk, file, ignoreKeys));

  organization
    .command('show')
    .description("print an organization's settings, in the form of the file")
    .argument('<ID>', "organization's id", parseId)
    .addHelpText('after', '\nExample:\n  npm run --silent admin -- organization show 1 > organization-1.json')
    .action((organizationId: number) => show(desk, organizationId));
}

async function apply(desk: Desk, file: string, ignoreKeys: boolean): Promise<void> {
  const { settings, keys } = parseSettingsFile(await readText(file));
  if (keys.length > 0 && !ignoreKeys) {
    throw new CommandRefused(
      `${file} has $.keys, which npm start alone mints: remove them, or apply the rest with --ignore-keys and use key create.`,
    );
  }
  const { outcome, version } = await applySettings(desk.table(), settings, {
    onWait: (seconds, drops) =>
      desk.tell(`Waiting ${seconds} s for requests that may still use ${drops.map(({ path }) => path).join(', ')}.`),
  });
  desk.answer({ organization: { id: settings.id } }, () => {
    const done = outcome === 'unchanged' ? 'has these settings already' : `is ${outcome}`;
    return `Organization ${settings.id} (${settings.name}) ${done}, version ${version}: ${inventory(settings)}.`;
  });
}

async function show(desk: Desk, organizationId: number): Promise<void> {
  const table = desk.table();
  const stored = await readSettings(table, organizationId);
  if (!stored) {
    throw new CommandRefused(
      `There is no organization ${organizationId} in table ${table.name}: create it with organization apply.`,
    );
  }
  const file = settingsFile(stored.settings);
  desk.answer(file, () => JSON.stringify(file, null, 2));
}

function inventory({ users, pipelines, sources, fields }: Settings): string {
  const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
  return [
    counted(users.length, 'user'),
    counted(pipelines.length, 'pipeline'),
    counted(sources.length, 'source'),
    counted(fields.length, 'field'),
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
    throw new CommandRefused(`The settings file ${file} cannot be read: ${reason}.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CommandRefused(`The settings file ${file} is not UTF-8: save it in that encoding.`, { cause: error });
  }
}
