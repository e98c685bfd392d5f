import { readFileSync } from 'node:fs';
import type { EngineRecord } from '../../simulation/record/engine-section.ts';
import type { Figure } from '../figures.ts';
import { sum, type Tally } from './tally.ts';

export interface Soak {
  readonly engine: string;
  readonly seed: number;
  readonly seconds: number;
  readonly clients: number;
  readonly turns: number;
  readonly command: string;
  readonly tally: Tally;
}

const number = (value: number): string => value.toLocaleString('en-US');
const byName = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].sort(([one], [other]) => (one < other ? -1 : 1));

/** The figures of a soak, a line each. */
export function figureSheet({ engine, seed, seconds, clients, turns, tally }: Soak): string {
  const {
    histories,
    requests,
    dynamodbCalls,
    faults,
    deaths,
    violations,
    leads,
    settled,
    answers,
    claims,
  } = tally;
  const last = seed + Math.max(0, histories - 1);
  const rows: [string, string][] = [
    ['engine', engine],
    ['seconds', number(Math.round(seconds))],
    [
      'histories',
      `${number(histories)} (seeds ${seed} to ${last}; ${clients} clients, up to ${turns} turns each)`,
    ],
    ['requests', number(requests)],
    ['DynamoDB calls', number(dynamodbCalls)],
    ['leads judged', number(leads)],
    ['settled by a retry', number(settled)],
    ...byName(answers).map(([name, count]): [string, string] => [`answer ${name}`, number(count)]),
    ...byName(claims).map(([name, count]): [string, string] => [`effect ${name}`, number(count)]),
    ['faults', number(sum(faults))],
    ...byName(faults).map(([name, count]): [string, string] => [`fault ${name}`, number(count)]),
    ['deaths', number(sum(deaths))],
    ['violations', number(violations.length)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

/** What the record says besides the histories. */
export interface EngineFigures {
  readonly figures: readonly Figure[];
  readonly fuzz: FuzzReport;
}

/** What the record wants of the report of `npm run fuzz -- --report FILE`. */
export interface FuzzReport {
  readonly seed: number;
  readonly requests: number;
  readonly findings: readonly unknown[];
}

export const readFuzzReport = (file: string): FuzzReport =>
  JSON.parse(readFileSync(file, 'utf8')) as FuzzReport;

/** What `test/RELIABILITY.md` tells of an engine. */
export function engineRecord(
  { engine, seconds, command, tally }: Soak,
  { figures, fuzz }: EngineFigures,
  commit: string,
): EngineRecord {
  const deathsOf = Map.groupBy(
    figures.filter((figure) => figure.about === 'death'),
    ({ scenario, site }) => `${scenario}\n${site}`,
  );
  return {
    engine,
    command,
    commit,
    seconds,
    histories: tally.histories,
    requests: tally.requests,
    calls: tally.dynamodbCalls,
    leads: tally.leads,
    violations: tally.violations.length,
    faults: Object.fromEntries(tally.faults),
    deaths: Object.fromEntries(tally.deaths),
    deathsAt: [...deathsOf].map(([name, { length }]) => {
      const [scenario = '', site = ''] = name.split('\n');
      return [scenario, site, length] as const;
    }),
    limits: figures
      .filter((figure) => figure.about === 'limit')
      .map(({ test, limit, passed, repeated }) => [test, limit, passed, repeated] as const),
    fuzz: { seed: fuzz.seed, requests: fuzz.requests, findings: fuzz.findings.length },
  };
}
