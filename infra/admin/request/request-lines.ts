import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { isPlainObject, parseJson } from '../../../shared/json.ts';
import { countOf } from '../../cli/format.ts';
import type { CommandContext } from '../context.ts';
import { namesInStack } from '../stack.ts';

/** How many log groups are searched in parallel, below the limit of requests a second. */
const searchesAtOnce = 5;
const hourMs = 3_600_000;

export interface RequestLine {
  readonly at: string;
  readonly logGroup: string;
  readonly line: unknown;
}

export interface LogSearch {
  readonly stack: string;
  readonly id: string;
  readonly hours: number;
}

/**
 * The lines of a request by time, from every log group of a stack. The functions and the gateway write the request's own ID. Lambda writes an ID
 * of its own (time-outs, crashes, the duration), which the gateway's line has, and with tracing the trace's, so those are searched next.
 */
export async function requestLines(
  context: CommandContext,
  { stack, id, hours }: LogSearch,
): Promise<RequestLine[]> {
  const { CloudWatchLogsClient: Client } = await import('@aws-sdk/client-cloudwatch-logs');
  const client = new Client({});
  try {
    const logGroups = await namesInStack(stack, 'AWS::Logs::LogGroup');
    const searchFor = async (text: string): Promise<RequestLine[]> =>
      inLogGroups(logGroups, context, (logGroup) => linesIn(client, logGroup, { text, hours }));
    const lines = await searchFor(id);
    const furtherIds = [...valuesOf(lines, 'functionRequestId'), ...traceIdsOf(lines)];
    for (const furtherId of furtherIds) lines.push(...(await searchFor(furtherId)));
    return withoutRepeats(lines).sort((one, other) => one.at.localeCompare(other.at));
  } finally {
    client.destroy();
  }
}

/** The X-Ray trace IDs that lines name: the logger writes them on every line in Lambda. */
export const traceIdsOf = (lines: readonly RequestLine[]): string[] =>
  valuesOf(lines, 'xray_trace_id');

/** The different texts of a member. The gateway writes `-` for what does not apply. */
function valuesOf(lines: readonly RequestLine[], member: string): string[] {
  const values = lines.map(({ line }) => (isPlainObject(line) ? line[member] : undefined));
  return [...new Set(values.filter((value) => typeof value === 'string' && value.length > 1))].map(
    String,
  );
}

function withoutRepeats(lines: readonly RequestLine[]): RequestLine[] {
  return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()];
}

async function inLogGroups(
  logGroups: readonly string[],
  context: CommandContext,
  search: (logGroup: string) => Promise<RequestLine[]>,
): Promise<RequestLine[]> {
  const found: RequestLine[] = [];
  let done = 0;
  for (let first = 0; first < logGroups.length; first += searchesAtOnce) {
    await Promise.all(
      logGroups.slice(first, first + searchesAtOnce).map(async (logGroup) => {
        found.push(...(await search(logGroup)));
        done += 1;
        context.progress(`Searching: ${done} of ${countOf(logGroups.length, 'log group')}`);
      }),
    );
  }
  return found;
}

async function linesIn(
  client: CloudWatchLogsClient,
  logGroup: string,
  { text, hours }: { readonly text: string; readonly hours: number },
): Promise<RequestLine[]> {
  const { paginateFilterLogEvents } = await import('@aws-sdk/client-cloudwatch-logs');
  const lines: RequestLine[] = [];
  const pages = paginateFilterLogEvents(
    { client },
    {
      logGroupName: logGroup,
      filterPattern: JSON.stringify(text),
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
