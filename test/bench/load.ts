import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { applySettings } from '../../shared/store/organizations/apply-settings.ts';
import { storeListedLeads } from '../support/leads.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { sampleSettings } from '../support/settings.ts';
import { tableOf } from '../support/table.ts';
import { generatedLead } from './listing/generated-leads.ts';
import { givenApiKey, median, progress, raisedLimits, settingsOf } from './measuring.ts';

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

/** @param requests of each round; `memoryRequests` of the longer run that memory is watched over */
export async function measureLoad({
  requests,
  memoryRequests,
}: {
  requests: number;
  memoryRequests: number;
}): Promise<LoadResult> {
  const warmUpRequests = Math.min(2000, requests);
  const service = await startServiceProcess(['--engine', 'dynoxide'], raisedLimits);
  try {
    const { baseUrl, environment } = service.ready;
    const pid = service.child.pid ?? 0;
    const requestOf = await givenRequests(environment);
    const shoot = (connections: number, amount: number): Promise<LoadRound> =>
      fire(baseUrl, requestOf, connections, amount);
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

/** Each connection sends the next request when its last one is answered. */
async function fire(
  baseUrl: string,
  requestOf: (position: number) => Request,
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
      const next = requestOf(position++);
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

const organizationId = 1000;
/** So many that requests at the same moment seldom meet in one lead or person; above the IDs that captures get. */
const leadCount = 500;
const firstLeadId = 1_000_001;

/** @returns the requests by their position: reads, lists, notes and captures in turn */
async function givenRequests(
  environment: Readonly<Record<string, string>>,
): Promise<(position: number) => Request> {
  const table = tableOf(environment);
  await applySettings(table, settingsOf(sampleSettings, organizationId));
  const ids = Array.from({ length: leadCount }, (_, index) => firstLeadId + index);
  await storeListedLeads(
    table,
    ids.map((id) => generatedLead(organizationId, id, leadCount)),
  );
  const { key } = await givenApiKey(table, organizationId);
  table.client.destroy();
  const headers = { authorization: `Bearer ${key}` };
  const get = (path: string): Request => ({ method: 'GET', path, headers });
  const post = (path: string, body: object): Request => ({
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (position) => {
    const person = Math.floor(position / 4) % leadCount;
    const id = firstLeadId + person;
    switch (position % 4) {
      case 0:
        return get(`/api/v1/leads/${id}`);
      case 1:
        return get('/api/v1/leads?limit=10');
      case 2:
        return post(`/api/v1/leads/${id}/notes`, { text: 'Called back.' });
      default:
        return post('/api/v1/leads/capture', {
          name: `Person ${person}`,
          phone: `+91981234${String(person).padStart(4, '0')}`,
          email: `person${person}@example.com`,
        });
    }
  };
}
