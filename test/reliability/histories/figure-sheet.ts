import { readFileSync } from 'node:fs';
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

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map(
      (cells) =>
        `| ${cells.map((cell) => (typeof cell === 'number' ? number(cell) : cell)).join(' | ')} |`,
    )
    .join('\n');

/** What the page says besides the histories. */
export interface PageFigures {
  readonly figures: readonly Figure[];
  readonly fuzz: FuzzReport;
}

/** What this page wants of the report of `npm run fuzz -- --report FILE`. */
export interface FuzzReport {
  readonly seed: number;
  readonly requests: number;
  readonly findings: readonly unknown[];
}

export const readFuzzReport = (file: string): FuzzReport =>
  JSON.parse(readFileSync(file, 'utf8')) as FuzzReport;

/** The page `test/RELIABILITY.md`. */
export function reliabilityPage(soak: Soak, { figures, fuzz }: PageFigures): string {
  const { engine, seed, seconds, clients, turns, command, tally } = soak;
  const { histories, requests, dynamodbCalls, faults, deaths, violations, leads, claims } = tally;
  const deathsOf = Map.groupBy(
    figures.filter((figure) => figure.about === 'death'),
    ({ scenario }) => scenario,
  );
  const deathsAt = [...deathsOf].flatMap(([scenario, all]) =>
    [...Map.groupBy(all, ({ site }) => site)].map(
      ([site, { length }]) => [scenario, site, length] as const,
    ),
  );
  const limits = figures.filter((figure) => figure.about === 'limit');
  const count = (kind: string, verdict: string): number => claims.get(`${kind} ${verdict}`) ?? 0;
  return `# Reliability, measured

This page is written by the command that measures it, on the built functions and ${engine}:

\`\`\`
${command}
\`\`\`

## Random histories

In each history ${clients} clients take up to ${turns} turns each, at once, on one organization: captures with and without an idempotency key,
creates, updates, notes, reads, archives and restores, settings, key replacements. DynamoDB fails under them on a seeded schedule,
indexes lag, and now and then every function dies in the middle of a call. Afterwards every effect that was acknowledged is there exactly once, every
refused one nowhere, one of unknown outcome at most once; every lead is what its timeline says; \`admin check\` finds nothing.

${table(
  ['figure', 'measured'],
  [
    ['histories', `${number(histories)}, seeds ${seed} to ${seed + Math.max(0, histories - 1)}`],
    ['seconds', Math.round(seconds)],
    ['requests', requests],
    ['DynamoDB calls', dynamodbCalls],
    ['leads judged', leads],
    ['**violations**', `**${number(violations.length)}**`],
  ],
)}

${table(
  ['effects asked for', 'acknowledged', 'refused', 'unknown'],
  ['capture', 'create', 'update', 'note'].map((kind) => [
    kind,
    count(kind, 'done'),
    count(kind, 'refused'),
    count(kind, 'unknown'),
  ]),
)}

${table(['fault injected', 'times'], [...byName(faults), ['all', sum(faults)]])}

${table(['all functions died during', 'times'], [...byName(deaths), ['all', sum(deaths)]])}

A history is repeated by its seed: \`npm run soak -- --seed SEED --histories 1 --repeat 20\`. What is asked and how calls fail follow from
the seed; the order in which the clients meet is the machine's, hence the repeats.

## Death at every step

Each write is killed at every DynamoDB call it makes, just before the call reaches the table and just after it was applied, and asked
again. The calls are found by recording. After each death the retry's answer is right and the effect is there exactly once; a note
alone, which the contract gives nothing to be known again by, is written again by a retry of one that was written.

${table(['what died', 'at', 'deaths'], deathsAt)}

## Limits, exactly

Eight processes hammer one key, or one organization with a key each. A call that the SDK repeated may have taken a token that nobody
got, so as many may be missing; never one more passes.

${table(
  ['test', 'limit', 'passed', 'repeated calls'],
  limits.map(({ test, limit, passed, repeated }) => [test, limit, passed, repeated]),
)}

## Fuzz

Requests made from openapi.json (valid, almost valid, hostile), and every answer held to it. By themselves:

\`\`\`
npm run fuzz -- --requests ${fuzz.requests} --seed ${fuzz.seed} --engine ${engine}
\`\`\`

${table(['requests', 'findings', 'seed'], [[fuzz.requests, fuzz.findings.length, String(fuzz.seed)]])}
`;
}
