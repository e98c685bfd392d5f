import fc from 'fast-check';
import { checkTable } from '../../../shared/store/check/check-table.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { tableOf } from '../../support/table.ts';
import { problemsOf } from './answer-problems.ts';
import { type FuzzRequest, fuzzRequests, withKeys } from './requests.ts';
import { send } from './send.ts';
import { newTenant, type Tenant } from './tenant.ts';

/** Requests to one new organization, one after the other: an episode of the same number and seed sends the same requests. */
export const requestsPerEpisode = 60; // far below what one key may send in an hour
const episodesAtOnce = 4;

export interface FuzzRun {
  /** As `npm start` takes it. */
  readonly engine: string;
  readonly seed: number;
  /** Their numbers. */
  readonly episodes: readonly number[];
  /** The most requests to send, so that the last episode may be shorter. @default whole episodes */
  readonly requests?: number | undefined;
  readonly onProgress?: (soFar: FuzzResult) => void;
}

export interface FuzzResult {
  requests: number;
  /** How often each operation answered what: `create-lead 201`. */
  readonly outcomes: Record<string, number>;
  /** What is wrong, with the request, the command that sends it again and, of a failure, what the function logged. */
  findings: string[];
}

/**
 * Runs the episodes and checks, after each, that what it left in the table holds together. The service and its engine are not shared.
 * Beside tests that scan and write large tables, an engine may respond so late that a function rightly fails.
 */
export async function fuzz({
  engine,
  seed,
  episodes,
  requests = Number.POSITIVE_INFINITY,
  onProgress,
}: FuzzRun): Promise<FuzzResult> {
  const service = await startServiceProcess(['--engine', engine]);
  const table = tableOf(service.ready.environment);
  const result: FuzzResult = { requests: 0, outcomes: {}, findings: [] };
  const waiting = [...episodes.entries()];
  const lane = async (tenants: Tenant[]): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, episode] = next;
      tenants.unshift(await newTenant(table, episode));
      const sent = requestsOf(seed, episode).slice(0, requests - at * requestsPerEpisode);
      const played = { baseUrl: service.ready.baseUrl, table, seed, episode, requests: sent };
      await playEpisode(played, [...tenants], result);
      onProgress?.(result);
    }
  };
  try {
    const tenants = [await newTenant(table, 0)];
    await Promise.all(Array.from({ length: episodesAtOnce }, () => lane(tenants)));
  } finally {
    table.client.destroy();
    await service.end();
  }
  const failures = service.printed.stderr.split('\n').filter((line) => line.includes('"ERROR"'));
  result.findings = result.findings.map((finding) =>
    [finding, ...failures.filter((line) => finding.includes(JSON.parse(line).requestId))].join(
      '\n  ',
    ),
  );
  return result;
}

export const requestsOf = (seed: number, episode: number): readonly FuzzRequest[] =>
  fc.sample(fuzzRequests, {
    seed: seed ^ Math.imul(episode + 1, 0x9e3779b1),
    numRuns: requestsPerEpisode,
  });

/** What only a request can cause that its endpoint's schemas, its key or its transport refuse. */
const neverOfValid = new Set([
  ...['HTTPS_REQUIRED', 'KEY_IN_URL', 'UNAUTHORIZED', 'FORBIDDEN', 'INVALID_IDEMPOTENCY_KEY'],
  ...['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
]);

async function playEpisode(
  run: {
    baseUrl: string;
    table: Table;
    seed: number;
    episode: number;
    requests: readonly FuzzRequest[];
  },
  [tenant, ...others]: readonly Tenant[],
  result: FuzzResult,
): Promise<void> {
  if (!tenant) throw new Error('An episode needs an organization.');
  const again = `npm run fuzz -- --seed ${run.seed} --episode ${run.episode}`;
  for (const [position, request] of run.requests.entries()) {
    const sent = withKeys(request, tenant);
    const { outcome, problems, answered } = await send(run.baseUrl, sent).then(
      (answer) => ({
        ...problemsOf(sent, answer, tenant, others),
        answered: `${answer.headers.get('X-Request-Id')} ${answer.text.slice(0, 600)}`,
      }),
      (error: Error) => ({ outcome: 'none', problems: [error.message], answered: '' }),
    );
    result.requests += 1;
    if (request.isValid && neverOfValid.has(outcome)) problems.push('a valid request is refused');
    const place = `${request.endpoint} ${outcome}`;
    result.outcomes[place] = (result.outcomes[place] ?? 0) + 1;
    if (problems.length === 0) continue;
    const body = request.body && Buffer.from(request.body).toString().slice(0, 1500);
    const shown = JSON.stringify({ ...request, body }).slice(0, 4000);
    result.findings.push(
      `Request ${position}: ${problems.join('; ').slice(0, 1500)}\n  ${shown}\n  answered ${outcome} ${answered}\n  ${again}`,
    );
  }
  const { violations } = await checkTable(run.table, { organizationId: tenant.organizationId });
  if (violations.length > 0) result.findings.push(`${violations.join('; ')}\n  ${again}`);
}
