import { expect, test } from 'vitest';
import { filled, givenPage, leadNow, plain } from '../given-page.ts';
import { formWith, list, press, read } from './given-list.ts';

const path = '/o/1/import';

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

test('values of a plan that cannot be written as a line stay in it, and the others can be changed', async () => {
  const page = await givenPage();
  const values = { hello: 'a=b', 'c=d': 'e', 'two\nlines': 'One', 'f = g': 'h', 'i =': null };
  const columns = { 'Full Name': 'name', Mobile: 'phone', status: { to: 'stage', values } };
  const plan = { columns: { ...columns, Remarks: 'remarks', Row: null }, values };
  const file = new File([JSON.stringify(plan)], 'p.json');

  const proposed = await read(page, list(1), 'leads.csv', { plan: file });
  await press(page, proposed, 'import dry');
  const unchanged = JSON.parse((await page.get(`${path}?file=plan`)).text);
  await press(page, await page.get(path), 'import dry', { values: 'hello = =c = d\nx=y' });
  const changed = JSON.parse((await page.get(`${path}?file=plan`)).text);

  expect(plain(proposed)).toContain('Kept from the plan: {"two\\nlines":"One","f = g":"h"');
  expect(unchanged.values).toEqual(values);
  expect(unchanged.columns.Status).toEqual({ to: 'stage', values });
  const { 'two\nlines': lines, 'f = g': blanks, 'i =': end } = values;
  const kept = { 'two\nlines': lines, 'f = g': blanks, 'i =': end };
  expect(changed.values).toEqual({ ...kept, hello: '=c = d', x: 'y' });
});

test('a plan must name every column, as for the command, also those of an export', async () => {
  const page = await givenPage();
  const planOf = (columns: object) => ({
    plan: new File([JSON.stringify({ columns })], 'p.json'),
  });
  const ours = 'lead service export,name,phone\norganization 1,Ravi,9822012346';

  const refused = [
    await read(page, list(1), '$&.csv', planOf({ 'Full Name': 'name', Mobile: 'phone' })),
    await read(page, ours, 'ours.csv', planOf({ name: 'name', phone: 'phone' })),
  ];
  const own = { 'lead service export': 'lead service export', name: null, phone: 'phone' };
  const taken = await read(page, ours, 'ours.csv', planOf(own));
  const shown = await press(page, taken, 'import dry');

  expect(refused.map((reply) => [reply.status, plain(reply)])).toEqual([
    [
      422,
      expect.stringContaining(
        '$&amp;.csv does not fit the plan $&amp;.plan.json, which does not name "Status", "Remarks", "Row": add each',
      ),
    ],
    [422, expect.stringContaining('which does not name "lead service export": add each')],
  ]);
  expect(plain(taken)).toContain('it needs no plan');
  expect(plain(shown)).toContain('ours.csv has no column for name');
});

const ofPlan = new File(
  [JSON.stringify({ columns: { name: 'name', phone: 'phone' }, encoding: 'windows-1252' })],
  'p.json',
);

test.each<[string, string, { plan: File } | { encoding: string }]>([
  ['leads.csv', 'name,phone\nRen\xe9,9822012345', { plan: ofPlan }],
  ['leads.jsonl', '{"name":"Ren\xe9","phone":"9822012345"}', { encoding: 'windows-1252' }],
  [
    'ours.csv',
    'lead service export,name,phone\norganization 1,Ren\xe9,9822012345',
    { encoding: 'windows-1252' },
  ],
])(
  'the encoding of a plan, or the chosen one without a plan, reads %s',
  async (name, text, more) => {
    const page = await givenPage();
    const file = new File([Buffer.from(text, 'latin1')], name);
    const proposed = await page.upload(path, { ':do': 'upload', file, ...more });

    await press(page, await press(page, proposed, 'import dry'), 'import');

    expect(await leadNow(page)).toMatchObject({ fields: { name: 'Ren\xe9' } });
  },
);

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
