import type { HistoryResult } from './history.ts';

export interface Violation {
  readonly seed: number;
  readonly sentence: string;
}

type Counts = Map<string, number>;

/** What histories add up to. */
export class Tally {
  histories = 0;
  leads = 0;
  dynamodbCalls = 0;
  settled = 0;
  /** `endpoint status` to how many such answers. */
  readonly answers: Counts = new Map();
  /** `kind verdict` to how many effects were asked for with that outcome. */
  readonly claims: Counts = new Map();
  readonly faults: Counts = new Map();
  readonly deaths: Counts = new Map();
  readonly violations: Violation[] = [];

  add(
    seed: number,
    { notebook, leads, faults, deaths, dynamodbCalls, violations }: HistoryResult,
  ): void {
    this.histories += 1;
    this.leads += leads;
    this.dynamodbCalls += dynamodbCalls;
    this.settled += notebook.settled;
    addTo(this.answers, notebook.answers);
    for (const { kind, verdict } of notebook.claims)
      addTo(this.claims, new Map([[`${kind} ${verdict}`, 1]]));
    addTo(this.faults, faults);
    addTo(this.deaths, deaths);
    this.violations.push(...violations.map((sentence) => ({ seed, sentence })));
  }

  get requests(): number {
    return sum(this.answers);
  }
}

export const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((one, other) => one + other, 0);

function addTo(counts: Counts, more: ReadonlyMap<string, number>): void {
  for (const [name, count] of more) counts.set(name, (counts.get(name) ?? 0) + count);
}
