import { CommanderError, Help, type Option } from 'commander';
import { apiKeyPrefix } from '../../shared/organization/api-key.ts';
import { openTable, type Table } from '../../shared/store/table/client.ts';
import { CliCommand } from '../cli/command.ts';
import { callerIdentity } from './caller-identity.ts';
import { checkCommand } from './check.ts';
import { type CommandContext, CommandError } from './context.ts';
import { failureLines } from './failures.ts';
import { keyCommands } from './key.ts';
import { leadCommands } from './lead.ts';
import { organizationCommands } from './organization.ts';
import { ProgressLine } from './progress-line.ts';
import { restoreCommands } from './restore.ts';
import { type TableLocation, tableOfStack } from './stack.ts';

/** Where an administrator's command reads from and prints to. */
export interface ProcessIo {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether a person watches stderr. */
  readonly hasTerminal: boolean;
}

const wrongUsage = 2;

/** A terminal is more patient than a function: a page of a megabyte may take its time, and a throttled table be asked again for long. */
const clientTimeouts = {
  maxAttempts: 5,
  requestHandler: { connectionTimeout: 3000, requestTimeout: 30_000, throwOnRequestTimeout: true, socketTimeout: 30_000 },
};

/** Runs one administrator's command. @returns the exit status: 0, 1 (refused or failed) or 2 (wrong usage). */
export async function runAdmin(
  args: readonly string[],
  { environment, stdout, stderr, hasTerminal }: ProcessIo,
): Promise<number> {
  let table: Table | undefined;
  let place: TableLocation | undefined;
  let identity: Promise<string> | undefined;
  let status = 0;
  const progress = new ProgressLine(hasTerminal ? stderr : undefined);
  const program = new CliCommand('npm run admin --');
  const context: CommandContext = {
    table: () => {
      table ??= openNamedTable(environment, place);
      return table;
    },
    callerIdentity: () => {
      identity ??= callerIdentity(environment, place?.region);
      return identity;
    },
    print: (result, forPeople) => {
      progress.clear();
      stdout(`${program.opts().json ? JSON.stringify(result) : forPeople()}\n`);
    },
    note: (sentence) => {
      progress.clear();
      stderr(`${sentence}\n`);
    },
    progress: (line) => progress.show(line),
    exitWithFailure: () => {
      status = 1;
    },
  };
  program
    .description("administer the lead service's organizations, API keys and leads, on the table that LEADS_TABLE names")
    .option('--json', 'print one JSON document')
    .option('--stack <NAME>', 'work on the table of this deployed stack (CloudFormation) instead')
    .hook('preAction', async () => {
      const { stack } = program.opts<{ stack?: string }>();
      if (stack === undefined) return;
      place = await tableOfStack(stack);
      // Left over from a local run, it would have the command work on other data than the person has in mind.
      const elsewhere = environment.AWS_ENDPOINT_URL_DYNAMODB ?? environment.AWS_ENDPOINT_URL;
      if (elsewhere) {
        context.note(
          `Warning: table ${place.name} of stack ${stack} is looked for at ${elsewhere}, not in AWS: AWS_ENDPOINT_URL_DYNAMODB says so.`,
        );
      }
    })
    .configureHelp({ showGlobalOptions: true, optionDescription: describeOption })
    .configureOutput({ writeOut: stdout, writeErr: stderr, outputError: (text, write) => write(redactKeys(text)) })
    .addHelpText(
      'after',
      '\nExamples:\n  npm run admin -- organization list\n  npm run admin -- lead find --organization 1 --email asha@example.com\n' +
        '  npm run --silent admin -- check --json\n  npm run admin -- organization list --stack leads\n\nEach command has a --help with examples of its own.',
    )
    .exitOverride();
  organizationCommands(program, context);
  keyCommands(program, context);
  leadCommands(program, context);
  checkCommand(program, context);
  restoreCommands(program, context);

  try {
    await program.parseAsync([...args], { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUsage;
    progress.clear();
    stderr(
      `${failureLines(error, place ? { ...environment, LEADS_TABLE: place.name, AWS_REGION: place.region } : environment).join('\n')}\n`,
    );
    return 1;
  } finally {
    table?.client.destroy();
  }
}

function openNamedTable(environment: NodeJS.ProcessEnv, place: TableLocation | undefined): Table {
  if (place) return openTable(place.name, { ...clientTimeouts, region: place.region });
  if (!environment.LEADS_TABLE) {
    throw new CommandError(
      'LEADS_TABLE is not set: take it and the AWS variables from what npm start prints, or name the deployed stack with --stack.',
    );
  }
  return openTable(environment.LEADS_TABLE, clientTimeouts);
}

/** A whole API key that was typed where its id is wanted is not to stand in a terminal's or a job's output. */
const redactKeys = (text: string): string => text.replace(new RegExp(`${apiKeyPrefix}\\w+`, 'g'), `${apiKeyPrefix}…`);

function describeOption(option: Option): string {
  return `${new Help().optionDescription(option)}${option.mandatory ? ' (required)' : ''}`;
}
