import fc from 'fast-check';
import { checkTable } from '../../shared/store/check/check-table.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { sendRaw } from '../security/raw-request.ts';
import { problemsOf } from './answer-problems.ts';
import { type FuzzRequest, fuzzRequests, withKeys } from './requests.ts';
import { newTenant, type Tenant } from './tenant.ts';

/** Requests to one new organization, one after the other: an episode of the same number and seed sends the same requests. */
export const requestsPerEpisode = 60; // far below what one key may send in an hour
const episodesAtOnce = 4;

export interface FuzzRun {
  readonly baseUrl: string;
  readonly table: Table;
  readonly seed: number;
  /** Their numbers. */
  readonly episodes: readonly number[];
  readonly onProgress?: (soFar: FuzzResult) => void;
}

export interface FuzzResult {
  requests: number;
  /** How often each operation answered what: `create-lead 201`. */
  readonly outcomes: Record<string, number>;
  /** What is wrong, with the request and the command that sends it again. */
  readonly findings: string[];
}

/** Runs the episodes and checks, after each, that what it left in the table holds together. */
export async function fuzz(run: FuzzRun): Promise<FuzzResult> {
  const result: FuzzResult = { requests: 0, outcomes: {}, findings: [] };
  const episodes = [...run.episodes];
  const tenants: Tenant[] = [await newTenant(run.table, 0)];
  const lane = async (): Promise<void> => {
    for (let episode = episodes.shift(); episode !== undefined; episode = episodes.shift()) {
      tenants.unshift(await newTenant(run.table, episode));
      await playEpisode(run, episode, [...tenants], result);
      run.onProgress?.(result);
    }
  };
  await Promise.all(Array.from({ length: episodesAtOnce }, lane));
  return result;
}

export const requestsOf = (seed: number, episode: number): readonly FuzzRequest[] =>
  fc.sample(fuzzRequests, {
    seed: seed ^ Math.imul(episode + 1, 0x9e3779b1),
    numRuns: requestsPerEpisode,
  });

async function playEpisode(
  run: FuzzRun,
  episode: number,
  [tenant, ...others]: readonly Tenant[],
  result: FuzzResult,
): Promise<void> {
  if (!tenant) throw new Error('An episode needs an organization.');
  const again = `npm run fuzz -- --seed ${run.seed} --episode ${episode}`;
  for (const [position, request] of requestsOf(run.seed, episode).entries()) {
    const sent = withKeys(request, tenant);
    const { outcome, problems, text } = await sendRaw(run.baseUrl, sent).then(
      (answer) => ({ ...problemsOf(sent, answer, tenant, others), text: answer.text }),
      (error: Error) => ({ outcome: 'none', problems: [error.message], text: '' }),
    );
    result.requests += 1;
    const place = `${request.operationId} ${outcome}`;
    result.outcomes[place] = (result.outcomes[place] ?? 0) + 1;
    if (problems.length === 0) continue;
    const body = request.body && Buffer.from(request.body).toString().slice(0, 1500);
    const shown = JSON.stringify({ ...request, body }).slice(0, 4000);
    result.findings.push(
      `Request ${position}: ${problems.join('; ').slice(0, 1500)}\n  ${shown}\n  answered ${outcome} ${text.slice(0, 600)}\n  ${again}`,
    );
  }
  const { violations } = await checkTable(run.table, { organizationId: tenant.organizationId });
  if (violations.length > 0) result.findings.push(`${violations.join('; ')}\n  ${again}`);
}
