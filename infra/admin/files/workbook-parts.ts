import { strFromU8, unzipSync } from 'fflate';
import { type Attributes, attributesOf, decoded, eachTag } from './xml.ts';

/** Thrown if the bytes are not a workbook. */
export class NoWorkbookError extends Error {
  override readonly name = 'NoWorkbookError';
}

/** Thrown if a sheet does not fit into memory. */
export class LargeSheetError extends Error {
  override readonly name = 'LargeSheetError';
}
export const tooLarge = (): LargeSheetError => new LargeSheetError('The sheet is too large.');

/** A string of V8 has at most 512 MB. */
const fileMaxBytes = 500_000_000;
/** XML has no control characters: a workbook writes them as `_x000D_`. */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, code) => String.fromCharCode(parseInt(code, 16)))
    : text;

export const isTrue = (attribute: string | undefined): boolean =>
  attribute === '1' || attribute === 'true';

/** The parts of a workbook that have its cells. */
export interface Workbook {
  readonly sheets: readonly {
    readonly name: string;
    readonly isHidden: boolean;
    readonly path: string;
  }[];
  /** Opens a file of the workbook; empty if the workbook does not have it. */
  readonly open: (path: string) => string;
  readonly stringsPath: string;
  readonly stylesPath: string;
  readonly mustCalculate: boolean;
  readonly is1904: boolean;
}

export function workbookIn(bytes: Uint8Array): Workbook {
  // Paths are compared without case (ECMA-376, part 2): some programs write `SharedStrings.xml`.
  const open: Workbook['open'] = (path) => {
    const [file] = Object.values(
      unzipSync(bytes, {
        filter: ({ name, originalSize }) => {
          if (name.toLowerCase() !== path.toLowerCase()) return false;
          if (originalSize > fileMaxBytes) throw tooLarge();
          return true;
        },
      }),
    );
    return file ? strFromU8(file) : '';
  };
  const book = open('xl/workbook.xml');
  const links = attributesOf(open('xl/_rels/workbook.xml.rels'), 'Relationship');
  const pathOf = ({ Target = '' }: Attributes): string =>
    Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`;
  const linked = (type: string) => links.filter(({ Type }) => Type?.endsWith(`/${type}`));
  const sheets = attributesOf(book, 'sheet').flatMap(({ name = '', id, state = 'visible' }) => {
    const link = linked('worksheet').find(({ Id }) => Id === id);
    return link ? [{ name, isHidden: state !== 'visible', path: pathOf(link) }] : [];
  });
  return {
    sheets,
    open,
    stringsPath: linked('sharedStrings').map(pathOf)[0] ?? 'xl/sharedStrings.xml',
    stylesPath: linked('styles').map(pathOf)[0] ?? 'xl/styles.xml',
    mustCalculate: attributesOf(book, 'calcPr').some(({ fullCalcOnLoad }) =>
      isTrue(fullCalcOnLoad),
    ),
    is1904: attributesOf(book, 'workbookPr').some(({ date1904 }) => isTrue(date1904)),
  };
}

/** The texts to which cells refer by position. A text may consist of parts, but its pronunciation (`rPh`) is not one of them. */
export function sharedStringsIn(xml: string): string[] {
  const strings: string[] = [];
  let [whole, isSpoken] = ['', false];
  eachTag(xml, ({ name, isClosing, text }) => {
    if (name === 't' && !isClosing && !isSpoken) whole += decoded(text);
    else if (name === 'rPh') isSpoken = !isClosing;
    else if (name === 'si') {
      if (isClosing) strings.push(unescaped(whole));
      whole = '';
    }
  });
  return strings;
}
