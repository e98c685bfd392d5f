import { expect, test } from 'vitest';
import { filled, givenPage, leadNow, plain, type Reply, refusing } from '../given-page.ts';
import { ended, formWith, list, press, read } from './given-list.ts';

const path = '/o/1/import';

const isOffered = ({ text }: Reply, what: string): boolean => text.includes(`value="${what}"`);

test('a list is read, corrected by choosing, shown, imported and taken back, as by the command', async () => {
  const page = await givenPage();

  const proposed = await read(page, list(3, 'Hot'));
  const refused = await press(page, proposed, 'import dry', { 'column.2': 'stage' });
  const shown = await press(page, refused, 'import dry', { 'column.2.values': 'Hot = Enrolled' });
  const imported = await press(page, shown, 'import');
  const lead = await leadNow(page);
  const timeline = plain(await page.get('/o/1/leads/1'));
  const planned = await press(page, imported, 'undo dry');
  const undone = await press(page, planned, 'undo');

  expect(plain(proposed)).toContain('Mobile98220 1000098220 1000198220 10002');
  expect(plain(proposed)).toContain('does not have most of its values ("Hot")');
  expect(plain(proposed)).not.toContain('{"to"');
  expect(isOffered(proposed, 'import')).toBe(false);
  expect(plain(refused)).toContain('3 rows, 0 would be imported, 3 would be refused');
  expect(refused.text).toMatch(/name="column\.2\.values"[^>]*>\nHot = Hot<\/textarea>/);
  expect(isOffered(refused, 'import')).toBe(false);
  expect(plain(shown)).toContain('3 rows, 3 would be imported, 0 would be refused');
  expect(plain(shown)).toContain(
    'row 2: name: Person 0 · phone: +919822010000 · remarks: Call · stage: Enrolled',
  );
  expect(plain(imported)).toContain('3 rows, 3 imported, 0 refused');
  expect(lead).toMatchObject({ stageId: 12, fields: { name: 'Person 0', phone: '+919822010000' } });
  expect(timeline).toContain('Imported by user tester');
  expect(plain(planned)).toContain('3 leads would be removed.');
  expect(plain(undone)).toContain('3 leads removed.');
  expect(await leadNow(page)).toBeUndefined();
  expect((await page.log()).filter((what) => !what.includes('lead import --undo: lead'))).toEqual([
    'lead import --undo, 3 leads',
    'lead import, 3 leads',
    'organization apply',
  ]);
});

test('a refused value is listed with the name that was probably meant', async () => {
  const page = await givenPage();
  const proposed = await read(page, list(3, 'Enroled'));

  const refused = await press(page, proposed, 'import dry', { 'column.2': 'stage' });

  expect(refused.text).toMatch(/name="column\.2\.values"[^>]*>\nEnroled = Enrolled<\/textarea>/);
});

test('a row of a lead updates it only if that is ticked, and the audit log says so', async () => {
  const page = await givenPage();
  await press(page, await press(page, await read(page, list(2)), 'import dry'), 'import');
  const changed = list(3).replaceAll('Person', 'Patient');

  const taken = await press(page, await read(page, changed), 'import dry');
  const shown = await press(page, taken, 'import dry', { update: 'yes' });
  const done = await press(page, shown, 'import');

  expect(plain(taken)).toContain('3 rows, 1 would be imported, 2 would be refused');
  expect(plain(shown)).toContain('Lead 1: name Person 0 → Patient 0 would be changed');
  expect(plain(done)).toContain('3 rows, 1 imported, 2 updated, 0 refused');
  expect((await page.log())[0]).toBe('lead import, 1 lead, 2 updated');
});

test('a form of an earlier page, a button twice, and an import that was not shown do nothing', async () => {
  const page = await givenPage();
  const proposed = await read(page, list(2));
  const shown = await press(page, proposed, 'import dry');
  const form = filled(formWith(shown, 'import'), 'one', { ':do': 'import' });

  await press(page, proposed, 'import');
  await press(page, proposed, 'undo dry');
  for (const what of ['undo', 'nothing'])
    await page.post(
      path,
      form.map(([name, value]) => [name, name === ':do' ? what : value]),
    );
  const other = await read(page, list(2));
  const [, state = ''] = / name="state" value="([^"]*)"/.exec(other.text) ?? [];
  await page.post(path, Object.entries({ ':do': 'import', state }));
  const unshown = await page.log();
  const shownAgain = await press(page, other, 'import dry');
  const twice = filled(formWith(shownAgain, 'import'), 'one', { ':do': 'import' });
  await Promise.all([page.post(path, twice), page.post(path, twice)]);
  await ended(page, await page.get(path));

  expect(unshown).toEqual(['organization apply']);
  expect(await page.log()).toEqual(['lead import, 2 leads', 'organization apply']);
});

test('a right that is missing is named, and the dry run works', async () => {
  const { table } = await givenPage();
  const page = await givenPage(undefined, { table: refusing(table, /TransactWrite|Update|Put/) });
  const shown = await press(page, await read(page, list(2)), 'import dry');

  const refused = await press(page, shown, 'import');

  expect(plain(shown)).toContain('2 would be imported');
  expect(plain(refused)).toContain('is not authorized to perform: dynamodb:Put');
  expect(isOffered(refused, 'import')).toBe(true);
});

test.each([
  ['nothing', new File([], 'leads.csv'), 'Choose a file that is not empty.'],
  ['a document', new File(['x'], 'leads.pdf'), 'leads.pdf must end in .xlsx, .csv or .jsonl'],
  [
    'no text',
    new File([new Uint8Array([0x4e, 0xe9, 0xff])], 'leads.csv'),
    'leads.csv is not UTF-8.',
  ],
  ['a path', new File(['a'], '../../../etc/x.csv'), 'The first row of'],
  ['no ending', new File(['a'], '..'), '.. must end in'],
])('of %s nothing is kept, and a sentence says why', async (_, file, sentence) => {
  const page = await givenPage();

  const refused = await page.upload(path, { ':do': 'upload', file });

  expect([refused.status, plain(refused)]).toEqual([422, expect.stringContaining(sentence)]);
  expect(plain(await page.get(path))).not.toContain('leads.pdf');
});
