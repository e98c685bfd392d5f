import { expect, test } from 'vitest';
import { Random } from '../../../support/generated/random.ts';
import type { Choices, Touch } from '../choices.ts';
import { Scheduler } from '../scheduler.ts';
import { EveryOrder, RedundantRunError } from './every-order.ts';

/** Accesses that a process makes at once; the next follow when these are over. */
type Round = readonly Touch[];

/** Runs processes that read and write registers; each chooses a mark once. @returns what each has read, and the final registers */
async function outcomeOf(
  processes: readonly (readonly Round[])[],
  choices: Choices,
): Promise<string> {
  const scheduler = new Scheduler({ seed: 'a', choices });
  const registers = new Map<string, string>();
  const observed: string[][] = processes.map(() => []);
  const run = async (rounds: readonly Round[], process: number): Promise<void> => {
    for (const [round, accesses] of rounds.entries()) {
      const mark = round === 0 ? choices.choose(2, `${process} mark`) : 0;
      const accessOf = ({ where, isWrite }: Touch, at: number) =>
        new Promise<void>((resolve) => {
          const take = (): void => {
            const before = registers.get(where) ?? '';
            if (isWrite) registers.set(where, `${before}${process}${round}${at}${mark}`);
            else observed[process]?.push(`${round}${at}${before}`);
            resolve();
          };
          scheduler.offer(`${process} ${round} ${at}`, take, [{ where, isWrite }]);
        });
      await Promise.all(accesses.map(accessOf));
    }
  };
  await scheduler.run(() => Promise.all(processes.map(run)));
  return JSON.stringify([observed.map((values) => values.sort()), [...registers].sort()]);
}

/** Runs every way in turn, depth first: each run repeats the one before, up to the last choice that has an untried option. */
async function everyOutcome(processes: readonly (readonly Round[])[]) {
  const outcomes = new Set<string>();
  let runs = 0;
  let script: readonly number[] = [];
  for (let last = 0; last >= 0; runs += 1) {
    const made: { readonly chosen: number; readonly options: number }[] = [];
    const choose = (options: number): number => {
      const chosen = script[made.length] ?? 0;
      made.push({ chosen, options });
      return chosen;
    };
    outcomes.add(await outcomeOf(processes, { choose }));
    last = made.findLastIndex(({ chosen, options }) => chosen + 1 < options);
    script = made.slice(0, last + 1).map(({ chosen }, at) => (at === last ? chosen + 1 : chosen));
  }
  return { outcomes, runs };
}

async function outcomesOfEveryOrder(processes: readonly (readonly Round[])[]) {
  const outcomes = new Set<string>();
  const choices = new EveryOrder();
  let runs = 0;
  do {
    try {
      outcomes.add(await outcomeOf(processes, choices));
      runs += 1;
    } catch (error) {
      if (!(error instanceof RedundantRunError)) throw error;
    }
  } while (choices.next());
  return { outcomes, runs };
}

test('the explored orders show every outcome that all orders have', async () => {
  const random = new Random('races');
  for (let round = 0; round < 40; round += 1) {
    const access = (): Touch => ({
      where: random.pick(['x', 'y', 'z']),
      isWrite: random.chance(0.6),
    });
    const accesses = (): Round => Array.from({ length: random.chance(0.3) ? 2 : 1 }, access);
    const rounds = random.pick([
      [2, 2],
      [3, 2],
      [1, 1, 1],
    ]);
    const processes = rounds.map((length) => Array.from({ length }, accesses));
    const all = await everyOutcome(processes);
    const different = await outcomesOfEveryOrder(processes);

    expect([...different.outcomes].sort()).toEqual([...all.outcomes].sort());
    expect(different.runs).toBeLessThanOrEqual(all.runs);
  }
});

test('processes without common items run in one order', async () => {
  const write = (where: string): Round => [{ where, isWrite: true }];
  const { runs } = await outcomesOfEveryOrder([
    [write('x'), write('x')],
    [write('y'), write('y')],
    [write('z')],
  ]);
  expect(runs).toBe(8); // one for each combination of the three marks
});
