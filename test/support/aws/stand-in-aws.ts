import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { runAdmin } from '../../../infra/admin/program.ts';
import { listen } from '../../../infra/cli/listen.ts';
import { endpoints } from '../../../shared/endpoints.ts';

/** A stand-in for CloudFormation, Lambda, CloudWatch Logs and X-Ray: one stack whose functions serve the endpoints, and one that serves none. */
export interface StandInAws {
  /** Points the AWS SDK at it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly stack: StandInStack;
  /** The outputs of the stack. */
  readonly outputs: Map<string, string>;
  /** Reserved concurrency by function, where one is set. */
  readonly reserved: ReadonlyMap<string, number>;
  /** What a log group of the stack has, by `logs-FUNCTION`. One event is a page. */
  readonly logs: Map<string, LogEvent[]>;
  /** X-Ray's segments by trace ID. */
  readonly traces: Map<string, readonly unknown[]>;
  /** Functions whose changes Lambda refuses; `xray` refuses to read traces. */
  readonly refused: Set<string>;
  close(): void;
}
interface StandInStack {
  status: string;
  /** Hidden while the status ends in IN_PROGRESS. */
  readonly outputs: Map<string, string>;
}
interface LogEvent {
  readonly timestamp: number;
  readonly message: string;
}

const functionName = (endpoint: string): string => `leads-${endpoint}`;
export const standInFunctions = endpoints.map(({ name }) => functionName(name));
const otherFunctions = ['leads-publish-events'];
const gatewayLog = 'logs-gateway';
/** Those of a stack that has only the service (infra/stack/lead-service.ts). */
const ownOutputs: readonly [string, string][] = [
  ['TableName', 'leads'],
  ['BaseUrl', 'https://leads.example.com'],
  ['Functions', endpoints.map(({ name }) => `${name}=${functionName(name)}`).join()],
];

/**
 * The outputs that CloudFormation would make of a template: a reference is named by its logical ID.
 * @param template as JSON
 */
export function outputsOf(template: unknown): [name: string, value: string][] {
  const { Outputs } = template as { readonly Outputs: Record<string, { readonly Value: unknown }> };
  return Object.entries(Outputs).map(([name, { Value }]) => [name, resolved(Value)]);
}

function resolved(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref, ...join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] };
  return Ref ?? (join['Fn::Join']?.[1] ?? []).map(resolved).join('');
}

export async function startStandInAws(): Promise<StandInAws> {
  const stack: StandInStack = { status: 'UPDATE_COMPLETE', outputs: new Map(ownOutputs) };
  const reserved = new Map<string, number>();
  const refused = new Set<string>();
  const logs = new Map<string, LogEvent[]>();
  const traces = new Map<string, readonly unknown[]>();
  const lambda = lambdaReplies({ reserved, refused });
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const isQuery = request.headers['content-type']?.startsWith(
      'application/x-www-form-urlencoded',
    );
    const [status, text] = isQuery
      ? cloudFormationReply(new URLSearchParams(body), stack)
      : request.headers['x-amz-target'] === 'Logs_20140328.FilterLogEvents'
        ? logsReply(logs, JSON.parse(body))
        : request.url === '/Traces'
          ? tracesReply(traces, refused.has('xray'), JSON.parse(body))
          : lambda(
              request.method ?? '',
              new URL(request.url ?? '', 'http://lambda').pathname,
              body,
            );
    response.writeHead(status, { 'Content-Type': isQuery ? 'text/xml' : 'application/json' });
    response.end(text);
  });
  const endpoint = `http://127.0.0.1:${await listen(server, 0)}`;
  return {
    stack,
    outputs: stack.outputs,
    reserved,
    logs,
    traces,
    refused,
    environment: {
      AWS_ENDPOINT_URL_CLOUDFORMATION: endpoint,
      AWS_ENDPOINT_URL_LAMBDA: endpoint,
      AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: endpoint,
      AWS_ENDPOINT_URL_XRAY: endpoint,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
    close: () => void server.close(),
  };
}

type Reply = [status: number, body: string];

