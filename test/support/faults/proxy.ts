import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '../../../infra/cli/listen.ts';
import { errorResponse } from '../../dynamodb-model/dynamodb-model.ts';
import { arrivingCall, consumedUnits, type RecordedCall } from './calls.ts';
import type { Fault, FaultRule } from './rules.ts';

/** The engine's answer to a call that the proxy passed on. */
interface EngineReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Record<string, unknown>;
}

/** A DynamoDB endpoint on 127.0.0.1 that forwards every call to an engine, records it, and injects faults by a rule. */
export interface DynamodbProxy {
  readonly endpoint: string;
  /** Every call so far, in the order of arrival. */
  readonly calls: readonly RecordedCall[];
  /** Decides about each call; undefined: every call passes. */
  rule: FaultRule | undefined;
  /** Each call takes at least this long, so that parallel calls overlap. */
  latencyMs: number;
  /** A reply is sent only after this: where calls that are made in parallel must be seen in parallel. */
  heldUntil: (() => Promise<void>) | undefined;
  /** Repeats the engine's first successful answer to each kind of call, without asking again: a condition that once held always holds. */
  isCanned: boolean;
  /** How far the endpoint's clock is ahead of this machine's, as its `Date` header says. */
  clockAheadMs: number;
  /** Runs a function and returns the calls that arrived while it ran. */
  record<T>(
    run: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly calls: readonly RecordedCall[] }>;
  /** Breaks every connection and stops listening. */
  stop(): Promise<void>;
}

/** @param engine the address of the engine behind it */
export async function startDynamodbProxy(engine: string): Promise<DynamodbProxy> {
  const calls: RecordedCall[] = [];
  const canned = new Map<string, EngineReply>();
  let isRecording = false;
  const agent = new Agent({ keepAlive: true });
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const body = (await json(request)) as Record<string, unknown>;
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const call = arrivingCall(operation, body);
    const fault = proxy.rule?.(call, body);
    const units = consumedUnits(operation, {});
    const recorded: RecordedCall = {
      ...call,
      invocationId: headerOf(request, 'amz-sdk-invocation-id'),
      startedAt,
      endedAt: undefined,
      fault: fault?.kind,
      status: undefined,
      units,
      body: isRecording ? body : undefined,
    };
    calls.push(recorded);

    const known = proxy.isCanned ? canned.get(call.site) : undefined;
    const applied =
      known ?? (isApplied(fault) ? await passOn(engine, agent, request, body) : undefined);
    if (proxy.isCanned && applied?.status === 200) canned.set(call.site, applied);
    if (applied) recorded.units = consumedUnits(operation, applied.json);
    await proxy.heldUntil?.();
    const restMs =
      proxy.latencyMs + (fault?.kind === 'delay' ? fault.ms : 0) - (performance.now() - startedAt);
    if (restMs > 0) await pause(restMs);

    recorded.endedAt = performance.now();
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'cut' && !fault.inBody) {
      await fault.before?.();
      request.socket.destroy();
      return;
    }
    const error = fault?.kind === 'error' ? errorResponse(fault.error) : undefined;
    recorded.status = error?.statusCode ?? applied?.status;
    const text = error ? Buffer.from(error.body).toString() : JSON.stringify(applied?.json ?? {});
    response.writeHead(recorded.status ?? 200, {
      'content-type': 'application/x-amz-json-1.0',
      date: new Date(Date.now() + proxy.clockAheadMs).toUTCString(),
      ...applied?.headers,
      'content-length': Buffer.byteLength(text),
    });
    if (fault?.kind !== 'stall' && fault?.kind !== 'cut') {
      response.end(text);
      return;
    }
    response.write(text.slice(0, text.length / 2));
    if (fault.kind === 'cut') setTimeout(() => request.socket.destroy(), 20); // what was written must arrive first
  }

  const port = await listen(server, 0);
  const proxy: DynamodbProxy = {
    endpoint: `http://127.0.0.1:${port}`,
    calls,
    rule: undefined,
    latencyMs: 0,
    clockAheadMs: 0,
    heldUntil: undefined,
    isCanned: false,
    async record(run) {
      const from = calls.length;
      isRecording = true;
      const result = await run().finally(() => {
        isRecording = false;
      });
      return { result, calls: calls.slice(from) };
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
  return proxy;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

const isApplied = (fault: Fault | undefined): boolean =>
  fault === undefined || fault.kind === 'delay' || fault.applied === true;

/** Forwards a call. Neither engine checks a signature, so the body may change. Headers of the connection are not forwarded. */
async function passOn(
  engine: string,
  agent: Agent,
  { headers }: IncomingMessage,
  body: object,
): Promise<EngineReply> {
  // INDEXES reports what TOTAL reports, and the units of each index.
  const text = JSON.stringify({ ...body, ReturnConsumedCapacity: 'INDEXES' });
  const { connection: _connection, host: _host, 'transfer-encoding': _encoding, ...own } = headers;
  const request = httpRequest(engine, {
    method: 'POST',
    agent,
    headers: { ...own, 'content-length': Buffer.byteLength(text) },
  });
  request.end(text);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const reply = (await json(response)) as Record<string, unknown>;
  const requestId = headerOf(response, 'x-amzn-requestid');
  return {
    status: response.statusCode ?? 500,
    headers: requestId === undefined ? {} : { 'x-amzn-requestid': requestId },
    json: reply,
  };
}
