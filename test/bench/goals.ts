import type { Goal } from './goal.ts';
import type { PageCost } from './listing/measured-pages.ts';
import { prices } from './prices.ts';
import type { Results } from './results.ts';
import { speedGoals } from './speed-goals.ts';
import { shown } from './statistics.ts';
import type { ResultTable } from './tables.ts';

function walkGoal({ listing }: Results): Goal {
  const walks = listing.walks.filter(({ question }) => question === '5 %');
  const { readUnits = Number.NaN, items = 1, leads = 0 } = walks.at(-1) ?? {};
  const units = readUnits / Math.max(1, items);
  return {
    what: `sync walk of 5 % changed of ${shown(leads)} leads: read units per lead given`,
    was: '5.4',
    goal: '≤ 1.5',
    now: shown(units),
    isMet: units <= 1.5,
    why: '',
  };
}

function joinGoal({ listing }: Results): Goal {
  const pages = listing.pages.filter(({ question }) => question === 'changed: 10,000, owner');
  const [before, last] = pages.slice(-2);
  const unitsOf = (page: PageCost | undefined): number =>
    page === undefined ? Number.NaN : page.readUnits / Math.max(1, page.items);
  const factor = unitsOf(last) / unitsOf(before);
  const both = (of: (page: PageCost) => number): string =>
    [last, before].map((page) => shown(page === undefined ? Number.NaN : of(page))).join(' / ');
  return {
    what: `page "changed: 10,000, owner", ${shown(last?.leads ?? 0)} leads against ${shown(before?.leads ?? 0)}: read units per lead given`,
    was: '× 1.2, in 8 / 6 waiting calls',
    goal: 'flat',
    now: `× ${shown(factor)}, in ${both(({ chain }) => chain)} waiting calls, ${both(({ slowestMs }) => slowestMs)} ms`,
    isMet: factor <= 1.05,
    why: "calls are flat and units are bounded: leads fetched in vain cost more than the owner's entries between dense changes; the design, section 5, has what flat would cost",
  };
}

function scanGoal(results: Results): Goal {
  const pages = results.listing.pages.filter(
    ({ question }) => question === 'field filter, 1 in 10,000',
  );
  const units = Math.max(...pages.map(({ readUnits }) => readUnits));
  return {
    what: 'page with a rare filter: read units of one partition in a second',
    was: '830, at once',
    goal: 'four below 3,000',
    now: `4 × ${shown(units)} = ${shown(4 * units)}`,
    isMet: 4 * units < 3000,
    why: '',
  };
}

function costGoals({ sideBySide }: Results): Goal[] {
  const gateway = 1e6 * prices.apiGatewayRequest;
  const dollars = (name: string) => sideBySide.find(({ request }) => request === name);
  const capture = dollars('capture, new');
  const [ours = Number.NaN, theirs = Number.NaN] = [
    capture?.service.dollars.total,
    capture?.assembled.dollars.total,
  ];
  const rest = ['get', 'list, 25 leads', 'capture, replayed'].map(
    (name) => (dollars(name)?.service.dollars.total ?? Number.NaN) - gateway,
  );
  const proof = 'proved in the design, section 7: which promise each unit keeps';
  return [
    {
      what: 'new capture, $ a million, against the stack that loses leads',
      was: '14.95 / 12.56',
      goal: "≤ the stack's, or a proof",
      now: `${ours.toFixed(2)} / ${theirs.toFixed(2)}`,
      isMet: ours <= theirs,
      isProved: true,
      why: `${proof}; five units are the transaction's`,
    },
    {
      what: "reads and replays, $ a million beside the gateway's 3.50",
      was: '1.68 to 1.93',
      goal: 'a quarter less, or a proof',
      now: `${Math.min(...rest).toFixed(2)} to ${Math.max(...rest).toFixed(2)}`,
      isMet: Math.max(...rest) <= 0.75 * 1.93,
      isProved: true,
      why: `${proof}; 1.25 are the two tokens`,
    },
  ];
}

function adminGoals({ admin }: Results): Goal[] {
  const { firstLineMs, commandCpuMs, npmMs, importedRows, importSeconds, engineMsPerRow } = admin;
  const perSecond = importedRows / importSeconds;
  return [
    {
      what: 'an admin command, start to first line, seconds (least / median)',
      was: '0.6',
      goal: '≤ 0.6',
      now: `${shown(firstLineMs.least / 1000)} / ${shown(firstLineMs.median / 1000)}; of processor time ${shown(commandCpuMs / 1000)}; npm adds ${shown(npmMs / 1000)}`,
      isMet: firstLineMs.least <= 600,
      why: 'other work on the machine',
    },
    {
      what: `import of ${shown(importedRows)} rows, rows a second on a local engine`,
      was: '288 at --rate 400',
      goal: '≥ 1,500',
      now: shown(perSecond),
      isMet: perSecond >= 1500,
      why: `the engine, which works on one core at a time, takes ${shown(engineMsPerRow)} ms of processor time a row, which alone is ${shown(1000 / engineMsPerRow)} rows a second on an idle machine; deployed, --rate is at most 400, by the units of a partition`,
    },
  ];
}

/** What was to become faster or cheaper: what it was, the goal, and this run. */
export function goalTable(results: Results): ResultTable {
  const goals = [
    walkGoal(results),
    joinGoal(results),
    scanGoal(results),
    ...costGoals(results),
    ...adminGoals(results),
    ...speedGoals(results),
  ];
  return {
    title: 'Closer to the floor',
    note: 'What was to become cheaper and faster, what it was before, and what it is in this run.',
    head: ['what', 'was', 'goal', 'this run', '', 'why'],
    rows: goals.map(({ what, was, goal, now, isMet, isProved, why }) => [
      what,
      was,
      goal,
      now,
      isMet ? 'met' : isProved ? 'proved' : '**missed**',
      isMet ? '' : why,
    ]),
  };
}
