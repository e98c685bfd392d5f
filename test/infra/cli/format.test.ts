import { expect, test } from 'vitest';
import { formatTable } from '../../../infra/cli/format.ts';

const rows = [
  {
    LEAD: '7',
    NAME: 'Ananya Subramaniam-Kulkarni',
    PHONE: '+919822012345',
    EMAIL: 'ananya.subramaniam@mail.example.com',
    CREATED: '2026-11-02',
  },
  { LEAD: '12', NAME: 'Rohan', PHONE: '', EMAIL: '', CREATED: '2026-11-03' },
];
const linesAt = (width?: number): string[] => formatTable(rows, { width }).split('\n');

test('without a terminal, a table is as wide as its cells', () => {
  expect(linesAt()).toEqual([
    'LEAD  NAME                         PHONE          EMAIL                                CREATED',
    '7     Ananya Subramaniam-Kulkarni  +919822012345  ananya.subramaniam@mail.example.com  2026-11-02',
    '12    Rohan                                                                            2026-11-03',
  ]);
});

test('a table is as wide as the terminal: its widest columns are shortened, and no date or phone', () => {
  expect(linesAt(90)).toEqual([
    'LEAD  NAME                         PHONE          EMAIL                         CREATED',
    '7     Ananya Subramaniam-Kulkarni  +919822012345  ananya.subramaniam@mail.exa…  2026-11-02',
    '12    Rohan                                                                     2026-11-03',
  ]);
});

test('a terminal that is too narrow for all columns shows the first ones, and names the others', () => {
  expect(linesAt(64)).toEqual([
    'LEAD  NAME                  PHONE          EMAIL',
    '7     Ananya Subramaniam-…  +919822012345  ananya.subramaniam@m…',
    '12    Rohan',
    '',
    'Not shown: CREATED. Widen the terminal, or use --json.',
  ]);
});

test('a terminal whose size is unknown shows every column', () => {
  expect(linesAt(0)).toEqual(linesAt());
});

test('a very narrow terminal shows the first column', () => {
  expect(linesAt(1).slice(0, 3)).toEqual(['LEAD', '7', '12']);
});
