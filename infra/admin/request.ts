import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { Command } from 'commander';
import { parseJson } from '../../shared/json.ts';
import { integerOption } from '../cli/integer-option.ts';
import { type CommandContext, CommandError } from './context.ts';
import { countOf } from './format.ts';
import { namesInStack } from './stack-functions.ts';

/** How many log groups are searched in parallel, below the limit of requests a second. */
const searchesAtOnce = 5;
const hourMs = 3_600_000;

interface RequestLine {
  readonly at: string;
  readonly logGroup: string;
  readonly line: unknown;
}

export function requestCommand(program: Command, context: CommandContext): void {
  program
    .command('request')
    .description('print the log lines of one request of a deployed service')
    .argument('<ID>', 'the X-Request-Id of the response')
    .option('--hours <N>', 'how far to look back, at most 87600', integerOption(1, 87_600), 24)
    .addHelpText(
      'after',
      `
Searches the log groups of the stack: of every function, and of the gateway with accessLogs.

Example:
  npm run admin -- request 3f1c0f6e-6f0a-4f2b-9d4b-0a4c6a4f5f11 --stack lead-service-production`,
    )
    .action((id: string, { hours }: { hours: number }) => printRequest(context, id, hours));
}

async function printRequest(context: CommandContext, id: string, hours: number): Promise<void> {
  const stack = context.stackName();
  if (stack === undefined)
    throw new CommandError(
      'Name the deployed service with --stack NAME: a local service prints its lines in its terminal.',
    );
  if (!/^[\w=-]{8,128}$/.test(id))
    throw new CommandError(
      `'${id}' is not a request ID: copy the value of the header X-Request-Id.`,
    );
  const lines = await linesOf(context, { stack, id, hours });
  if (lines.length === 0)
    throw new CommandError(
      `No log line of stack ${stack} has the request ID ${id} in the last ${countOf(hours, 'hour')}. A line can be read a minute after the request. Look further back with --hours, at most logRetentionDays (30 by default), and check --stack. A request that no function got has a line only with accessLogs.`,
    );
  context.print({ requestId: id, lines }, () => lines.map(forPeople).join('\n'));
}

interface Search {
  readonly stack: string;
  readonly id: string;
  readonly hours: number;
}

/** By time, from every log group of the stack. */
async function linesOf(context: CommandContext, search: Search): Promise<RequestLine[]> {
  const { CloudWatchLogsClient: Client } = await import('@aws-sdk/client-cloudwatch-logs');
  const client = new Client({});
  try {
    const logGroups = await namesInStack(search.stack, 'AWS::Logs::LogGroup');
    const found: RequestLine[] = [];
    let done = 0;
    for (let first = 0; first < logGroups.length; first += searchesAtOnce) {
      await Promise.all(
        logGroups.slice(first, first + searchesAtOnce).map(async (logGroup) => {
          found.push(...(await linesIn(client, logGroup, search)));
          done += 1;
          context.progress(`Searching: ${done} of ${countOf(logGroups.length, 'log group')}`);
        }),
      );
    }
    return found.sort((one, other) => one.at.localeCompare(other.at));
  } finally {
    client.destroy();
  }
}

async function linesIn(
  client: CloudWatchLogsClient,
  logGroup: string,
  { id, hours }: Search,
): Promise<RequestLine[]> {
  const { paginateFilterLogEvents } = await import('@aws-sdk/client-cloudwatch-logs');
  const lines: RequestLine[] = [];
  const pages = paginateFilterLogEvents(
    { client },
    {
      logGroupName: logGroup,
      filterPattern: `"${id}"`,
      startTime: Date.now() - hours * hourMs,
    },
  );
  for await (const { events = [] } of pages)
    for (const { timestamp = 0, message = '' } of events)
      lines.push({
        at: new Date(timestamp).toISOString(),
        logGroup,
        line: parseJson(message) ?? message.trimEnd(),
      });
  return lines;
}

const forPeople = ({ at, logGroup, line }: RequestLine): string =>
  `${at}  ${logGroup}\n${typeof line === 'string' ? line : JSON.stringify(line, undefined, 2)}`;
