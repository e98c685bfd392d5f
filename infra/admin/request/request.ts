import { isPlainObject, parseJson } from '../../../shared/base/json.ts';
import { clientSettings } from '../../cli/aws.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import { integerOption } from '../../cli/options.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';

const hourMs = 3_600_000;
/** All log groups are searched at once, but CloudWatch refuses more than a few requests a second, which the SDK then retries. */
const maxAttempts = 10;

export function requestCommand(program: AdminCommand): void {
  program
    .command('request')
    .description('print the log lines and the trace of one request of a deployed service')
    .argument('<ID>', 'the X-Request-Id of the response')
    .option('--hours <N>', 'hours to look back, at most 87600', integerOption(1, 87_600), 24)
    .notes(`
Searches every log group of the stack. With accessLogs, the lines of the gateway
and of Lambda itself, such as a time-out, are found too; with tracing Lambda's, and
the segments that X-Ray sampled. An ID can begin with a hyphen: -- ends the options.`)
    .examples('--stack lead-service-production -- JKJaXmPLvHcESHA=')
    .json('{"requestId","lines":[{"at","logGroup","line"}],"traces":[{"traceId","segments"}]}')
    .run(printRequest);
}

async function printRequest(
  context: CommandContext,
  { hours }: { readonly hours: number },
  id: string,
): Promise<void> {
  const { stackName } = context.deployed('a local service prints its lines in its terminal.');
  if (!/^[\w=-]{8,128}$/.test(id))
    throw new CommandError(
      `'${id}' is not a request ID: copy the value of the header X-Request-Id.`,
    );
  const logGroups = await logGroupsOf(stackName);
  context.progress(`Searching ${countOf(logGroups.length, 'log group')}`);
  const lines = await requestLines(logGroups, id, Date.now() - hours * hourMs);
  if (lines.length === 0)
    throw new CommandError(
      `No log line of stack ${stackName} has the request ID ${id} in the last ${countOf(hours, 'hour')}. A line can be read a minute after the request. Look further back with --hours, at most logRetentionDays (30 by default), and check --stack. A request that no function got has a line only with accessLogs.`,
    );
  const traces = await readableTraces(context, traceIdsOf(lines));
  context.print(
    { requestId: id, lines, traces },
    lines.map(lineText),
    traces.map(traceText),
    lines.flatMap(({ line }) => timelineCommand(stackName, line)),
  );
}

interface RequestLine {
  readonly at: string;
  readonly logGroup: string;
  readonly line: unknown;
}

/** Prints an error's stack on separate lines, because in JSON it would be a single one. */
function lineText({ at, logGroup, line }: RequestLine): string {
  if (typeof line === 'string') return `${at}  ${logGroup}\n${line}`;
  const stacks = isPlainObject(line) ? stacksOf(line.error) : [];
  return [`${at}  ${logGroup}`, JSON.stringify(line, undefined, 2), ...stacks].join('\n');
}

/** Prints the timeline of the request's lead, whose items name the request that wrote them. */
const timelineCommand = (stackName: string, line: unknown): string[] =>
  isPlainObject(line) && line.leadId !== undefined
    ? [
        `Its lead: npm run admin -- lead timeline --organization ${line.organizationId} --lead ${line.leadId} --stack ${stackName}`,
      ]
    : [];

/** The stacks of an error and its causes. */
const stacksOf = (error: unknown): string[] =>
  isPlainObject(error)
    ? [...(typeof error.stack === 'string' ? [error.stack] : []), ...stacksOf(error.cause)]
    : [];

const traceText = ({ traceId, segments }: RequestTrace): string =>
  `Trace ${traceId}\n${JSON.stringify(segments, undefined, 2)}`;

/** One request to CloudFormation per 100 resources of the stack. */
async function logGroupsOf(StackName: string): Promise<string[]> {
  const { CloudFormationClient, paginateListStackResources } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const client = new CloudFormationClient(clientSettings);
  const names: string[] = [];
  for await (const page of paginateListStackResources({ client }, { StackName }))
    for (const { ResourceType, PhysicalResourceId } of page.StackResourceSummaries ?? [])
      if (ResourceType === 'AWS::Logs::LogGroup' && PhysicalResourceId)
        names.push(PhysicalResourceId);
  return names;
}

