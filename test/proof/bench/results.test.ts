import { expect, test } from 'vitest';
import { comparison, exactFigures, type ResultTable } from './results.ts';

const table = (reads: number, ms: number): ResultTable => ({
  title: 'Requests',
  note: '',
  rows: [
    { request: 'get', leads: 100, reads: 1, ms: 3 },
    { request: 'note', leads: 100, reads, ms },
  ],
  named: 2,
  exact: ['reads'],
});
const before = { ...exactFigures([table(6, 4)]), 'only before: calls': 2 };

test('a benchmark run with more read units than an earlier run is reported as more', () => {
  const { text, fails } = comparison(before, exactFigures([table(12, 4)]));

  expect(fails).toBe(true);
  expect(text).toContain('Counts: 2 compared, 1 different');
  expect(text).toContain('| Requests, note, 100: reads | 6 | 12 | × 2.00 | MORE |');
});

test('a benchmark run with fewer units, or other times, is not reported as more', () => {
  const { text, fails } = comparison(before, exactFigures([table(5, 9)]));

  expect(fails).toBe(false);
  expect(text).toContain('Counts: 2 compared, 1 different');
});

test('a benchmark run that shares no figure with the earlier run fails', () => {
  const { text, fails } = comparison(before, { 'Requests of another name: reads': 6 });

  expect(fails).toBe(true);
  expect(text).toBe('### Counts: 0 compared, 0 different');
});
