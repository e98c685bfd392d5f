import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { isPlainObject, parseJson } from '../../../shared/json.ts';
import { countOf } from '../../cli/format.ts';
import type { CommandContext } from '../context.ts';
import { namesInStack } from '../stack.ts';

const hourMs = 3_600_000;
/** All log groups are searched at once, and CloudWatch refuses more than a few requests a second: the SDK sends those again. */
const maxAttempts = 10;

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
  const client = new Client({ maxAttempts, retryMode: 'adaptive' });
  const startTime = Date.now() - hours * hourMs;
  try {
    const logGroups = await namesInStack(stack, 'AWS::Logs::LogGroup');
    context.progress(`Searching ${countOf(logGroups.length, 'log group')}`);
    const searchFor = async (text: string): Promise<RequestLine[]> =>
      (
        await Promise.all(logGroups.map((logGroup) => linesIn(client, logGroup, text, startTime)))
      ).flat();
    const lines = await searchFor(id);
    const furtherIds = [...valuesOf(lines, 'functionRequestId'), ...traceIdsOf(lines)];
    for (const furtherId of furtherIds) lines.push(...(await searchFor(furtherId)));
    const unique = new Map(lines.map((line) => [JSON.stringify(line), line]));
    return [...unique.values()].sort((one, other) => one.at.localeCompare(other.at));
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

async function linesIn(
  client: CloudWatchLogsClient,
  logGroupName: string,
  text: string,
  startTime: number,
): Promise<RequestLine[]> {
  const { paginateFilterLogEvents } = await import('@aws-sdk/client-cloudwatch-logs');
  const lines: RequestLine[] = [];
  const filter = { logGroupName, filterPattern: JSON.stringify(text), startTime };
  for await (const { events = [] } of paginateFilterLogEvents({ client }, filter))
    for (const { timestamp = 0, message = '' } of events)
      lines.push({
        at: new Date(timestamp).toISOString(),
        logGroup: logGroupName,
        line: parseJson(message) ?? message.trimEnd(),
      });
  return lines;
}
