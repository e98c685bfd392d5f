import { isSame } from '../../../support/reference/plain.ts';
import type { ObservedRequest, Work, Write } from './history.ts';

/** What one call wrote, at one moment. */
export interface Commit {
  readonly work: Work;
  readonly at: number;
  /** When its conditions were evaluated, in the order of writes. */
  readonly order: number;
  readonly writes: readonly Write[];
}

/** The calls of a piece of work that wrote something, in order. */
export function commitsOf(work: Work): Commit[] {
  const byCall = Map.groupBy(work.writes, ({ call }) => call);
  return [...byCall.values()].map((writes) => ({
    work,
    at: writes[0]?.at ?? 0,
    order: writes[0]?.evaluatedOrder ?? 0,
    writes,
  }));
}

export const kindOf = ({ pk, sk }: Pick<Write, 'pk' | 'sk'>): string => {
  const kind = pk.slice(0, pk.indexOf('#'));
  return kind === 'ORG' || kind === 'HISTORY'
    ? `${kind} ${/^[A-Z]+(?=#|$)/.exec(sk)?.[0] ?? 'entry'}`
    : kind;
};

/** Whether a write of a lead only counts an entry of its timeline. */
export function isCount({ before, after }: Write): boolean {
  const { version: _, ...one } = before ?? {};
  const { version: __, ...other } = after ?? {};
  return before !== undefined && after !== undefined && isSame(one, other);
}

/** Items that no request means to change by what it does: tokens and turns. */
const counters = new Set(['KEY', 'USAGE', 'TURN']);

/** What a request did, its tokens and turns apart: at most one commit but for records of further keys. */
export const effectsOf = (work: Work): Commit[] =>
  commitsOf(work)
    .map((commit) => ({
      ...commit,
      writes: commit.writes.filter((write) => !counters.has(kindOf(write))),
    }))
    .filter(({ writes }) => writes.length > 0);

/** Whether it makes leads of the rows of a file. */
export const isImport = ({ what }: Work): boolean => what === 'import' || what === 'import update';

export const isAcknowledged = ({ answer }: ObservedRequest): boolean =>
  answer !== undefined && answer.status < 300;

export const nameOf = (work: Work): string =>
  `${work.id} (${work.what}, organization ${work.organizationId})`;
