import { createHash } from 'node:crypto';
import { isSame, type Plain } from '../../../support/reference/plain.ts';
import type { Values } from '../../../support/reference/reference.ts';
import { effectsOf, kindOf } from './effects.ts';
import type { History, ObservedRequest } from './history.ts';
import { leadStates, statesDuring } from './states.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Where the records of a capture's keys lie. */
export function recordKeys({ apiKey, request }: ObservedRequest): string[] {
  const given = [request.headers?.['Idempotency-Key'], (request.body as Values).externalId];
  const keys = new Set(given.filter((key): key is string => typeof key === 'string'));
  return [...keys].map((key) => `IDEMPOTENCY#${apiKey.keyId}#${sha256(key)}`);
}

/** A replay is the answer first given, to the same body, within 24 hours. */
export function replayIssues(history: History, request: ObservedRequest): string[] {
  const isReplay = request.answer?.headers['idempotent-replayed'] === 'true';
  const live = liveRecords(history, request);
  if (!isReplay) return [];
  const { lead } = request.answerBody as { lead: Plain };
  const same = live.filter(({ result }) => isSame(result, lead));
  if (same.length === 0)
    return [
      `was answered ${JSON.stringify(lead)} as a replay, while ${JSON.stringify(live.map(({ result }) => result))} is remembered`,
    ];
  return [
    ...forgottenKeys(history, request, lead),
    ...(same.some(({ first }) => first && isSameEnquiry(first, request))
      ? []
      : ['was answered with what another body was answered']),
  ];
}

/** A replay is remembered under all keys of its request, unless the lead is being erased. */
function forgottenKeys(history: History, request: ObservedRequest, lead: Plain): string[] {
  const stored = leadStates(history, request, Number(lead.id));
  if (stored.includes(undefined)) return [];
  const isRemembered = (pk: string): boolean =>
    statesDuring(history, request, pk, 'RECORD').some((state) => isSame(state?.result, lead));
  return recordKeys(request).every(isRemembered) ? [] : ['is not remembered under all its keys'];
}

interface LiveRecord {
  readonly result: Plain;
  /** The request that is remembered. */
  readonly first: ObservedRequest | undefined;
}

/** What is remembered under the request's keys at some moment of it and has not expired by some clock. */
export function liveRecords(history: History, request: ObservedRequest): LiveRecord[] {
  return recordKeys(request).flatMap((pk) => {
    const live = statesDuring(history, request, pk, 'RECORD').filter(
      (state) => state && (state.expiresAt as number) > request.startedAt - history.clockSkewMs,
    );
    return live.map((state) => ({
      result: state?.result as Plain,
      first: firstOf(history, request, state as Plain),
    }));
  });
}

/** The request whose capture a record remembers: the one that added its entry to the lead's timeline. */
function firstOf(
  history: History,
  { apiKey }: ObservedRequest,
  record: Plain,
): ObservedRequest | undefined {
  return history.requests.find(
    (other) =>
      other.apiKey.keyId === apiKey.keyId &&
      other.writes.some(
        ({ after }) =>
          after?.fingerprint === record.fingerprint && isSame(after?.result, record.result),
      ) &&
      effectsOf(other).some(({ writes }) => writes.some((write) => kindOf(write) === 'TIMELINE')),
  );
}

export function isSameEnquiry(one: ObservedRequest, other: ObservedRequest): boolean {
  const { externalId: _one, ...a } = one.request.body as Values;
  const { externalId: _other, ...b } = other.request.body as Values;
  return isSame(a, b);
}
