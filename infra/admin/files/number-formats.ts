import { type Attributes, attributesIn, attributesOf, eachTag } from './xml.ts';

const builtInDates = /^(?:1[4-9]|2[0-2]|2[7-9]|3[0-6]|4[5-7]|5[0-8])$/;
const builtInNumbers: Attributes = { 9: '0%', 10: '0.00%' };

export interface NumberFormat {
  readonly isDate: boolean;
  readonly code: string;
}

/** The number format of each style of a cell. */
export function numberFormatsIn(xml: string): NumberFormat[] {
  const codes = new Map(attributesOf(xml, 'numFmt').map((one) => [one.numFmtId, one.formatCode]));
  const formats: NumberFormat[] = [];
  let isOfCells = false;
  eachTag(xml, ({ name, attributes, isClosing }) => {
    if (name === 'cellXfs') isOfCells = !isClosing;
    if (name !== 'xf' || isClosing || !isOfCells) return;
    const { numFmtId = '0' } = attributesIn(attributes);
    const code = codes.get(numFmtId);
    const isDate = code === undefined ? builtInDates.test(numFmtId) : isDateFormat(code);
    formats.push({ isDate, code: code ?? builtInNumbers[numFmtId] ?? 'General' });
  });
  return formats;
}

/** A format without quoted texts, escaped characters, colours, countries and conditions. */
const bareFormat = (code: string): string =>
  code.replace(/"[^"]*"|[\\_*]./g, ' ').replace(/\[(?![hms]+\])[^[\]]*\]/gi, '');

const isDateFormat = (code: string): boolean =>
  bareFormat(code)
    .split(';')
    .some((part) => /[dmyhs]/i.test(part) && !/[0#?%]/.test(part.replace(/(?<=s\]?)[.,]0+/gi, '')));

/** Says what a number format adds to a number; undefined if it only groups or rounds. */
export function addedBy(code: string, value: number): string | undefined {
  const [section = ''] = code.split(';');
  const bare = bareFormat(section);
  const zeros = /0+/.exec(bare.split('.')[0] ?? '')?.[0].length ?? 0;
  if (bare.includes('%')) return 'as a percentage';
  if (zeros > String(Math.trunc(Math.abs(value))).length) return 'with leading zeros';
  const literal = [...section.matchAll(/"([^"]*)"|\\(.)/g)]
    .map(([, a = '', b = '']) => a + b)
    .join('');
  return /[\d+]/.test(literal) ? `with ${literal}` : undefined;
}
