import { CommanderError, Help, type Option } from 'commander';
import { apiKeyPrefix } from '../../shared/organization/api-key.ts';
import { AdminCommand } from './command.ts';
import { addCommands } from './commands.ts';
import { CommandContext, type ProcessIo } from './context.ts';
import { failureText } from './failure.ts';

const wrongUsage = 2;

/** Runs one administrator's command. @returns the exit status: 0, 1 (refused or failed) or 2 (wrong usage) */
export async function runAdmin(args: readonly string[], io: ProcessIo): Promise<number> {
  let status = 0;
  const program = new AdminCommand('npm run admin --', async (command, action) => {
    command.checkUsage();
    const context = await CommandContext.of(io, command);
    try {
      await action(context);
      status = context.status;
    } catch (error) {
      if (error instanceof CommanderError) throw error;
      context.note(failureText(error, context.environment));
      status = 1;
    }
  });
  try {
    addCommands(describeProgram(program, io));
    await program.parseAsync([...args], { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUsage;
    io.stderr(`${failureText(error, io.environment)}\n`);
    return 1;
  }
}

const describeProgram = (program: AdminCommand, { stdout, stderr }: ProcessIo): AdminCommand =>
  program
    .description(
      'manage organizations, API keys and leads in the table that LEADS_TABLE names or in the local service',
    )
    .option('--json', 'print the result as one JSON document')
    .option(
      '--stack <NAME>',
      'use the table of this deployed stack (NAME/ID: of one of its services) instead of LEADS_TABLE or the local service',
    )
    .configureHelp({ showGlobalOptions: true, optionDescription: describeOption })
    .configureOutput({
      writeOut: stdout,
      writeErr: stderr,
      outputError: (text, write) => write(redactKeys(text)),
    })
    .notes(`
Examples:
  npm run admin -- lead find --organization 1 --email asha@example.com
  npm run --silent admin -- check --json
  npm run admin -- organization list --stack leads

Each command has its own --help with examples.`)
    .exitOverride();

/** Hides an API key that was typed instead of its ID, so that the error does not print it into a job's output. */
const redactKeys = (text: string): string =>
  text.replace(new RegExp(`${apiKeyPrefix}\\w+`, 'g'), `${apiKeyPrefix}…`);

function describeOption(option: Option): string {
  return `${new Help().optionDescription(option)}${option.mandatory ? ' (required)' : ''}`;
}
