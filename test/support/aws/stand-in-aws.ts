import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { endpoints } from '../../../shared/contract/endpoints.ts';
import { runPrinted } from '../admin.ts';
import {
  type AwsReply,
  json,
  jsonRefusal,
  noStack,
  stacksXml,
  stackXml,
  startAwsServer,
} from './aws-server.ts';

/** A stand-in for CloudFormation, Lambda, CloudWatch Logs and X-Ray: one stack whose functions serve the endpoints, and one that serves none. */
export interface StandInAws {
  /** Points the AWS SDK at it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly stack: { status: string };
  /** The outputs of the stack, hidden while its status ends in IN_PROGRESS. */
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

export async function startStandInAws(): Promise<StandInAws> {
  const stack = { status: 'UPDATE_COMPLETE' };
  const outputs = new Map(ownOutputs);
  const reserved = new Map<string, number>();
  const refused = new Set<string>();
  const logs = new Map<string, LogEvent[]>();
  const traces = new Map<string, readonly unknown[]>();
  const { endpoint, close } = await startAwsServer(({ name, body }) => {
    const [action = '', named = ''] = name.split(' ');
    if (action === 'FilterLogEvents') return logsReply(logs, JSON.parse(body));
    if (named === '/Traces') return tracesReply(traces, refused.has('xray'), JSON.parse(body));
    if (named.startsWith('/')) return lambdaReply({ reserved, refused }, action, named, body);
    if (named !== 'leads') return noStack(named);
    if (action === 'ListStackResources') return resourcesReply();
    const shown = stack.status.endsWith('IN_PROGRESS') ? [] : outputs;
    return stacksXml(stackXml('leads', stack.status, shown));
  });
  return {
    stack,
    outputs,
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
    close,
  };
}

function resourcesReply(): AwsReply {
  const resource = (type: string, name: string): string =>
    `<member><ResourceType>${type}</ResourceType><LogicalResourceId>${name}</LogicalResourceId><PhysicalResourceId>${name}</PhysicalResourceId></member>`;
  const resources = [...standInFunctions, ...otherFunctions]
    .flatMap((name) => [
      resource('AWS::Lambda::Function', name),
      resource('AWS::Logs::LogGroup', `logs-${name}`),
    ])
    .concat(resource('AWS::Logs::LogGroup', gatewayLog));
  return [
    200,
    `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>${resources.join('')}</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`,
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
): AwsReply {
  const events = logs.get(logGroupName) ?? [];
  const at = Number(nextToken);
  const found = events
    .slice(at, at + 1)
    .filter(
      ({ timestamp, message }) =>
        timestamp >= startTime && message.includes(JSON.parse(filterPattern)),
    );
  return json({ events: found, ...(at + 1 < events.length && { nextToken: String(at + 1) }) });
}

function tracesReply(
  traces: ReadonlyMap<string, readonly unknown[]>,
  isRefused: boolean,
  { TraceIds }: { readonly TraceIds: readonly string[] },
): AwsReply {
  if (isRefused) return jsonRefusal('AccessDeniedException', 403);
  const found = TraceIds.filter((id) => traces.has(id)).map((Id) => ({
    Id,
    Segments: (traces.get(Id) ?? []).map((segment) => ({ Document: JSON.stringify(segment) })),
  }));
  return json({ Traces: found, UnprocessedTraceIds: [] });
}

type LambdaState = Pick<StandInAws, 'refused'> & {
  readonly reserved: Map<string, number>;
};

/** Lambda's requests by method and path (Lambda API reference). */
function lambdaReply(
  { reserved, refused }: LambdaState,
  method: string,
  path: string,
  body: string,
): AwsReply {
  const [, name = '', rest = ''] = /^\/[\d-]+\/functions\/([^/]+)\/(.*)$/.exec(path) ?? [];
  if (method !== 'GET' && refused.has(name)) return jsonRefusal('AccessDeniedException', 403);
  if (rest !== 'concurrency') return [404, JSON.stringify({ Message: path })];
  if (method === 'DELETE') reserved.delete(name);
  else reserved.set(name, JSON.parse(body).ReservedConcurrentExecutions);
  return method === 'DELETE' ? [204, ''] : json({});
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

const runAdminOnStack = (...args: string[]) =>
  runPrinted(args, {
    environment: { ...process.env, LEADS_TABLE: undefined },
    hasTerminal: false,
    localFolder: '/nowhere',
  });
