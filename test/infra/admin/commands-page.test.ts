import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AdminCommand } from '../../../infra/admin/command.ts';
import { addCommands } from '../../../infra/admin/commands.ts';
import { runAdmin } from '../../../infra/admin/program.ts';
import { projectFolder } from '../../support/service-process.ts';

const io = {
  environment: {},
  localFolder: '',
  stdout: (_text: string): void => undefined,
  stderr: (_text: string): void => undefined,
  hasTerminal: false,
};

const program = new AdminCommand('npm run admin --', async () => undefined);
addCommands(program);
const commands = commandsOf(program, '');

/** The commands by their whole names, such as `lead erase`. */
function commandsOf(command: AdminCommand, path: string): [string, AdminCommand][] {
  if (command.commands.length === 0) return [[path, command]];
  return command.commands.flatMap((one) =>
    commandsOf(one as AdminCommand, `${path} ${one.name()}`.trim()),
  );
}

/** Its arguments and options without `--organization`, which the guide explains for all commands. */
function rowOf([name, command]: [string, AdminCommand]): string {
  const values = command.registeredArguments.map((argument) => argument.name());
  const options = command.options.map(({ flags, mandatory, argChoices }) => {
    const option = argChoices ? flags.replace(/<.*>/, argChoices.join('\\|')) : flags;
    return mandatory ? option : `[${option}]`;
  });
  const words = [name, ...values, ...options].filter(
    (word) => !/^ORGANIZATION$|^\[--organization /.test(word),
  );
  const what = command.description().replaceAll('|', '\\|');
  return `| \`${words.join(' ').replace(/[<>]/g, '')}\` | ${what} |`;
}

test('COMMANDS.md is the table of all commands', async () => {
  const document = [
    '# Commands',
    '',
    '[The guide](../guides/commands.md) has what holds for all of them. `npm test -- commands-page -u` writes this page.',
    '',
    '| command | what it does |',
    '|---|---|',
    ...commands.map(rowOf),
    '',
    'With `--json` a command prints one document. A name with `?` can be absent.',
    '',
    '| command | prints |',
    '|---|---|',
    ...commands.map(
      ([name, { jsonForm }]) => `| \`${name}\` | \`${jsonForm.replaceAll('|', '\\|')}\` |`,
    ),
    '',
  ];

  await expect(document.join('\n')).toMatchFileSnapshot(
    join(projectFolder, 'infra', 'admin', 'COMMANDS.md'),
  );
});

async function helpOf(command: string): Promise<string> {
  const printed: string[] = [];
  const stdout = (text: string): void => void printed.push(text);
  const names = command.split(' ').filter((name) => name !== '');
  expect(await runAdmin([...names, '--help'], { ...io, stdout })).toBe(0);
  return printed.join('');
}

test.each(commands.map(([name]) => name))(
  '%s --help shows an example and the JSON form',
  async (command) => {
    expect(await helpOf(command)).toMatch(
      new RegExp(`\\nExamples?:\\n[^]*npm run .*admin -- ${command}[^]*\\nWith --json`),
    );
  },
);

test('no line of a help has more than 80 characters, whatever the terminal', async () => {
  const nouns = program.commands.map((noun) => noun.name());
  const names = ['', ...nouns, ...commands.map(([name]) => name)];
  const helps = await Promise.all(names.map(helpOf));

  expect(
    helps
      .join('')
      .split('\n')
      .filter((line) => line.length > 80),
  ).toEqual([]);
});

test('an example of more than one line is one command for a shell', async () => {
  expect(await helpOf('lead edit')).toContain(`
  npm run admin -- lead edit --organization 1 --lead 5 \\
    --set phone='+91 98200 12345'
`);
});
