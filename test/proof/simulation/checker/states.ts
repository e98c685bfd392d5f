import type { Plain } from '../../../support/reference/plain.ts';
import {
  comparableEmail,
  comparablePhone,
  type ReferenceSettings,
  type Values,
} from '../../../support/reference/reference.ts';
import type { History, Work, Write } from './history.ts';

/** An item as it was from one write to the next; undefined where there was none. */
export type State = Plain | undefined;

const writesOf = (history: History, pk: string, sk: string): readonly Write[] =>
  history.writesOf.get(`${pk} ${sk}`) ?? [];

/** The states that an item had at some moment between two, both included, oldest first. */
export function statesBetween(
  history: History,
  pk: string,
  sk: string,
  from: number,
  until: number,
): State[] {
  const writes = writesOf(history, pk, sk);
  const states: State[] = [];
  let last: State;
  for (const { at, after } of writes) {
    if (at > until) break;
    if (at >= from) {
      if (states.length === 0) states.push(last);
      states.push(after);
    }
    last = after;
  }
  return states.length === 0 ? [last] : states;
}

/** An item as it was just before a write. */
export function stateBefore(history: History, pk: string, sk: string, order: number): State {
  let last: State;
  for (const write of writesOf(history, pk, sk)) {
    if (write.order >= order) break;
    last = write.after;
  }
  return last;
}

/** Until when a piece of work may have seen, or done, something: it was over then, or its last call came through. */
export function endOf({ handledUntil, endedAt, writes }: Work): number {
  return Math.max(Number.isFinite(handledUntil) ? handledUntil : endedAt, writes.at(-1)?.at ?? 0);
}

export const leadKey = (organizationId: number, leadId: number) =>
  [`LEADS#${organizationId}`, String(leadId).padStart(10, '0')] as const;

/** The states that an item had at some moment of a piece of work. */
export const statesDuring = (history: History, work: Work, pk: string, sk: string): State[] =>
  statesBetween(history, pk, sk, work.startedAt, endOf(work));

export const leadStates = (history: History, work: Work, leadId: number): State[] =>
  statesDuring(history, work, ...leadKey(work.organizationId, leadId));

/** The settings that held at some moment of a piece of work. */
export const settingsDuring = (history: History, work: Work): ReferenceSettings[] =>
  statesDuring(history, work, `ORG#${work.organizationId}`, 'SETTINGS').flatMap((state) =>
    state ? [state.settings as ReferenceSettings] : [],
  );

/** What lead has a phone, or an email, at some moment of a piece of work. */
export const holdersDuring = (history: History, work: Work, pk: string): (number | undefined)[] =>
  statesDuring(history, work, pk, 'UNIQUE').map((state) => state?.leadId as number | undefined);

export const emailKey = (organizationId: number, email: unknown): string =>
  `EMAIL#${organizationId}#${comparableEmail(String(email))}`;

/** The partition keys of the items that say which lead has this phone, and which has this email; none for an empty one. */
export const identityKeys = (organizationId: number, { phone, email }: Values): string[] => [
  ...(phone ? [`PHONE#${organizationId}#${comparablePhone(String(phone))}`] : []),
  ...(email ? [emailKey(organizationId, email)] : []),
];

/** Lead ids that were ever written in an organization. */
export function leadIdsOf(history: History, organizationId: number): number[] {
  const prefix = `LEADS#${organizationId} `;
  return [...history.writesOf.keys()]
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number(name.slice(prefix.length)));
}
