import { checkTable } from '../../../shared/store/check/check-table.ts';
import { defectIssues, foreignIssues, formIssues } from '../../simulation/checker/check-answers.ts';
import { everyList, walkAll } from '../../simulation/checker/check-history.ts';
import { checkReads } from '../../simulation/checker/check-reads.ts';
import { nameOf } from '../../simulation/checker/effects.ts';
import type { History, ObservedRequest } from '../../simulation/checker/history.ts';
import { contractLimits } from '../../simulation/observed-service.ts';
import { firstKeys, idIn, organizationIds } from '../../simulation/organizations.ts';
import { checkEffects } from './check-effects.ts';
import type { EngineService } from './engine-service.ts';

/**
 * Holds what was observed, and what lies in the table, against the contract. The simulator's checks of single writes, and of reads beside
 * them, need the list of writes, which only its model has.
 * @returns a sentence for each violation
 */
export async function checkEngineHistory(service: EngineService): Promise<string[]> {
  const { requests, actions, undescribed, history } = service;
  await service.settle();
  await service.waitForEngine();
  const repeats = await repeatCaptures(service);
  await service.settle(); // a repeat may be the first that takes effect
  const own = requests.length;
  for (const id of organizationIds) {
    const order = { ...firstKeys.reader, createdBy: idIn(id, 7) };
    const reader = await service.newKey(id, order);
    if (reader) await walkAll(service, reader, everyList(id));
    else return [`Organization ${id} can make no key.`];
  }
  const observed: History = {
    requests: requests.slice(own),
    actions,
    writes: [],
    writesOf: history.writesOf,
    organizationIds,
    clockSkewMs: 0,
    isSlow: true,
    isIndexLate: false,
    limits: contractLimits,
  };
  const { violations } = await checkTable(service.table);
  return [
    ...undescribed,
    ...violations,
    ...actions.flatMap(defectIssues),
    ...requests.flatMap((request) => answerIssues(service, observed, request)),
    ...repeats.flatMap(openIssues),
    ...observed.requests.flatMap(unansweredIssues),
    ...checkReads(observed),
    ...checkEffects({ requests, actions, writesOf: history.writesOf }),
  ];
}

/** Sends each capture with an idempotency key again. @returns these requests */
async function repeatCaptures(service: EngineService): Promise<readonly ObservedRequest[]> {
  const captures = service.requests.filter(
    ({ request }) => request.headers?.['Idempotency-Key'] !== undefined,
  );
  const { length } = service.requests;
  for (const { client, apiKey, request } of captures)
    await service.request(client, apiKey, request);
  return service.requests.slice(length);
}

/** Without faults and without others, a repeat is never told to come again. */
const openIssues = (request: ObservedRequest): string[] =>
  request.answer && ![409, 500].includes(request.answer.status)
    ? []
    : [`${nameOf(request)} was answered ${request.answer?.status} when all was well.`];

function answerIssues(
  service: EngineService,
  history: History,
  request: ObservedRequest,
): string[] {
  const issues = [
    ...formIssues(request),
    ...foreignIssues(history, request),
    ...keyIssues(service, request),
  ];
  return issues.map((issue) => `${nameOf(request)} ${issue}.`);
}

/** A key whose revocation was acknowledged, or that had expired, is refused; one that is good is not. */
function keyIssues({ actions }: EngineService, request: ObservedRequest): string[] {
  const { apiKey, answer, startedAt, endedAt } = request;
  if (!answer) return [];
  const revocations = actions.filter(
    ({ what, options }) => what === 'key revoke' && options.keyId === apiKey.keyId,
  );
  const isDead =
    apiKey.expiresAt <= startedAt ||
    revocations.some(({ outcome, endedAt: at }) => outcome === 'done' && at < startedAt);
  const isLive =
    apiKey.expiresAt > endedAt && revocations.every(({ startedAt: at }) => at > endedAt);
  if (isDead && ![401, 429, 500].includes(answer.status))
    return [`was answered ${answer.status} although its key was revoked or had expired`];
  return isLive && answer.status === 401 ? ['was refused its key, which is good'] : [];
}

const unansweredIssues = (request: ObservedRequest): string[] =>
  request.answer?.status === 200
    ? []
    : [`${nameOf(request)} was answered ${request.answer?.status} without faults.`];
