import { checkTable } from '../../../shared/store/check/check-table.ts';
import type { Plain } from '../../support/reference/plain.ts';
import { defectIssues, foreignIssues, formIssues } from '../simulation/checker/check-answers.ts';
import { everyList, walkAll } from '../simulation/checker/check-history.ts';
import { checkReads } from '../simulation/checker/check-reads.ts';
import { nameOf } from '../simulation/checker/effects.ts';
import type { History, ObservedRequest, Write } from '../simulation/checker/history.ts';
import { newKey } from '../simulation/clients/client.ts';
import { contractLimits } from '../simulation/observed-service.ts';
import { firstKeys, organizationIds } from '../simulation/organizations.ts';
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
    const reader = await newKey(service, id, firstKeys.reader);
    if (!reader) return [`Organization ${id} can make no key.`];
    await walkAll(service, reader, everyList(id));
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
    ...requests.flatMap((request) =>
      [...formIssues(request), ...foreignIssues(observed, request)].map(
        (issue) => `${nameOf(request)} ${issue}.`,
      ),
    ),
    ...repeats.flatMap((request) => quietIssues(request, (status) => ![409, 500].includes(status))),
    ...observed.requests.flatMap((request) => quietIssues(request, (status) => status === 200)),
    ...checkReads(observed),
    ...checkEffects(service),
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

/** When all is well, no repeat fails or is told to come back later, and the checker's own requests succeed. */
const quietIssues = (request: ObservedRequest, isGood: (status: number) => boolean): string[] =>
  request.answer && isGood(request.answer.status)
    ? []
    : [`${nameOf(request)} was answered ${request.answer?.status} when all was well.`];

/**
 * Compares the remaining timelines with the responses. Each acknowledged effect exists, and no refused one does. An unknown effect exists
 * at most as often as it was requested, and once under an idempotency key. An erasure removes the effects on its lead.
 */
function checkEffects({ requests, actions, history: { writesOf } }: EngineService): string[] {
  const erased = new Set(
    actions
      .filter(({ what }) => what === 'erase')
      .map(({ organizationId, options }) => `${organizationId} ${options.leadId}`),
  );
  const asked = Map.groupBy(requests, askedEffect);
  asked.delete(undefined);
  const found = Map.groupBy([...writesOf.values()].flat(), foundEffect);
  found.delete(undefined);
  const unasked = [...found.keys()].filter((name) => !asked.has(name));
  return [
    ...unasked.map((name) => `Nobody asked for ${name}, which is on a timeline.`),
    ...[...asked].flatMap(([name, same]) =>
      countIssues(`${name}`, same, { found: found.get(name)?.length ?? 0, erased }),
    ),
  ];
}

/** Names the effect that a request asks for, the same for its repeats; undefined for one that is not followed. */
function askedEffect({ what, apiKey: { keyId }, request }: ObservedRequest): string | undefined {
  const { notes, text, fields } = (request.body ?? {}) as Plain;
  if (what === 'capture-lead') return `capture ${notes ?? 'without notes'} by ${keyId}`;
  if (what === 'add-note') return `note ${text} by ${keyId}`;
  if (what === 'create-lead') return `creation by ${keyId}`;
  const city = (fields as Plain | undefined)?.city;
  return what === 'update-lead' && city ? `city ${city} by ${keyId}` : undefined;
}

function foundEffect({ pk, after }: Write): string | undefined {
  if (!pk.startsWith('TIMELINE#') || !after?.keyId) return undefined;
  const { type, keyId, notes, text, changes = [] } = after;
  if (type === 'captured' || type === 'captured_new')
    return `capture ${notes ?? 'without notes'} by ${keyId}`;
  if (type === 'note_added') return `note ${text} by ${keyId}`;
  if (type === 'lead_created') return `creation by ${keyId}`;
  const city = (changes as readonly Plain[]).find(({ field }) => field === 'city')?.to;
  return city ? `city ${city} by ${keyId}` : undefined;
}

interface Counted {
  readonly found: number;
  readonly erased: ReadonlySet<string>;
}

function countIssues(
  name: string,
  same: readonly ObservedRequest[],
  { found, erased }: Counted,
): string[] {
  const isKept = (one: ObservedRequest): boolean =>
    !erased.has(`${one.organizationId} ${leadIdOf(one)}`);
  const done = same.filter(({ answer }) => answer && answer.status < 300);
  const first = done.filter(({ answer }) => answer?.headers['idempotent-replayed'] !== 'true');
  const unknown = same.filter(({ answer }) => !answer || answer.status >= 500);
  // An update that is repeated may find that it has been made.
  const isOnce = same[0]?.what === 'update-lead';
  const least = isOnce
    ? Math.min(1, done.filter(isKept).length)
    : Math.max(first.filter(isKept).length, Math.min(1, done.filter(isKept).length));
  const most = same.every(isKeyed) ? 1 : first.length + unknown.length;
  if (found >= least && found <= (done.length + unknown.length > 0 ? most : 0)) return [];
  const answers = same.map((one) => `${nameOf(one)} ${one.answer?.status ?? 'no answer'}`);
  return [
    `The ${name} is on the timelines ${found} times instead of ${least} to ${most}: ${answers.join(', ')}.`,
  ];
}

const isKeyed = ({ what, request }: ObservedRequest): boolean =>
  what === 'capture-lead' &&
  (request.headers?.['Idempotency-Key'] ?? (request.body as Plain).externalId) !== undefined &&
  (request.body as Plain).notes !== undefined;

/** The lead that an answer named. */
function leadIdOf({ request, answerBody }: ObservedRequest): unknown {
  const { lead } = (answerBody ?? {}) as { lead?: Plain };
  return request.leadId ?? lead?.id;
}
