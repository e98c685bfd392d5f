import { kindOf, nameOf } from './effects.ts';
import type { History, ObservedRequest, Write } from './history.ts';
import { endOf, statesBetween } from './states.ts';

/**
 * Checks that limits are exact. An admitted request took a token from its key and one from its organization, and never more than there are.
 * A refused request met an empty bucket.
 */
export function checkLimits(history: History): string[] {
  return history.requests.flatMap((request) => {
    const keyTokens = request.writes.filter((write) => kindOf(write) === 'KEY');
    const organizationTokens = request.writes.filter((write) => kindOf(write) === 'USAGE');
    const issues = [
      ...keyTokens.flatMap((write) => tokenIssues(history, write, history.limits.perKey)),
      ...organizationTokens.flatMap((write) =>
        tokenIssues(history, write, history.limits.perOrganization),
      ),
      ...organizationTokens.flatMap((write) => sequenceIssues(request, write)),
      ...(request.result?.outcome === 'answered'
        ? answerIssues(history, request, keyTokens, organizationTokens)
        : []),
    ];
    return issues.map((issue) => `${nameOf(request)} ${issue}.`);
  });
}

const hourMs = 3_600_000;

function tokenIssues(
  { clockSkewMs }: History,
  { before, after, at, work }: Write,
  limit: number,
): string[] {
  if (!before || !after) return ['made or removed a bucket'];
  // By the clock of its instance, which it read at some time since it was sent.
  const earliest = Math.floor((work?.startedAt ?? at) - clockSkewMs);
  const [used, had] = [after.used as number, before.used as number];
  const [ends, ended] = [after.windowEndsAt as number, before.windowEndsAt as number];
  if (used === 1 && ends !== ended) {
    const isEarly = ended > at + clockSkewMs;
    const isOff = ends > at + hourMs + clockSkewMs || ends < earliest + hourMs;
    return [
      ...(isEarly ? [`began a window ${Math.round(ended - at)} ms early`] : []),
      ...(isOff ? ['began a window of another length'] : []),
    ];
  }
  const issues: string[] = [];
  if (used !== had + 1 || ends !== ended) issues.push(`took ${used - had} tokens`);
  if (used > limit) issues.push(`took token ${used} of ${limit}`);
  if (ended <= earliest) issues.push('took a token of a window that was over');
  return issues;
}
/** Only a request that may make a lead takes an id, and it takes one. */
function sequenceIssues({ what }: ObservedRequest, { before, after }: Write): string[] {
  const [id, last] = [after?.lastLeadId ?? 0, before?.lastLeadId ?? 0] as [number, number];
  const expected = what === 'create-lead' || what === 'capture-lead' ? 1 : 0;
  return id - last === expected ? [] : [`took ${id - last} lead ids`];
}

function answerIssues(
  history: History,
  request: ObservedRequest,
  keyTokens: readonly Write[],
  organizationTokens: readonly Write[],
): string[] {
  const { limits, clockSkewMs } = history;
  const { status = 0, headers = {} } = request.answer ?? {};
  if (status === 429) return refusalIssues(history, request);
  if (status === 401 || status === 500 || !request.answer) return [];
  const issues: string[] = [];
  for (const [what, tokens] of [
    ['key', keyTokens],
    ['organization', organizationTokens],
  ] as const) {
    if (tokens.length === 0) issues.push(`was let in without a token of its ${what}`);
    if (tokens.length > 1 && request.faults.length === 0)
      issues.push(`took ${tokens.length} tokens of its ${what}`);
  }
  const buckets = [...keyTokens, ...organizationTokens].map((write) => {
    const limit = kindOf(write) === 'KEY' ? limits.perKey : limits.perOrganization;
    const { used, windowEndsAt } = write.after as { used: number; windowEndsAt: number };
    return { limit, remaining: limit - used, ends: windowEndsAt };
  });
  const shown = (name: string): number => Number(headers[`ratelimit-${name}`]);
  // The headers show the bucket with fewer tokens left; if they are equal, the one whose window ends later.
  const [nearest] = buckets.sort((a, b) => a.remaining - b.remaining || b.ends - a.ends);
  // After a lost answer a request has taken more than one token, and it is not known which one the headers show.
  const mayBeTold = buckets.length === 2 ? buckets.slice(0, 1) : buckets;
  if (!mayBeTold.some(({ remaining }) => remaining === shown('remaining')))
    issues.push(`was told of ${shown('remaining')} remaining requests`);
  if (!nearest || buckets.length !== 2) return issues;
  if (shown('limit') !== nearest.limit) issues.push(`was told of a limit of ${shown('limit')}`);
  const secondsAt = (at: number): number => Math.max(1, Math.ceil((nearest.ends - at) / 1000));
  if (
    shown('reset') > secondsAt(request.startedAt - clockSkewMs) + 1 ||
    shown('reset') < secondsAt(request.handledUntil + clockSkewMs) - 1
  )
    issues.push(`was told that its window ends in ${shown('reset')} s`);
  return issues;
}

/**
 * An exhausted bucket was seen in its window, by some clock. An instance refuses without a call while its own clock is in that window. An
 * instance with a faster clock may already have started the next one.
 */
function refusalIssues(history: History, request: ObservedRequest): string[] {
  const { apiKey, organizationId, startedAt } = request;
  const earliest = startedAt - history.clockSkewMs;
  const keys = [...history.writesOf.keys()].filter((name) => name.startsWith('KEY#'));
  const own =
    keys
      .find((name) => history.writesOf.get(name)?.[0]?.after?.keyId === apiKey.keyId)
      ?.split(' ')[0] ?? '';
  const isEmpty = (pk: string, sk: string, limit: number): boolean =>
    statesBetween(history, pk, sk, earliest, endOf(request)).some(
      (state) =>
        state && (state.used as number) >= limit && (state.windowEndsAt as number) > earliest,
    );
  const { perKey, perOrganization } = history.limits;
  const isJust =
    isEmpty(own, 'KEY', perKey) || isEmpty(`USAGE#${organizationId}`, 'USAGE', perOrganization);
  return isJust ? [] : ['was refused for a limit that is not reached'];
}
