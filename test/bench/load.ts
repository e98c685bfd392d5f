import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { clientConfig } from '../../infra/local/table.ts';
import { putLead } from '../../shared/store/leads/leads.ts';
import { applySettings } from '../../shared/store/organizations/apply-settings.ts';
import { openTable } from '../../shared/store/table/client.ts';
import { transact } from '../../shared/store/table/transact.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { sampleSettings } from '../support/settings.ts';
import { generatedLead } from './listing/generated-leads.ts';
import { givenApiKey, median, progress, settingsOf } from './measuring.ts';

/** A round of a fixed number of requests over so many connections. */
export interface LoadRound {
  readonly connections: number;
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers of 400 and above, broken connections and time-outs. */
  readonly errors: number;
}

export interface LoadResult {
  readonly rounds: readonly LoadRound[];
  /** Memory of the service's process, with all its functions, after each of up to fifty equal parts of a longer run, in megabytes. */
  readonly memory: {
    readonly requests: number;
    readonly errors: number;
    readonly megabytes: readonly number[];
  };
}

/**
 * The limits (600 requests an hour and key, 3,000 and organization) hold here too: the requests go over so many organizations and keys
 * that none comes near.
 */
const organizations = 60;
const keysEach = 4;
const leadsEach = 30;
const requestsPerKeyMax = 550;

/** @param requests of each round; `memoryRequests` of the longer run that memory is watched over */
export async function measureLoad({
  requests,
  memoryRequests,
}: {
  requests: number;
  memoryRequests: number;
}): Promise<LoadResult> {
  const warmUpRequests = Math.min(2000, requests);
  const all = 3 * requests + memoryRequests + warmUpRequests;
  if (all > organizations * keysEach * requestsPerKeyMax)
    throw new Error(`${all} requests are more than the keys of the load test allow.`);
  const service = await startServiceProcess(['--engine', 'dynoxide']);
  try {
    const { baseUrl, environment } = service.ready;
    const pid = service.child.pid ?? 0;
    const requestsInTurn = await givenRequests(environment);
    const shoot = (connections: number, amount: number): Promise<LoadRound> =>
      fire(baseUrl, requestsInTurn, connections, amount);
    progress('load: the functions start');
    await shoot(64, warmUpRequests);
    const rounds: LoadRound[] = [];
    for (const connections of [1, 8, 64]) {
      progress(
        `load: ${requests} requests over ${connections} connection${connections === 1 ? '' : 's'}`,
      );
      rounds.push(await shoot(connections, requests));
    }
    const memory = await watchMemory(pid, memoryRequests, (amount) => shoot(8, amount));
    return { rounds, memory };
  } finally {
    await service.end();
  }
}

const memoryStepsMax = 50;
const stepRequestsMin = 100;

async function watchMemory(
  pid: number,
  requests: number,
  shoot: (amount: number) => Promise<LoadRound>,
): Promise<LoadResult['memory']> {
  const megabytes: number[] = [];
  let errors = 0;
  const memorySteps = Math.min(memoryStepsMax, Math.ceil(requests / stepRequestsMin));
  for (let step = 1; step <= memorySteps; step += 1) {
    errors += (await shoot(Math.ceil(requests / memorySteps))).errors;
    megabytes.push(residentMb(pid));
    if (step % 10 === 0)
      progress(
        `load: memory after ${(step / memorySteps) * requests} requests: ${megabytes.at(-1)?.toFixed(0)} MB`,
      );
  }
  return { requests, errors, megabytes };
}

/** The median of the last fifth over the median of the second: above one, memory grows. The first fifth is the functions' start. */
export function growthOf(megabytes: readonly number[]): number {
  const fifth = Math.floor(megabytes.length / 5);
  return median(megabytes.slice(-fifth)) / median(megabytes.slice(fifth, 2 * fifth));
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Memory of a process and its worker threads. Linux only. */
function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** Each connection sends the next request when its last one is answered. The keys are in turn, so that none uses up its window. */
async function fire(
  baseUrl: string,
  requests: readonly Request[],
  connections: number,
  amount: number,
): Promise<LoadRound> {
  const end = position + amount;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let errors = 0;
  const startedAt = performance.now();
  const send = async (): Promise<void> => {
    while (position < end) {
      const next = requests[position++ % requests.length] as Request;
      const sentAt = performance.now();
      const status = await statusOf(baseUrl, agent, next).catch(() => undefined);
      if (status === undefined || status >= 300) errors += 1;
      times.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, send));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  times.sort((one, other) => one - other);
  const quantile = (share: number): number => times[Math.floor(share * times.length)] ?? 0;
  return {
    connections,
    requests: amount,
    perSecond: amount / seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    errors,
  };
}

const requestTimeoutMs = 30_000;

/** `fetch` would take five times the processor time of `node:http` from the service, which shares the machine. */
function statusOf(
  baseUrl: string,
  agent: Agent,
  { method, path, headers, body }: Request,
): Promise<number | undefined> {
  return new Promise((answered, failed) => {
    const options = { agent, method, headers, timeout: requestTimeoutMs };
    const sent = request(`${baseUrl}${path}`, options, (response) =>
      response
        .resume()
        .once('error', failed)
        .once('end', () => answered(response.statusCode)),
    );
    sent.once('timeout', () => sent.destroy()).once('error', failed);
    sent.end(body);
  });
}

/** Of the next request among all. */
let position = 0;

/** Reads, lists, notes and captures in turn, over all organizations and keys. */
async function givenRequests(environment: Readonly<Record<string, string>>): Promise<Request[]> {
  const table = openTable(
    environment.LEADS_TABLE,
    clientConfig(environment as unknown as Parameters<typeof clientConfig>[0]),
  );
  const requests: Request[][] = [];
  for (let organizationId = 1000; organizationId < 1000 + organizations; organizationId += 1) {
    if (organizationId % 20 === 0)
      progress(
        `load: organizations with ${keysEach} keys each: ${organizationId - 1000} of ${organizations}`,
      );
    await applySettings(table, settingsOf(sampleSettings, organizationId));
    for (let id = 1_000_001; id <= 1_000_000 + leadsEach; id += 1)
      await transact(table, [putLead(generatedLead(organizationId, id, 1e6))]);
    for (let count = 0; count < keysEach; count += 1)
      requests.push(requestsOf((await givenApiKey(table, organizationId)).key));
  }
  table.client.destroy();
  // The keys in turn, not one after the other.
  return Array.from({ length: requestKinds }, (_, kind) =>
    requests.map((own) => own[kind] as Request),
  ).flat();
}

const requestKinds = 12;

function requestsOf(apiKey: string): Request[] {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const get = (path: string): Request => ({
    method: 'GET',
    path,
    headers: { authorization: headers.authorization },
  });
  const post = (path: string, body: object): Request => ({
    method: 'POST',
    path,
    headers,
    body: JSON.stringify(body),
  });
  return Array.from({ length: requestKinds }, (_, kind) => {
    const leadId = 1_000_001 + (kind % leadsEach);
    const person = {
      name: `Person ${kind}`,
      phone: `+91981234${String(kind).padStart(4, '0')}`,
      email: `person${kind}@example.com`,
    };
    switch (kind % 4) {
      case 0:
        return get(`/api/v1/leads/${leadId}`);
      case 1:
        return get('/api/v1/leads?limit=10');
      case 2:
        return post(`/api/v1/leads/${leadId}/notes`, { text: 'Called back.' });
      default:
        return post('/api/v1/leads/capture', person);
    }
  });
}
