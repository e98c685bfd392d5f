import { expect, test } from 'vitest';
import { briefly, explorePairs } from './pairs.ts';

const isOfRequests = (name: string): boolean =>
  name.endsWith('caller)') || name.endsWith('callers)');

test('every pair of requests keeps what the contract promises, whoever is interrupted and whichever call goes wrong', {
  timeout: 600_000,
}, async () => {
  const lines: string[] = [];
  const totals = await explorePairs((line) => lines.push(line), {
    ...briefly,
    pairs: isOfRequests,
  });

  expect(
    lines.filter((line) => line.includes('Script:')),
    lines.join('\n'),
  ).toEqual([]);
  expect(totals).toMatchObject({ pairs: 132, violations: 0 });
});
