import { expect, test } from 'vitest';
import { type Choices, nextScript, ScriptedChoices } from '../choices.ts';
import { Random } from '../random.ts';
import { Scheduler } from '../scheduler.ts';
import { EveryInterleaving, RedundantRunError } from './every-interleaving.ts';

interface Access {
  readonly where: string;
  readonly isWrite: boolean;
}

/** Processes that read and write registers step by step: what each has read, and what is written in the end. */
async function outcomeOf(
  processes: readonly (readonly Access[])[],
  choices: Choices,
): Promise<string> {
  const scheduler = new Scheduler({ seed: 'a', choices });
  const registers = new Map<string, string>();
  const read: string[][] = processes.map(() => []);
  const run = async (accesses: readonly Access[], process: number): Promise<void> => {
    for (const [at, { where, isWrite }] of accesses.entries()) {
      await new Promise<void>((resolve) => {
        const take = (): void => {
          read[process]?.push(registers.get(where) ?? '');
          if (isWrite) registers.set(where, `${registers.get(where) ?? ''}${process}${at}`);
          resolve();
        };
        scheduler.offer(`${process} ${at}`, take, [{ where, isWrite }]);
      });
    }
  };
  await scheduler.run(() => Promise.all(processes.map(run)));
  const observed = read.map((values, process) =>
    values.map((value, at) => (processes[process]?.[at]?.isWrite ? '' : value)),
  );
  return JSON.stringify([observed, [...registers].sort()]);
}

async function everyOutcome(
  processes: readonly (readonly Access[])[],
): Promise<{ outcomes: Set<string>; runs: number }> {
  const outcomes = new Set<string>();
  let runs = 0;
  for (let script: readonly number[] | undefined = []; script; runs += 1) {
    const choices = new ScriptedChoices(script);
    outcomes.add(await outcomeOf(processes, choices));
    script = nextScript(choices.made);
  }
  return { outcomes, runs };
}

async function reducedOutcomes(
  processes: readonly (readonly Access[])[],
): Promise<{ outcomes: Set<string>; runs: number }> {
  const outcomes = new Set<string>();
  const choices = new EveryInterleaving();
  for (; choices.hasNext; ) {
    choices.begin();
    try {
      outcomes.add(await outcomeOf(processes, choices));
      choices.next();
    } catch (error) {
      if (!(error instanceof RedundantRunError)) throw error;
      choices.next(false);
    }
  }
  return { outcomes, runs: choices.complete };
}

test('fewer orders show every outcome that all orders have', async () => {
  const random = new Random('interleavings');
  for (let round = 0; round < 12; round += 1) {
    const access = (): Access => ({
      where: random.pick(['x', 'y', 'z']),
      isWrite: random.chance(0.6),
    });
    const processes = Array.from({ length: random.between(2, 3) }, () =>
      Array.from({ length: random.between(1, 3) }, access),
    );
    const [all, reduced] = [await everyOutcome(processes), await reducedOutcomes(processes)];

    expect([...reduced.outcomes].sort()).toEqual([...all.outcomes].sort());
    expect(reduced.runs).toBeLessThanOrEqual(all.runs);
  }
});

test('steps that touch nothing in common have one order', async () => {
  const write = (where: string): Access => ({ where, isWrite: true });
  expect(
    (await reducedOutcomes([[write('x'), write('x')], [write('y'), write('y')], [write('z')]]))
      .runs,
  ).toBe(1);
  expect(
    (await everyOutcome([[write('x'), write('x')], [write('y'), write('y')], [write('z')]])).runs,
  ).toBe(30);
});
