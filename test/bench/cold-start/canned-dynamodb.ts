import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { listen } from '../../../infra/cli/listen.ts';
import type { CallLevels } from './bare-handler.ts';

/** A call that was answered. Times are milliseconds of `performance.now()`. */
export interface CannedCall {
  readonly operation: string;
  /** As it was sent, items marshalled. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A stub of DynamoDB that answers each kind of call with what an engine once answered to its like, at once. */
export interface CannedDynamodb {
  readonly endpoint: string;
  /** Each answer takes at least so long. */
  latencyMs: number;
  /** Runs it and returns the calls that were answered meanwhile. */
  record(run: () => Promise<unknown>): Promise<readonly CannedCall[]>;
  stop(): void;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** @param engine asked once per kind of call: operation, and the item type of the key */
export async function startCannedDynamodb(engine: string): Promise<CannedDynamodb> {
  const answers = new Map<string, Answer>();
  const calls: CannedCall[] = [];

  async function serve(request: IncomingMessage): Promise<Answer> {
    const startedAt = performance.now();
    const body = await text(request);
    const target = String(request.headers['x-amz-target']);
    const input = JSON.parse(body) as { Key?: { pk?: { S?: string } } };
    const kind = `${target} ${input.Key?.pk?.S?.split('#')[0] ?? ''}`;
    const answer = answers.get(kind) ?? (await ask(request, body));
    // A write that met a condition would meet it again: what is kept is what went well.
    if (answer.status === 200) answers.set(kind, answer);
    if (canned.latencyMs > 0) await pause(canned.latencyMs);
    calls.push({
      operation: target.split('.')[1] ?? '',
      input: { ...input },
      startedAt,
      endedAt: performance.now(),
    });
    if (calls.length > callsMax) calls.shift();
    return answer;
  }

  async function ask({ headers }: IncomingMessage, body: string): Promise<Answer> {
    const { host: _host, connection: _connection, 'content-length': _length, ...own } = headers;
    const response = await fetch(engine, {
      method: 'POST',
      headers: own as Record<string, string>,
      body,
    });
    return { status: response.status, body: await response.text() };
  }

  const server = createServer((request, response) => {
    serve(request).then(
      ({ status, body }) => {
        const headers = {
          'content-type': 'application/x-amz-json-1.0',
          'content-length': Buffer.byteLength(body),
        };
        response.writeHead(status, headers).end(body);
      },
      () => response.destroy(),
    );
  });
  const port = await listen(server, 0);
  const canned: CannedDynamodb = {
    endpoint: `http://127.0.0.1:${port}`,
    latencyMs: 0,
    async record(run) {
      calls.length = 0;
      await run();
      return [...calls];
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
  return canned;
}

/** What one request makes, and no more than memory takes of thousands. */
const callsMax = 1000;

type Marshalled = Parameters<typeof unmarshall>[0];
const itemsByName: ReadonlySet<string> = new Set([
  'Key',
  'Item',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
]);

/** Recorded calls by who waited for whom, their items as the document client takes them. */
export function callLevels(calls: readonly CannedCall[]): CallLevels {
  const levels: { operation: string; input: object }[][] = [];
  const levelOf = new Map<CannedCall, number>();
  for (const call of [...calls].sort((a, b) => a.startedAt - b.startedAt)) {
    const waitedFor = [...levelOf]
      .filter(([before]) => before.endedAt <= call.startedAt)
      .map(([, level]) => level + 1);
    const level = Math.max(0, ...waitedFor);
    levelOf.set(call, level);
    const input = unmarshalled(call.input) as object;
    levels[level] = [...(levels[level] ?? []), { operation: call.operation, input }];
  }
  return levels;
}

function unmarshalled(value: unknown, name = ''): unknown {
  if (itemsByName.has(name)) return unmarshall(value as Marshalled);
  if (name === 'Keys') return (value as Marshalled[]).map((key) => unmarshall(key));
  if (Array.isArray(value)) return value.map((one) => unmarshalled(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, unmarshalled(one, key)]),
  );
}
