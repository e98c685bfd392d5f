import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { readXlsx } from '../../../../infra/admin/files/read-xlsx.ts';
import { attributesIn, decoded, eachTag, type Tag } from '../../../../infra/admin/files/xml.ts';

function tagsIn(xml: string): Tag[] {
  const tags: Tag[] = [];
  eachTag(xml, (tag) => tags.push(tag));
  return tags;
}

test('a tag is read with its attributes and its text, whatever its prefix and its quotes', () => {
  const tags = tagsIn(`<?xml version="1.0"?><x:c r = "A1" t='a > "b"'>1 > 0</x:c><row/>`);

  expect(tags.map(({ name, isClosing, text }) => [name, isClosing, text])).toEqual([
    ['?xml', false, ''],
    ['c', false, '1 > 0'],
    ['c', true, ''],
    ['row', false, ''],
    ['row', true, ''],
  ]);
  expect(attributesIn(tags[1]?.attributes ?? '')).toEqual({ r: 'A1', t: 'a > "b"' });
});

test('the text of a cell is whole, with comments and unescaped sections in it', () => {
  const tags = tagsIn(
    '<t>A<!-- <t>no</t> -->B<![CDATA[ <c> & ]]>C</t><t>&amp;&#x110000;&constructor;</t>',
  );

  expect(tags.filter(({ text }) => text !== '').map(({ text }) => decoded(text))).toEqual([
    'AB <c> & C',
    '&&#x110000;&constructor;',
  ]);
});

test('a comment with an apostrophe does not hide the tags that follow', () => {
  const tags = tagsIn(`<!-- don't --><c r="A1">1</c><!-- can't --><c r="B1">2</c>`);

  expect(tags.filter(({ text }) => text !== '').map(({ text }) => text)).toEqual(['1', '2']);
});

const longBytes = 200_000;

// An expression whose work grows with the square of the length needs minutes for one of them.
test.each([
  '<a b',
  '<!--',
  '<![CDATA[',
  '<',
  'a',
  '<a:',
  '</',
  '<c r="A1" ',
  `<c r='`,
  `<a b="'`,
  '<a b="c>',
  '<a =" ',
  `"'`,
  '= ',
  '&',
  '[',
  '"',
  ' ',
  '<x:sheetCalcPr ',
  '<sheetCalcPr fullCalcOnLoad=',
  '</worksheet> ',
  '_x',
])('a workbook whose files repeat %j without an end is read in linear time', (unit) => {
  const long = unit.repeat(longBytes / unit.length);
  const within = `<styleSheet><numFmt numFmtId="1" formatCode='${long.replace(/[<>']/g, '')}'/><cellXfs><xf numFmtId="1"/></cellXfs>`;
  for (const before of ['', '<', '<a b="']) {
    const text = before + long;
    const files = {
      'xl/workbook.xml': `<sheet name="A" id="1"/>${text}'`,
      'xl/_rels/workbook.xml.rels': `<Relationship Id="1" Type="/worksheet" Target="s.xml"/>${text}`,
      'xl/sharedStrings.xml': `<si><t>${text}"</t></si>`,
      'xl/styles.xml': `${within}${text}`,
      'xl/s.xml': `<row><c t="inlineStr"><t>1</t></c></row>${text}<c ${long}></worksheet>`,
    };
    const zip = zipSync(
      Object.fromEntries(Object.entries(files).map(([path, xml]) => [path, strToU8(xml)])),
      { level: 0 },
    );

    expect(readXlsx(zip).rows[0]?.cells).toEqual(['1']);
  }
});
