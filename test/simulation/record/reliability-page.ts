import { allPairs } from '../explore/pair-operations.ts';
import { tableHead } from '../planted-bugs/run.ts';
import { engineSection } from './engine-section.ts';
import { foundDefects } from './found.ts';
import { byName, number, table } from './markdown.ts';
import type { RandomTotals } from './random-totals.ts';
import { rangesText } from './seed-ranges.ts';
import type { BugsRecord, PairRecord, PartRecord, SimulationRecord } from './simulation-record.ts';

/** The page `test/RELIABILITY.md`: what was recorded, and nothing else. */
export function reliabilityPage({ random, pairs, long, bugs, engine }: SimulationRecord): string {
  const sections = [
    head,
    random && randomSection(random),
    Object.keys(pairs).length > 0 && pairsSection(Object.values(pairs)),
    long && longSection(long),
    bugs && bugsSection(bugs),
    foundSection(),
    engine && engineSection(engine),
  ];
  return `${sections.filter((one) => typeof one === 'string').join('\n')}`;
}

const head = `# Reliability, measured

\`npm run simulate\` runs the service's own functions and the administrator's commands in one process, against a DynamoDB that does all that AWS
documents: transactions that conflict, throttling, stale reads, index lag, lost answers, late deletion. Time is simulated and one seed decides
everything, so a failing seed fails again on any machine. This page is written by:

\`\`\`
npm run simulate -- --record record.json --histories 100000 --pairs --long --bugs
npm run soak -- --record record.json
npm run simulate -- --record record.json --write
\`\`\`

Functions call DynamoDB by the SDK's document commands and its strategy of retries, without the SDK's middlewares, serialization, endpoints,
signatures and sockets; modules are evaluated once for all instances, each of which has its own values of what they keep between requests. Both
leave out time, and nothing that happens: \`test/simulation/lambda/both-clients.test.ts\` runs histories with the whole client too, in processes
that share no module, and the events and the tables are the same, one by one.
`;

function randomSection(totals: RandomTotals): string {
  const { seeds, histories, requests, faultKinds, answers } = totals;
  const statuses = byStatus(answers);
  return `## Random histories

In each history 6 to 12 clients send up to 12 requests each: form backends, integrations, sync jobs and administrators, of two organizations
whose people have the same phones and emails. Calls fail, stall and conflict, instances die, clocks differ, two versions of the code answer.
Afterwards the checker holds everything that was observed against the contract: each acknowledged effect once, each refused one never, one of
unknown outcome at most once.

${table(
  ['figure', 'recorded'],
  [
    ['histories', `${number(histories)}, seeds ${rangesText(seeds)}`],
    ['requests', requests],
    ["administrators' commands", totals.commands],
    ['DynamoDB calls', totals.calls],
    ['faults', totals.faults],
    ['simulated hours', totals.simulatedHours],
    speedOf(totals),
    ['**violations**', `**${number(totals.violations)}**`],
    [
      'commits',
      byName(totals.commits)
        .map(([commit, times]) => `${commit} (${number(times)})`)
        .join(', '),
    ],
  ],
)}

${table(['fault', 'times'], byName(byCause(faultKinds)))}

${table(
  ['endpoint', ...statuses.all],
  statuses.rows.map(([endpoint, counts]) => [
    endpoint,
    ...statuses.all.map((status) => counts[status] ?? 0),
  ]),
)}

\`-\` counts requests without an answer. A history is run again by its seed: \`npm run simulate -- --seed SEED --histories 1\`.
A recorded run goes on with newer code, and runs again what failed before: the commits say how many histories each one ran.
`;
}

/** Of the newest commit: histories of older code say nothing of how fast it is. */
function speedOf({ latest, ...all }: RandomTotals): readonly [string, number] {
  const { histories, processorSeconds } = latest ?? all;
  const when = latest ? ` at commit ${latest.commit}` : '';
  return [`histories a second of processor time${when}`, histories / processorSeconds];
}

/** Faults by what went wrong, whichever operation it was. */
function byCause(kinds: Readonly<Record<string, number>>): Record<string, number> {
  const causes: Record<string, number> = {};
  for (const [kind, times] of Object.entries(kinds)) {
    const cause = kind.replace(/ at \w+$/, '');
    causes[cause] = (causes[cause] ?? 0) + times;
  }
  return causes;
}

function byStatus(answers: Readonly<Record<string, number>>) {
  const rows = new Map<string, Record<string, number>>();
  for (const [name, times] of Object.entries(answers)) {
    const [endpoint = '', status = ''] = name.split(' ');
    rows.set(endpoint, { ...rows.get(endpoint), [status]: times });
  }
  const all = [...new Set([...rows.values()].flatMap((counts) => Object.keys(counts)))].sort();
  return { all, rows: [...rows].sort(([one], [other]) => (one < other ? -1 : 1)) };
}

function pairsSection(pairs: readonly PairRecord[]): string {
  const total = (count: (pair: PairRecord) => number): number =>
    pairs.reduce((all, pair) => all + count(pair), 0);
  const commits = [...new Set(pairs.map(({ commit }) => commit))].join(', ');
  return `## Every pair, every order, every single fault

Two operations that meet at one lead, person, key or organization: all orders of their DynamoDB calls that make a difference (dynamic
partial-order reduction leaves out those that commute), and in each at most one fault at each call. No randomness. Commits: ${commits}.

${table(
  ['figure', 'recorded'],
  [
    ['pairs', `${pairs.length} of ${allPairs().length}`],
    ['pairs explored to their end', pairs.filter(({ isWhole }) => isWhole).length],
    ['histories (an order of calls with its fault)', total(({ histories }) => histories)],
    ['runs broken off, since another shows the same', total(({ redundant }) => redundant)],
    ['histories with a fault', total(({ faults }) => faults)],
    ['different last states of the table', total(({ lastStates }) => lastStates)],
    ['**violations**', `**${number(total(({ violations }) => violations))}**`],
  ],
)}
`;
}

const longSection = ({ commit, histories, faults, violations }: PartRecord): string => `## Long time

Histories of hours and days: the 24 hours of an idempotency key to the millisecond, hourly windows under load from many instances, the
contract's hourly limits, keys that expire. ${number(histories)} histories, ${number(faults)} faults, **${violations} violations**, at commit
${commit}.
`;

const bugsSection = ({
  rows,
  histories,
  violations,
  commit,
}: BugsRecord): string => `## Planted bugs

The proof of the proof: each of ${rows.length} one-line defects is planted in the source, and the simulator must find it. ${rows.length - violations} were found,
in ${number(histories)} histories, at commit ${commit}.

${[...tableHead, ...rows].join('\n')}
`;

const foundSection = (): string => `## Found in the service itself

${table(
  ['defect, mended since', 'found by', 'kept by'],
  foundDefects.map(({ what, by, test }) => [what, by, `[${test}](${test})`]),
)}
`;
