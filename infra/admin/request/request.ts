import type { Command } from 'commander';
import { isPlainObject, parseJson } from '../../../shared/json.ts';
import { countOf } from '../../cli/format.ts';
import { integerOption } from '../../cli/options.ts';
import { type CommandContext, CommandError } from '../context.ts';
import { type RequestLine, requestLines, traceIdsOf } from './request-lines.ts';

export function requestCommand(program: Command, context: CommandContext): void {
  program
    .command('request')
    .description('print the log lines and the trace of one request of a deployed service')
    .argument('<ID>', 'the X-Request-Id of the response')
    .option('--hours <N>', 'how far to look back, at most 87600', integerOption(1, 87_600), 24)
    .addHelpText(
      'after',
      `
Searches the log groups of the stack: of every function, and of the gateway with accessLogs. With accessLogs or tracing, the lines of
Lambda itself are found too. The stack of an error names source lines. With tracing, X-Ray's trace is printed if X-Ray sampled the request.
An ID can begin with a hyphen: -- ends the options.

Example:
  npm run admin -- request --stack lead-service-production -- JKJaXmPLvHcESHA=`,
    )
    .action((id: string, { hours }: { hours: number }) => printRequest(context, id, hours));
}

async function printRequest(context: CommandContext, id: string, hours: number): Promise<void> {
  const stack = context.deployed()?.stackName;
  if (stack === undefined)
    throw new CommandError(
      'Name the deployed service with --stack NAME: a local service prints its lines in its terminal.',
    );
  if (!/^[\w=-]{8,128}$/.test(id))
    throw new CommandError(
      `'${id}' is not a request ID: copy the value of the header X-Request-Id.`,
    );
  const lines = await requestLines(context, { stack, id, hours });
  if (lines.length === 0)
    throw new CommandError(
      `No log line of stack ${stack} has the request ID ${id} in the last ${countOf(hours, 'hour')}. A line can be read a minute after the request. Look further back with --hours, at most logRetentionDays (30 by default), and check --stack. A request that no function got has a line only with accessLogs.`,
    );
  const traces = await readableTraces(context, lines);
  context.print({ requestId: id, lines, traces }, () =>
    [...lines.map(lineText), ...traces.map(traceText)].join('\n'),
  );
}

/** Without the permission for X-Ray, the lines are worth printing all the same. */
async function readableTraces(
  context: CommandContext,
  lines: readonly RequestLine[],
): Promise<RequestTrace[]> {
  const traceIds = traceIdsOf(lines);
  try {
    return await tracesOf(traceIds);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AccessDeniedException')) throw error;
    context.note(
      `Traces are not shown: this identity may not call xray:BatchGetTraces. The trace ID is ${traceIds.join(', ')}.`,
    );
    return [];
  }
}

/** A stack is printed over its own lines: in JSON it would be one. */
function lineText({ at, logGroup, line }: RequestLine): string {
  if (typeof line === 'string') return `${at}  ${logGroup}\n${line}`;
  const stacks = isPlainObject(line) ? stacksOf(line.error) : [];
  return [`${at}  ${logGroup}`, JSON.stringify(line, undefined, 2), ...stacks].join('\n');
}

/** Of an error and its causes. */
const stacksOf = (error: unknown): string[] =>
  isPlainObject(error)
    ? [...(typeof error.stack === 'string' ? [error.stack] : []), ...stacksOf(error.cause)]
    : [];

const traceText = ({ traceId, segments }: RequestTrace): string =>
  `Trace ${traceId}\n${JSON.stringify(segments, undefined, 2)}`;

/** What X-Ray has of one request. */
interface RequestTrace {
  readonly traceId: string;
  /** The segment documents (AWS X-Ray developer guide, "Segment documents"), by time. */
  readonly segments: readonly unknown[];
}

/** A request of `BatchGetTraces` names at most this many (AWS X-Ray API reference). */
const tracesPerRequest = 5;

/**
 * The traces that X-Ray has: none without the option `tracing`, and of the requests that it samples. One request per five IDs.
 * @throws AccessDeniedException of the SDK without `xray:BatchGetTraces`
 */
async function tracesOf(traceIds: readonly string[]): Promise<RequestTrace[]> {
  if (traceIds.length === 0) return [];
  const { BatchGetTracesCommand, XRayClient } = await import('@aws-sdk/client-xray');
  const client = new XRayClient({});
  try {
    const found: RequestTrace[] = [];
    for (let first = 0; first < traceIds.length; first += tracesPerRequest) {
      const response = await client.send(
        new BatchGetTracesCommand({ TraceIds: traceIds.slice(first, first + tracesPerRequest) }),
      );
      for (const { Id: traceId = '', Segments = [] } of response.Traces ?? [])
        found.push({
          traceId,
          segments: Segments.map(({ Document = '' }) => parseJson(Document) ?? Document).sort(
            (one, other) => startOf(one) - startOf(other),
          ),
        });
    }
    return found;
  } finally {
    client.destroy();
  }
}

const startOf = (segment: unknown): number =>
  isPlainObject(segment) ? Number(segment.start_time ?? 0) : 0;
