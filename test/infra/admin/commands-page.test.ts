import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addCommands } from '../../../infra/admin/commands.ts';
import { CommandContext } from '../../../infra/admin/context.ts';
import { runAdmin } from '../../../infra/admin/program.ts';
import { CliCommand } from '../../../infra/cli/command.ts';
import { projectFolder } from '../../support/service-process.ts';

const page = readFileSync(join(projectFolder, 'infra', 'guides', 'commands.md'), 'utf8');
const tables = page.slice(0, page.indexOf('\n## '));

/** `lead erase` and its options, without those that the page explains for all commands. */
function commandsOf(command: CliCommand, path: string): [string, string[]][] {
  if (command.commands.length > 0)
    return command.commands.flatMap((one) =>
      commandsOf(one as CliCommand, `${path} ${one.name()}`.trim()),
    );
  const options = command.options.map(({ long }) => String(long));
  return [[path, options.filter((option) => option !== '--organization').sort()]];
}

/** The same as the first column of the tables says it; a command can have several rows. */
function commandsOfPage(): Map<string, Set<string>> {
  const commands = new Map<string, Set<string>>();
  for (const [, cell = ''] of tables.matchAll(/^\| (`[a-z].*?`) \| .+ \| .*$/gm))
    for (const [, usage = ''] of cell.matchAll(/`([^`]+)`/g)) {
      const name = /^(?:organization|key|lead|restore|service) \w+|^\w+/.exec(usage)?.[0] ?? '';
      const options = usage.match(/--[a-z-]+/g) ?? [];
      const own = options.filter((option) => !['--organization', '--stack'].includes(option));
      commands.set(name, new Set([...(commands.get(name) ?? []), ...own]));
    }
  return commands;
}

const io = {
  environment: {},
  localFolder: '',
  stdout: (_text: string): void => undefined,
  stderr: (_text: string): void => undefined,
  hasTerminal: false,
};

function allCommands(): [string, string[]][] {
  const program = new CliCommand('admin');
  addCommands(program, new CommandContext(program, io));
  return commandsOf(program, '');
}

test('the guide of commands has every command with every option, and no other', () => {
  const found = [...commandsOfPage()].map(([name, options]) => [name, [...options].sort()]);

  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(allCommands()));
});

test.each(allCommands())('%s --help shows an example of it', async (command) => {
  const printed: string[] = [];
  const stdout = (text: string): void => void printed.push(text);

  expect(await runAdmin([...command.split(' '), '--help'], { ...io, stdout })).toBe(0);
  expect(printed.join('')).toMatch(new RegExp(`\\nExamples?:\\n[^]*npm run .*admin -- ${command}`));
});
