import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type EndpointName, endpointNamed } from '../../../shared/contract/endpoints.ts';
import { generatedLead } from '../../support/generated/leads.ts';
import { storeListedLeads } from '../../support/leads.ts';
import { givenOrganizationWithoutKeys } from '../../support/organizations.ts';
import { goodRequests } from '../../support/requests.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { tableOf } from '../../support/table.ts';
import { progress, raisedLimits } from './measuring.ts';
import type { Results } from './results.ts';

/** @param requests of each round */
export async function measureLoad(requests: number): Promise<Results> {
  const service = await startServiceProcess(['--engine', 'dynoxide'], raisedLimits);
  try {
    const { baseUrl, environment } = service.ready;
    const next = await givenRequests(environment);
    progress('load: the functions start');
    await fire(baseUrl, next, 64, Math.min(2000, requests));
    const rows: Readonly<Record<'errors' | 'memory MB', number>>[] = [];
    for (const connections of [1, 8, 64]) {
      progress(`load: ${requests} requests over ${connections} connections`);
      const row = await fire(baseUrl, next, connections, requests);
      rows.push({ ...row, 'memory MB': residentMb(service.child.pid ?? 0) });
    }
    return {
      tables: [
        {
          title: 'Load on the local service',
          note: 'One organization with raised limits sends reads, lists, notes and captures in turn. Client, gateway, functions and engine share the machine. Memory is that of the gateway and the functions after the requests.',
          rows,
        },
      ],
      budgets: [['load: errors', 0, rows.reduce((sum, { errors }) => sum + errors, 0)]],
    };
  } finally {
    await service.end();
  }
}

/** Memory of a process and its worker threads. Linux only. */
function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends requests over several connections, each the next one when its last was answered.
 * @returns a row of the table. Errors are answers of 400 and above, broken connections and time-outs
 */
async function fire(baseUrl: string, next: () => Request, connections: number, requests: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let left = requests;
  let errors = 0;
  const startedAt = performance.now();
  const send = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const sentAt = performance.now();
      const status = await statusOf(baseUrl, agent, next()).catch(() => undefined);
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
    requests,
    'per second': requests / seconds,
    'p50 ms': quantile(0.5),
    'p99 ms': quantile(0.99),
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

const organizationId = 1000;
/** So many that requests at the same moment seldom meet in one lead or person; above the IDs that captures get. */
const leadCount = 500;
const firstLeadId = 1_000_001;
const mixed: readonly EndpointName[] = ['get-lead', 'list-leads', 'add-note', 'capture-lead'];

/** @returns a function that gives the next request: a read, a list, a note and a capture in turn */
async function givenRequests(
  environment: Readonly<Record<string, string>>,
): Promise<() => Request> {
  const table = tableOf(environment);
  const organization = await givenOrganizationWithoutKeys({}, table, organizationId);
  const ids = Array.from({ length: leadCount }, (_, index) => firstLeadId + index);
  await storeListedLeads(
    table,
    ids.map((id) => generatedLead(organizationId, id, leadCount)),
  );
  const { key } = await organization.key();
  table.client.destroy();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const kinds = goodRequests.filter(({ name }) => mixed.includes(name));
  let position = 0;
  return () => {
    const one = Math.floor(position / kinds.length) % leadCount;
    const { name, request } = kinds[position++ % kinds.length]!;
    const { method, path } = endpointNamed(name);
    const { leadId, body } = request(firstLeadId + one, {
      name: `Person ${one}`,
      phone: `+91981234${String(one).padStart(4, '0')}`,
      email: `person${one}@example.com`,
    });
    return {
      method,
      path: path.replace('{leadId}', String(leadId)),
      headers,
      ...(body && { body: JSON.stringify(body) }),
    };
  };
}
