import { CommanderError, Help, type Option } from 'commander';
import { apiKeyPrefix } from '../../shared/organization/api-key.ts';
import { SettingsRejectedError } from '../../shared/organization/settings-shape.ts';
import { ApiKeyError } from '../../shared/store/organizations/api-keys.ts';
import { SettingsChangedError } from '../../shared/store/organizations/apply-settings.ts';
import { RestoreError } from '../../shared/store/restore/restore-origin.ts';
import { ContentionError } from '../../shared/store/table/retry.ts';
import { ThrottledError, UnknownOutcomeError } from '../../shared/store/table/transact.ts';
import { awsFailure } from '../cli/aws.ts';
import { CommandError } from '../cli/command.ts';
import { AdminCommand } from './command.ts';
import { addCommands } from './commands.ts';
import { CommandContext, type ProcessIo } from './context.ts';

const wrongUsage = 2;

/** Runs one administrator's command. @returns the exit status: 0, 1 (refused or failed) or 2 (wrong usage) */
export async function runAdmin(args: readonly string[], io: ProcessIo): Promise<number> {
  let status = 0;
  const program = new AdminCommand('npm run admin --', async (running, action) => {
    running.command.checkUsage();
    const context = await CommandContext.of(io, running);
    try {
      await action(context);
      status = context.status;
    } catch (error) {
      if (error instanceof CommanderError) throw error;
      context.note(failureText(error, context.environment));
      status = 1;
    } finally {
      context.close();
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

/**
 * Explains a failure in one sentence that a person can act on. A refused settings file has one more line per issue. Never a stack trace.
 * @param environment names the table and where it was looked for
 */
function failureText(error: unknown, environment: NodeJS.ProcessEnv): string {
  if (error instanceof SettingsRejectedError)
    return [error.message, ...error.issues.map(({ path, message }) => `  ${path} ${message}`)].join(
      '\n',
    );
  if (
    error instanceof CommandError ||
    error instanceof SettingsChangedError ||
    error instanceof ApiKeyError ||
    error instanceof RestoreError
  )
    return error.message;
  if (error instanceof ContentionError)
    return 'Other requests kept changing the same items: run the command again in a moment.';
  if (error instanceof ThrottledError)
    return 'DynamoDB throttles the table: run the command again in a few minutes.';
  if (error instanceof UnknownOutcomeError)
    return 'It is unknown whether the last write was applied: DynamoDB did not answer it, and its retries were throttled, conflicted or met changed settings. Check whether it was, then run the command again in a few minutes.';
  return awsFailure(error, environment);
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

/** Hides an API key that was typed in place of its ID, so that the error does not put it into a job's output. */
const redactKeys = (text: string): string =>
  text.replace(new RegExp(`${apiKeyPrefix}\\w+`, 'g'), `${apiKeyPrefix}…`);

function describeOption(option: Option): string {
  return `${new Help().optionDescription(option)}${option.mandatory ? ' (required)' : ''}`;
}
