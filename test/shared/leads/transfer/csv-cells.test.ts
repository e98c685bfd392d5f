import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cellOf,
  csvLine,
  nameOrId,
  rawFromCell,
} from '../../../../shared/leads/transfer/csv-cells.ts';
import { idNamed } from '../../../../shared/organization/named.ts';
import { sampleOrganization } from '../../../support/settings.ts';

const organization = sampleOrganization();
const field = (key: string) => organization.fieldByKey.get(key)!;

test('every text that is not empty comes back from its cell, also from that for a spreadsheet', () => {
  const hard = fc.constantFrom(...`'"=+-@＝＋－＠;,\t\r\n1a `);
  const texts = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.string({ unit: hard, minLength: 1, maxLength: 12 }),
    fc.stringMatching(/^'{0,2}(?:0041|1E5|3\/4|true|5 Mar|7)'?$/),
  );

  fc.assert(
    fc.property(texts, fc.boolean(), (text, isForSpreadsheet) => {
      const cell = cellOf(organization, field('remarks'), text, isForSpreadsheet);
      expect(rawFromCell(cell, 'textarea')).toBe(text);
    }),
  );
});

test.each([
  ...[
    '00411',
    '1E5',
    '1e-3',
    '3/4',
    '1-2',
    '1.50',
    '1,5',
    '1.250,50',
    '123456789012',
    '(500)',
    '.5',
  ],
  ...['TRUE', 'False', 'WAHR', '5 Mar', 'March 5, 2026', '5. März', '12 janv. 2026', 'MAR-2026'],
  ...[
    'Friday, 6 March 2026',
    '12:30',
    '9 am',
    '$5',
    '5 €',
    '₹ 500',
    '1 000',
    '10%',
    '٠٤',
    ' 7',
    '7 ',
  ],
])('%j, which a spreadsheet would change, is guarded for one', (text) => {
  expect(cellOf(organization, field('city'), text, true)).toBe(`'${text}`);
  expect(cellOf(organization, field('city'), text)).toBe(text);
});

test.each([
  '411001',
  '0',
  'Pune',
  'May',
  'Flat 12',
  'Round 2',
  'MBA-2026',
  'a5@example.com',
  '12B',
])('%j, which a spreadsheet keeps, is not guarded for one', (text) => {
  expect(cellOf(organization, field('city'), text, true)).toBe(text);
});

test.each(["'quoted'", "'s-Gravenhage", '00411', '=1+1'])(
  '%j comes back from a spreadsheet that drops or keeps the apostrophe at the start of a cell',
  (text) => {
    const cell = cellOf(organization, field('city'), text, true);

    expect([cell, cell.slice(1)].map((one) => rawFromCell(one, 'text'))).toEqual([text, text]);
  },
);

test('every list comes back from its cell, as a list or as the text that the rules read so', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }), (list) => {
      const raw = rawFromCell(cellOf(organization, field('interests'), list), 'multiselect');
      expect(typeof raw === 'string' ? raw.split(',') : raw).toEqual(list);
    }),
  );
});

test.each([
  [['a', 'b c'], 'a,b c'],
  [['a,b', 'c'], '["a,b","c"]'],
  [['a', '[b'], '["a","[b"]'],
  [[' a'], '[" a"]'],
  [['a '], '["a "]'],
])('the list %j has a cell that people can read, or is JSON', (list, cell) => {
  expect(cellOf(organization, field('interests'), list)).toBe(cell);
  expect(rawFromCell(cell, 'multiselect')).toEqual(cell.startsWith('[') ? list : cell);
  expect(rawFromCell(cell, 'text')).toBe(cell);
});

test.each(['[a', '["a",1]', '{"a":1}', '"a"', 'a["b"]'])('%j is a text, not a list', (cell) => {
  expect(rawFromCell(cell, 'multiselect')).toBe(cell);
});

test.each([...'=+-@＝＋－＠\t\r\n'].flatMap((begin) => [`${begin}1+1`, `'${begin}1+1`]))(
  '%j, which a spreadsheet may take for a formula, is text in its cell',
  (text) => {
    expect(cellOf(organization, field('remarks'), text)).toBe(`'${text}`);
  },
);

test('no part of a cell is a formula for a spreadsheet that splits cells at semicolons and line ends', () => {
  const hard = fc.constantFrom(...`'"=+-@＝＋－＠;,\t\r\na`);
  fc.assert(
    fc.property(fc.string({ unit: hard, minLength: 1 }), (text) => {
      const inFile = cellOf(organization, field('remarks'), text).replaceAll('"', '""');
      const [, ...within] = inFile.split(/[;\r\n]/);
      for (const part of within) expect(part).not.toMatch(/^"*[=+\-@＝＋－＠]/);
    }),
  );
  expect(cellOf(organization, field('city'), 'a;=1+1')).toBe("a;'=1+1");
});

test('a cell of another program loses an apostrophe before a formula, and none within', () => {
  const cells = ["'=1+1", "a;'=1+1", "'＝1"];

  expect(cells.map((cell) => rawFromCell(cell, 'text', false))).toEqual([
    '=1+1',
    "a;'=1+1",
    "'＝1",
  ]);
});

test.each(['+919812345678', '-5', '1250.5', 'Rao - Pune', "'quoted'"])(
  '%j stays as it is',
  (text) => {
    expect(cellOf(organization, field('city'), text)).toBe(text);
  },
);

test('a cell has the name of a user or source only if the name identifies it', () => {
  const items = [
    { id: 1, name: 'Asha', active: true },
    { id: 2, name: 'asha', active: false },
    { id: 3, name: 'Ravi', active: false },
    { id: 4, name: '3', active: true },
    { id: 5, name: 'Meera', active: false },
    { id: 6, name: 'Meera', active: false },
    { id: 7, name: '=Sum', active: true },
  ];

  const cells = items.map(({ id }) => nameOrId(items, id));

  expect(cells).toEqual(['Asha', 'asha', 'Ravi', '4', '5', '6', '7']);
  expect(cells.map((cell) => idNamed(items, cell))).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(nameOrId(items, 99)).toBe('99');
  const batch = [{ id: 1, name: '2026-27', active: true }];
  expect(nameOrId(batch, 1, true)).toBe("'2026-27");
});

/** Programs end a row at any line break outside quotes, not only at the line end that the file has. */
test.each([
  [',', '\n'],
  [';', '\r\n'],
  ['\t', '\r'],
])(
  'a row with %j and %j has line breaks and delimiters only within quotes',
  (delimiter, lineEnd) => {
    const hard = fc.constantFrom(...`"'=;,\t\r\n a`);
    fc.assert(
      fc.property(fc.string({ unit: hard }), fc.string({ unit: hard }), (one, other) => {
        const line = csvLine([one, other], { delimiter, lineEnd });
        const bare = line.slice(0, -lineEnd.length).replace(/"(?:[^"]|"")*"/g, '');

        expect(bare.split(delimiter)).toHaveLength(2);
        expect(bare).not.toMatch(/[\r\n]/);
        expect(parse(line, { delimiter, record_delimiter: lineEnd })).toEqual([[one, other]]);
      }),
    );
  },
);
