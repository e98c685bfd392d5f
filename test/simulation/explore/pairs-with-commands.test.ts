import { expect, test } from 'vitest';
import { briefly, explorePairs } from './pairs.ts';

const hasCommand = (name: string): boolean =>
  !name.endsWith('caller)') && !name.endsWith('callers)');

test('every pair with a command of an administrator keeps what the contract promises, whoever is interrupted and whichever call goes wrong', {
  timeout: 600_000,
}, async () => {
  const lines: string[] = [];
  const totals = await explorePairs((line) => lines.push(line), { ...briefly, pairs: hasCommand });

  expect(
    lines.filter((line) => line.includes('Script:')),
    lines.join('\n'),
  ).toEqual([]);
  expect(totals).toMatchObject({ pairs: 87, violations: 0 });
});
