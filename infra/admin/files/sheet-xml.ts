import { strFromU8, unzipSync } from 'fflate';

/** Names of cells, such as C2, by row number and by column, counted from 0. */
export type CellNames = ReadonlyMap<number, ReadonlyMap<number, string>>;

/** LibreOffice keeps a 0 that stands for no result, unless it is told to calculate. */
export const withoutResultIssue = (cell: string): string =>
  `cell ${cell} has a formula without a result: open the file in a spreadsheet program and save it. In LibreOffice, press Ctrl+Shift+F9 first.`;

/**
 * The cells of a sheet with a formula but no result, which read-excel-file takes for empty ones. Programs that cannot calculate write no
 * result, or write 0 and ask the next program to calculate. An empty text is a result. A row of errors has no such cell, but it is a row.
 * @param sheet its name; undefined for the first one
 */
export function formulasWithoutResult(workbook: Uint8Array, sheet?: string): CellNames {
  const fileNamed = (path: string): string => {
    const { [path]: file } = unzipSync(workbook, { filter: ({ name }) => name === path });
    return file ? strFromU8(file) : '';
  };
  const book = fileNamed('xl/workbook.xml');
  const { id } =
    tagsIn(book, 'sheet').find(({ name }) => sheet === undefined || sheet === name) ?? {};
  const links = tagsIn(fileNamed('xl/_rels/workbook.xml.rels'), 'Relationship');
  const { Target = '' } = links.find(({ Id }) => Id === id) ?? {};
  const xml = fileNamed(Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`);
  const mustCalculate = [...tagsIn(book, 'calcPr'), ...tagsIn(xml, 'sheetCalcPr')].some(
    ({ fullCalcOnLoad }) => fullCalcOnLoad === '1' || fullCalcOnLoad === 'true',
  );
  const names = new Map<number, Map<number, string>>();
  const ofRow = (row: number): Map<number, string> => {
    const cells = names.get(row) ?? new Map<number, string>();
    names.set(row, cells);
    return cells;
  };
  for (const [, tag = '', content = ''] of xml.matchAll(cellTags)) {
    if (!/<(?:\w+:)?f[\s/>]/.test(content) && !/["']e["']/.test(tag)) continue;
    const { r = '', t } = attributesIn(tag);
    const [formula] = tagsIn(content, 'f');
    const hasResult = (t === 'str' ? emptyValue : value).test(content);
    if (formula && (mustCalculate || !hasResult))
      for (const { row, column, name } of cellsOf((formula.t === 'array' && formula.ref) || r))
        ofRow(row).set(column, name);
    else if (t === 'e') ofRow(rowOf(r));
  }
  return names;
}

type Attributes = Readonly<Record<string, string | undefined>>;

// A prefix is in front of the names of tags and attributes, or none, as their program likes.
const cellTags = /<(?:\w+:)?c(\s[^>]*?)(?:\/>|>(.*?)<\/(?:\w+:)?c>)/gs;
const value = /<(?:\w+:)?(?:v|t)(?:\s[^>]*)?(?<!\/)>(?!\s*<\/)/;
const emptyValue = /<(?:\w+:)?v[\s/>]/;

const tagsIn = (xml: string, name: string): Attributes[] =>
  [
    ...xml.matchAll(new RegExp(`<(?:\\w+:)?${name}(?=[\\s/>])((?:[^>"']|"[^"]*"|'[^']*')*)`, 'g')),
  ].map(([, attributes = '']) => attributesIn(attributes));

const characters: Attributes = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'" };

const attributesIn = (tag: string): Attributes =>
  Object.fromEntries(
    [...tag.matchAll(/(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(
      ([, name, double, single = '']) => [
        name,
        (double ?? single).replace(/&(#?\w+);/g, (entity, one) => characters[one] ?? entity),
      ],
    ),
  );

const rowOf = (cell: string): number => Number(/\d+$/.exec(cell)?.[0] ?? 0);
const lettersOf = (cell: string): string => cell.replace(/\d+$/, '');
const columnOf = (cell: string): number =>
  [...lettersOf(cell)].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
const lettersIn = (column: number): string =>
  column < 0
    ? ''
    : lettersIn(Math.floor(column / 26) - 1) + String.fromCharCode(65 + (column % 26));

function* cellsOf(range: string): Generator<{ row: number; column: number; name: string }> {
  const [first = '', last = first] = range.split(':');
  for (let row = rowOf(first); row <= rowOf(last); row += 1)
    for (let column = columnOf(first); column <= columnOf(last); column += 1)
      yield { row, column, name: `${lettersIn(column)}${row}` };
}