/**
 * The lines of a request, by time. The functions and the gateway log the request's ID. Lambda logs time-outs, crashes and durations under
 * its own ID. The gateway's line has that ID and, with tracing, lines have the trace's, so these IDs are searched next.
 */
async function requestLines(
  logGroups: readonly string[],
  id: string,
  startTime: number,
): Promise<RequestLine[]> {
  const { CloudWatchLogsClient, paginateFilterLogEvents } = await import(
    '@aws-sdk/client-cloudwatch-logs'
  );
  const client = new CloudWatchLogsClient({
    ...clientSettings,
    maxAttempts,
    retryMode: 'adaptive',
  });
  const linesIn = async (logGroupName: string, text: string): Promise<RequestLine[]> => {
    const filter = { logGroupName, filterPattern: JSON.stringify(text), startTime };
    const lines: RequestLine[] = [];
    for await (const { events = [] } of paginateFilterLogEvents({ client }, filter))
      for (const { timestamp = 0, message = '' } of events) {
        const line = parseJson(message) ?? message.trimEnd();
        lines.push({ at: new Date(timestamp).toISOString(), logGroup: logGroupName, line });
      }
    return lines;
  };
  const linesWith = async (text: string): Promise<RequestLine[]> =>
    (await Promise.all(logGroups.map((logGroup) => linesIn(logGroup, text)))).flat();
  const lines = await linesWith(id);
  const furtherIds = [...valuesOf(lines, 'functionRequestId'), ...traceIdsOf(lines)];
  for (const furtherId of furtherIds) lines.push(...(await linesWith(furtherId)));
  const unique = new Map(lines.map((line) => [JSON.stringify(line), line]));
  return [...unique.values()].sort((a, b) => a.at.localeCompare(b.at));
}

/** The X-Ray trace IDs in the lines. In Lambda, every line has one. */
const traceIdsOf = (lines: readonly RequestLine[]): string[] => valuesOf(lines, 'xray_trace_id');

/** The distinct texts of a member. The gateway writes `-` if a member does not apply. */
function valuesOf(lines: readonly RequestLine[], member: string): string[] {
  const values = lines.map(({ line }) => (isPlainObject(line) ? String(line[member] ?? '') : ''));
  return [...new Set(values)].filter((value) => value.length > 1);
}

/** X-Ray's trace of one request. */
interface RequestTrace {
  readonly traceId: string;
  /** The segment documents (AWS X-Ray developer guide, "Segment documents"), by time. */
  readonly segments: readonly unknown[];
}

/**
 * Reads the traces from X-Ray, which has one only if the stack sets `tracing` and X-Ray sampled the request. Returns none if the caller may
 * not read traces, because the log lines are still worth printing.
 */
async function readableTraces(
  context: CommandContext,
  traceIds: readonly string[],
): Promise<RequestTrace[]> {
  if (traceIds.length === 0) return [];
  const { BatchGetTracesCommand, XRayClient } = await import('@aws-sdk/client-xray');
  const client = new XRayClient(clientSettings);
  try {
    const found: RequestTrace[] = [];
    for (const id of traceIds) {
      const { Traces = [] } = await client.send(new BatchGetTracesCommand({ TraceIds: [id] }));
      for (const { Id: traceId = '', Segments = [] } of Traces) {
        const segments = Segments.map(({ Document = '' }) => parseJson(Document) ?? Document);
        segments.sort((a, b) => startOf(a) - startOf(b));
        found.push({ traceId, segments });
      }
    }
    return found;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AccessDeniedException')) throw error;
    context.note(
      `Traces are not shown: this identity may not call xray:BatchGetTraces. The trace ID is ${traceIds.join(', ')}.`,
    );
    return [];
  }
}

const startOf = (segment: unknown): number =>
  isPlainObject(segment) ? Number(segment.start_time ?? 0) : 0;
