import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useFolder } from '../../../given-folder.ts';
import {
  filled,
  type GivenPage,
  givenPage,
  leadNow,
  plain,
  type Reply,
  refusing,
} from '../given-page.ts';
import { ended, formWith, press, read } from './given-list.ts';

const path = '/o/1/import';

const folder = useFolder();

const list = (rows: number, status = 'New'): string =>
  [
    'Full Name,Mobile,Status,Remarks,Row',
    ...Array.from(
      { length: rows },
      (_, at) => `Person ${at},98220 ${10_000 + at},${status},Call,${at}`,
    ),
  ].join('\n');

/** Rows that take longer at this rate than a test may, so that a stop always comes before the last of them. */
const endless = { rows: 400, importRate: 4 };

/** Begins an import of such a list. @returns the first page, and the page once a batch is written */
async function begun(page: GivenPage) {
  page.desk.importRate = endless.importRate;
  const shown = await press(page, await read(page, list(endless.rows)), 'import dry');
  const form = filled(formWith(shown, 'import'), 'one', { ':do': 'import' });
  const first = await page.post(path, form);
  const later = await vi.waitUntil(
    async () => {
      const reply = await page.get(path);
      return plain(reply).includes(' imported, 0 refused') && reply;
    },
    { timeout: 50_000 },
  );
  return { first, later };
}

const isOffered = ({ text }: Reply, what: string): boolean => text.includes(`value="${what}"`);

/** How many leads the newest entry of the audit log says; batches of the endless list have two. */
const leadsSaid = ([newest]: readonly string[]): number =>
  Number(/^lead import, (\d+) leads$/.exec(newest ?? '')?.[1]);

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

test('the plan and the refused rows are downloads, and the plan reads the next file', async () => {
  const page = await givenPage();
  const proposed = await read(page, `${list(2)}\nNobody,12,New,,9`, 'März "1".csv');
  const shown = await press(page, proposed, 'import dry', {
    ...{ country: 'in', 'column.3': '', 'column.1.values': 'none =\n12=12' },
  });

  const plan = await page.get(`${path}?file=plan`);
  const report = await page.get(`${path}?file=report`);
  const next = await read(page, list(1), 'april.csv', { plan: new File([plan.text], 'p.json') });
  const other = await read(page, 'Name,Phone\nA,9822012345', 'x.csv', {
    plan: new File([plan.text], 'p.json'),
  });

  expect(plain(shown)).toContain('3 rows, 2 would be imported, 1 would be refused');
  expect(plan.headers['content-disposition']).toBe(
    "attachment; filename*=UTF-8''M%C3%A4rz%20%221%22.plan.json",
  );
  expect(JSON.parse(plan.text)).toEqual({
    columns: {
      'Full Name': { to: 'name' },
      Mobile: { to: 'phone', values: { none: null } },
      Status: { to: 'stage' },
      Remarks: null,
      Row: null,
    },
    country: 'IN',
  });
  expect(report.headers['content-disposition']).toContain('.would-be-refused.csv');
  expect(report.text).toMatch(
    /^refused row,refused because,.*\n4,.* is too short.*,Nobody,12,New,,9\n$/,
  );
  expect(filled(formWith(next, 'import dry'), 'one', {})).toContainEqual(['column.2', 'stage']);
  expect([other.status, plain(other)]).toEqual([
    422,
    expect.stringContaining(
      'x.csv does not fit the plan x.plan.json: it has no column "Full Name"',
    ),
  ]);
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

test('a run is shown to a page that is opened again, stops after its batch, and goes on without doubles', async () => {
  const page = await givenPage();
  const { first, later } = await begun(page);

  const second = await read(page, list(1), 'second.csv');
  const stopped = await press(page, later, 'stop');
  const before = leadsSaid(await page.log());
  page.desk.importRate = Number.POSITIVE_INFINITY;
  const done = await press(page, stopped, 'import');

  expect(first.headers.refresh).toBe('2');
  expect(plain(later)).toMatch(
    /Running since .*\. Of 401 rows: (\d+) rows, \1 imported, 0 refused\./,
  );
  expect([second.status, plain(second)]).toEqual([
    422,
    expect.stringContaining('An import is running: stop it, or wait for its end.'),
  ]);
  expect(plain(stopped)).toContain('It was stopped. What is done stays done');
  expect(before % 2).toBe(0);
  expect(plain(done)).toContain(
    `400 rows, ${400 - before} imported, ${before} imported before, 0 refused`,
  );
  expect(leadsSaid(await page.log())).toBe(400 - before);
});

test('the end of the page ends an import after its batch, says how to go on, and removes the file', async () => {
  vi.stubEnv('TMPDIR', await mkdtemp(folder.path('own-')));
  onTestFinished(() => void vi.unstubAllEnvs());
  const page = await givenPage();
  await read(page, list(1), 'earlier.csv');
  await begun(page);
  const kept = await readdir(tmpdir());
  const files = await readdir(join(tmpdir(), kept[0] ?? ''));

  const said = await page.stop();

  const done = leadsSaid(await page.log());
  expect(kept).toEqual([expect.stringMatching(/^lead-service-page-/)]);
  expect(files).toHaveLength(1);
  expect(said).toEqual([
    expect.stringContaining(
      `The import of leads.csv in organization 1 ended after a batch. Of 401 rows: ${done} rows, ${done} imported, 0 refused. To go on, `,
    ),
  ]);
  expect(await readdir(tmpdir())).toEqual([]);
  expect(done % 2).toBe(0);
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

test('an export of this service and JSON lines need no plan', async () => {
  const page = await givenPage();
  const line = JSON.stringify({ name: 'Asha', phone: '9822012345' });

  const shown = await press(page, await read(page, line, 'leads.jsonl'), 'import dry');
  const ours = 'lead id,lead service export,name,phone,stage\n5,organization 1,Ravi,9822012346,New';
  const exported = await press(page, await read(page, ours), 'import dry');

  expect(plain(shown)).toContain('1 row, 1 would be imported');
  expect(plain(exported)).toContain('1 row, 1 would be imported');
  expect((await page.get(`${path}?file=plan`)).status).toBe(404);
});
