import { describe, expect, test } from 'vitest';
import { Random } from '../../support/generated/random.ts';
import { DeadlockError, Scheduler, simulationStart } from './scheduler.ts';

describe('the scheduler', () => {
  test('runs timers in the order of their time, without real waiting', async () => {
    const scheduler = new Scheduler({ seed: 'a' });
    const seen: string[] = [];
    await scheduler.run(async () => {
      scheduler.after(20, 'late', () => seen.push(`late ${scheduler.now - simulationStart}`));
      scheduler.after(
        10,
        'early',
        () =>
          void Promise.resolve().then(() => seen.push(`early ${scheduler.now - simulationStart}`)),
      );
      await scheduler.sleep(30);
      seen.push(`end ${scheduler.now - simulationStart}`);
    });
    expect(seen).toEqual(['early 10', 'late 20', 'end 30']);
  });

  test('lets every promise settle before the next event, however long the chain', async () => {
    const scheduler = new Scheduler({ seed: 'a' });
    const seen: string[] = [];
    await scheduler.run(async () => {
      scheduler.after(1, 'first', async () => {
        for (let step = 0; step < 1000; step += 1) await undefined;
        seen.push('first');
      });
      scheduler.after(1, 'second', () => seen.push('second'));
      await scheduler.sleep(2);
    });
    expect(seen).toEqual(['first', 'second']);
  });

  test('ends with an error instead of waiting for an event that cannot happen', async () => {
    await expect(
      new Scheduler({ seed: 'a' }).run(() => new Promise(() => undefined)),
    ).rejects.toThrow(DeadlockError);
  });

  test('lets the seed choose among all orders of the steps that compete', async () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 100; seed += 1) {
      const scheduler = new Scheduler({ seed: String(seed) });
      const seen: string[] = [];
      await scheduler.run(async () => {
        const step = (name: string) =>
          new Promise<void>((resolve) =>
            scheduler.offer(name, () => resolve(void seen.push(name))),
          );
        await Promise.all([step('a').then(() => step('b')), step('c').then(() => step('d'))]);
      });
      orders.add(seen.join(''));
    }
    expect([...orders].sort()).toEqual(['abcd', 'acbd', 'acdb', 'cabd', 'cadb', 'cdab']);
  });
});

test('the same seed gives the same numbers, another gives others', () => {
  const numbers = (seed: string) => {
    const random = new Random(seed);
    return [
      random.fraction(),
      random.below(1000),
      random.uuid(),
      random.shuffle([1, 2, 3, 4, 5]).join(),
    ];
  };
  expect(numbers('a')).toEqual(numbers('a'));
  expect(numbers('a')).not.toEqual(numbers('b'));
});
