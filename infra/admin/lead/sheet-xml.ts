import { strFromU8, unzipSync } from 'fflate';
import { Parser } from 'saxen';

/** Names of cells, such as C2, by row number and by column, counted from 0. */
export type CellNames = ReadonlyMap<number, ReadonlyMap<number, string>>;

/** LibreOffice keeps such a 0 unless it is told to calculate. */
export const withoutResultIssue = (cell: string): string =>
  `cell ${cell} has a formula without a result: open the file in a spreadsheet program and save it. In LibreOffice, press Ctrl+Shift+F9 first.`;

type Attributes = Readonly<Record<string, string | undefined>>;

/** A formula or an error, and the cells that it fills. */
interface Formula {
  readonly range: string;
  readonly hasResult: boolean;
  readonly isError: boolean;
}

/**
 * The cells of a sheet with a formula but no result, which read-excel-file takes for empty ones. Programs that cannot calculate write no
 * result, or write 0 and ask the next program to calculate. An empty text is a result, and so is an error: a row that has one is there,
 * although the library reads nothing in it.
 * @param sheet its name; undefined for the first one
 */
export function formulasWithoutResult(workbook: Uint8Array, sheet?: string): CellNames {
  const fileNamed = (path: string): string => {
    const { [path]: file } = unzipSync(workbook, { filter: ({ name }) => name === path });
    return file ? strFromU8(file) : '';
  };
  const paths = new Map<string | undefined, string>();
  onTags(fileNamed('xl/_rels/workbook.xml.rels'), (_, { Id, Target = '' }) =>
    paths.set(Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`),
  );
  let path: string | undefined;
  let mustCalculate = false;
  onTags(fileNamed('xl/workbook.xml'), (tag, { name, id, fullCalcOnLoad }) => {
    if (tag === 'sheet' && (sheet === undefined || sheet === name)) path ??= paths.get(id);
    if (tag === 'calcPr') mustCalculate ||= isTrue(fullCalcOnLoad);
  });
  const xml = fileNamed(path ?? '');
  const names = new Map<number, Map<number, string>>();
  // Most sheets have no formula, and a large one is parsed for seconds.
  if (!/[<:]f[\s/>]|t=["']e/.test(xml)) return names;
  const formulas = formulasIn(xml, () => {
    mustCalculate = true;
  });
  for (const { range, hasResult, isError } of formulas) {
    const isCalculated = hasResult && !mustCalculate;
    for (const { row, column } of isCalculated && !isError ? [] : cellsOf(range)) {
      const ofRow = names.get(row) ?? new Map<number, string>();
      names.set(row, ofRow);
      if (!isCalculated) ofRow.set(column, nameOf(row, column));
    }
  }
  return names;
}

/** @param onMustCalculate called if the sheet itself asks for a calculation */
function formulasIn(xml: string, onMustCalculate: () => void): Formula[] {
  const formulas: Formula[] = [];
  let [row, column] = [0, 0];
  let [range, type, hasResult, isValue] = ['', '', false, false];
  const onTag = (tag: string, attributes: Attributes): void => {
    const { r, t = '', ref, fullCalcOnLoad } = attributes;
    if (tag === 'row') [row, column] = [Number(r ?? row + 1), -1];
    else if (tag === 'c') {
      column = r === undefined ? column + 1 : columnOf(r);
      [range, type, hasResult] = ['', t, false];
    } else if (tag === 'f') range = (t === 'array' && ref) || nameOf(row, column);
    else if (tag === 'v' || tag === 'is') {
      isValue = true;
      hasResult = type === 'str';
    } else if (tag === 'sheetCalcPr' && isTrue(fullCalcOnLoad)) onMustCalculate();
  };
  const onText = (text: string): void => {
    if (isValue && text.trim() !== '') hasResult = true;
  };
  const onEnd = (tag: string): void => {
    if (tag === 'v' || tag === 'is') isValue = false;
    if (tag === 'c' && (range !== '' || type === 'e'))
      formulas.push({ range: range || nameOf(row, column), hasResult, isError: type === 'e' });
  };
  onTags(xml, onTag, onText, onEnd);
  return formulas;
}

/** Names of tags and attributes come without their prefixes, which differ from program to program. */
function onTags(
  xml: string,
  onTag: (tag: string, attributes: Attributes) => void,
  onText: (text: string) => void = () => undefined,
  onEnd: (tag: string) => void = () => undefined,
): void {
  const local = (name: string): string => name.slice(name.indexOf(':') + 1);
  new Parser()
    .on('openTag', (name, attributes, decode) => {
      const named = Object.entries(attributes()).map(([key, text]) => [local(key), decode(text)]);
      onTag(local(name), Object.fromEntries(named));
    })
    .on('text', onText)
    .on('cdata', onText)
    .on('closeTag', (name) => onEnd(local(name)))
    .parse(xml);
}

/** Of the XML schema's type `boolean`. */
const isTrue = (text: string | undefined): boolean => text === '1' || text === 'true';

/** The column of a cell's name, counted from 0. */
const columnOf = (cell: string): number =>
  [...cell.replace(/\d+$/, '')].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) -
  1;

const lettersOf = (column: number): string =>
  column < 0
    ? ''
    : lettersOf(Math.floor(column / 26) - 1) + String.fromCharCode(65 + (column % 26));

const nameOf = (row: number, column: number): string => `${lettersOf(column)}${row}`;

function* cellsOf(range: string): Generator<{ readonly row: number; readonly column: number }> {
  const [first = '', last = first] = range.replaceAll('$', '').split(':');
  const rowOf = (cell: string): number => Number(/\d+$/.exec(cell)?.[0] ?? 0);
  for (let row = rowOf(first); row <= rowOf(last); row += 1)
    for (let column = columnOf(first); column <= columnOf(last); column += 1) yield { row, column };
}
