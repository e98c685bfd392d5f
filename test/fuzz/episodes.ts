import { checkTable } from '../../shared/store/check/check-table.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { type RawRequest, sendRaw } from '../security/raw-request.ts';
import { judge } from './judge.ts';
import { Random } from './random.ts';
import { type FuzzRequest, type Mood, nextRequest, withKeys } from './requests.ts';
import { newTenant, type Tenant } from './tenant.ts';

/** Requests to one new organization, one after the other, so that an episode of the same number and seed is the same again. */
export const requestsPerEpisode = 100; // far below what one key may send in an hour
const episodesAtOnce = 4;

export interface FuzzRun {
  readonly baseUrl: string;
  readonly table: Table;
  readonly seed: number;
  /** Rounded up to whole episodes. */
  readonly requests: number;
  /** An episode ends sooner, and was the same until then. */
  readonly perEpisode?: number;
  /** Only this one. */
  readonly episode?: number | undefined;
  readonly onProgress?: (sofar: FuzzResult) => void;
}

export interface Finding {
  readonly seed: number;
  readonly episode: number;
  /** The request's place in its episode, from 0. */
  readonly position: number;
  /** Keys by their labels. */
  readonly request: FuzzRequest | undefined;
  readonly answer: string;
  readonly problems: readonly string[];
}

export interface FuzzResult {
  requests: number;
  episodes: number;
  readonly byMood: Record<Mood, number>;
  /** How often each operation answered what: `create-lead 201`. */
  readonly outcomes: Record<string, number>;
  readonly findings: Finding[];
}

/** Runs the episodes and checks, after each, that what it left in the table holds together. */
export async function fuzz(run: FuzzRun): Promise<FuzzResult> {
  const result: FuzzResult = {
    requests: 0,
    episodes: 0,
    byMood: { valid: 0, almost: 0, hostile: 0 },
    outcomes: {},
    findings: [],
  };
  const episodes =
    run.episode === undefined
      ? Array.from(
          { length: Math.ceil(run.requests / (run.perEpisode ?? requestsPerEpisode)) },
          (_, at) => at,
        )
      : [run.episode];
  const tenants: Tenant[] = [await newTenant(run.table, 0)];
  const lane = async (): Promise<void> => {
    for (let episode = episodes.shift(); episode !== undefined; episode = episodes.shift()) {
      const tenant = await newTenant(run.table, episode);
      tenants.push(tenant);
      await playEpisode(run, episode, tenant, tenants, result);
      result.episodes += 1;
      run.onProgress?.(result);
    }
  };
  await Promise.all(Array.from({ length: episodesAtOnce }, lane));
  return result;
}

async function playEpisode(
  run: FuzzRun,
  episode: number,
  tenant: Tenant,
  tenants: readonly Tenant[],
  result: FuzzResult,
): Promise<void> {
  const { seed, table, perEpisode = requestsPerEpisode } = run;
  const random = new Random(seed, episode);
  const leadIds: number[] = [];
  const found = (
    position: number,
    request: FuzzRequest | undefined,
    answer: string,
    problems: readonly string[],
  ): void => {
    if (problems.length > 0)
      result.findings.push({ seed, episode, position, request, answer, problems });
  };
  for (let position = 0; position < perEpisode; position += 1) {
    const request = nextRequest(random, leadIds);
    const others = tenants.filter((one) => one !== tenant);
    const { outcome, problems, answer } = await sendAndJudge(
      run.baseUrl,
      withKeys(request, tenant),
      tenant,
      others,
    );
    const made = /^201 \{"lead":\{"id":(\d+)/.exec(answer)?.[1];
    if (made) leadIds.push(Number(made));
    result.requests += 1;
    result.byMood[request.mood] += 1;
    const place = `${request.operationId} ${outcome}`;
    result.outcomes[place] = (result.outcomes[place] ?? 0) + 1;
    found(position, request, answer, problems);
  }
  const { violations } = await checkTable(table, { organizationId: tenant.organizationId });
  found(perEpisode, undefined, '', violations);
}

async function sendAndJudge(
  baseUrl: string,
  request: RawRequest,
  tenant: Tenant,
  others: readonly Tenant[],
) {
  try {
    const answer = await sendRaw(baseUrl, request);
    return { ...judge(request, answer, tenant, others), answer: `${answer.status} ${answer.text}` };
  } catch (error) {
    return { outcome: 'none', problems: [(error as Error).message], answer: '' };
  }
}

/** The command that finds it again. */
export const replayCommand = ({ seed, episode }: Finding): string =>
  `npm run fuzz -- --seed ${seed} --episode ${episode}`;

/** A finding as a person reads it: what is wrong, the request, the answer, and how to see it again. */
export function said(finding: Finding): string {
  const { position, request, answer, problems } = finding;
  const shown = request && {
    ...request,
    body:
      request.body === undefined ? undefined : Buffer.from(request.body).toString().slice(0, 1500),
  };
  return [
    `Request ${position}: ${problems.join('; ').slice(0, 1500)}`,
    ...(shown ? [JSON.stringify(shown).slice(0, 4000), `answered ${answer.slice(0, 600)}`] : []),
    replayCommand(finding),
  ].join('\n  ');
}