function cloudFormationReply(form: URLSearchParams, { status, outputs }: StandInStack): Reply {
  if (form.get('StackName') !== 'leads') {
    const message = `Stack with id ${form.get('StackName')} does not exist`;
    return [
      400,
      `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`,
    ];
  }
  const resource = (type: string, name: string): string =>
    `<member><ResourceType>${type}</ResourceType><LogicalResourceId>${name}</LogicalResourceId><PhysicalResourceId>${name}</PhysicalResourceId></member>`;
  const resources = [...standInFunctions, ...otherFunctions]
    .flatMap((name) => [
      resource('AWS::Lambda::Function', name),
      resource('AWS::Logs::LogGroup', `logs-${name}`),
    ])
    .concat(resource('AWS::Logs::LogGroup', gatewayLog))
    .join('');
  const shown = status.endsWith('IN_PROGRESS') ? [] : [...outputs];
  const members = shown.map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return form.get('Action') === 'ListStackResources'
    ? [
        200,
        `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>${resources}</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`,
      ]
    : [
        200,
        `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>leads</StackName><StackStatus>${status}</StackStatus><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
      ];
}

interface LogSearch {
  readonly logGroupName: string;
  readonly filterPattern: string;
  readonly startTime: number;
  readonly nextToken?: string;
}

/** A pattern in quotes finds the events that contain it. An empty page may come before others, as AWS's do. */
function logsReply(
  logs: ReadonlyMap<string, readonly LogEvent[]>,
  { logGroupName, filterPattern, startTime, nextToken = '0' }: LogSearch,
): Reply {
  const events = logs.get(logGroupName) ?? [];
  const at = Number(nextToken);
  const found = events
    .slice(at, at + 1)
    .filter(
      ({ timestamp, message }) =>
        timestamp >= startTime && message.includes(JSON.parse(filterPattern)),
    );
  return [
    200,
    JSON.stringify({
      events: found,
      ...(at + 1 < events.length && { nextToken: String(at + 1) }),
    }),
  ];
}

function tracesReply(
  traces: ReadonlyMap<string, readonly unknown[]>,
  isRefused: boolean,
  { TraceIds }: { readonly TraceIds: readonly string[] },
): Reply {
  if (isRefused) return [403, JSON.stringify({ __type: 'AccessDeniedException' })];
  const found = TraceIds.filter((id) => traces.has(id)).map((Id) => ({
    Id,
    Segments: (traces.get(Id) ?? []).map((segment) => ({ Document: JSON.stringify(segment) })),
  }));
  return [200, JSON.stringify({ Traces: found, UnprocessedTraceIds: [] })];
}

type LambdaState = Pick<StandInAws, 'refused'> & {
  readonly reserved: Map<string, number>;
};

/** Lambda's requests by method and path (Lambda API reference). */
function lambdaReplies({ reserved, refused }: LambdaState) {
  const json = (value: unknown): Reply => [200, JSON.stringify(value)];
  return (method: string, path: string, body: string): Reply => {
    const [, name = '', rest = ''] = /^\/[\d-]+\/functions\/([^/]+)\/(.*)$/.exec(path) ?? [];
    if (method !== 'GET' && refused.has(name))
      return [403, JSON.stringify({ Message: 'not authorized', __type: 'AccessDeniedException' })];
    if (rest === 'concurrency') {
      if (method === 'DELETE') reserved.delete(name);
      else reserved.set(name, JSON.parse(body).ReservedConcurrentExecutions);
      return method === 'DELETE' ? [204, ''] : json({});
    }
    return [404, JSON.stringify({ Message: path })];
  };
}

/** Runs admin commands of a test file against a stand-in for AWS. Its changes are cleared after each test, but for reserved concurrency. */
export function useStandInAws() {
  let aws: StandInAws | undefined;
  const standIn = (): StandInAws => {
    if (!aws) throw new Error('The stand-in for AWS starts before the first test.');
    return aws;
  };
  beforeAll(async () => {
    aws = await startStandInAws();
  });
  afterAll(() => aws?.close());
  beforeEach(() => {
    for (const [name, value] of Object.entries(standIn().environment)) vi.stubEnv(name, value);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    standIn().refused.clear();
    standIn().logs.clear();
    standIn().traces.clear();
  });
  return { aws: standIn, run: runAdminOnStack };
}

async function runAdminOnStack(...args: string[]) {
  let stdout = '';
  let stderr = '';
  const status = await runAdmin(args, {
    environment: { ...process.env, LEADS_TABLE: undefined },
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    hasTerminal: false,
    localFolder: '/nowhere',
  });
  return { status, stdout, stderr };
}
