import { expect, test } from 'vitest';
import { setArchived } from '../../../../../shared/store/leads/archive.ts';
import { leadOf, storeListedLeads } from '../../../../support/leads.ts';
import { type GivenPage, givenLead, givenPage, leadsIn, plain } from '../given-page.ts';

const people = [
  { name: 'Rohan Kulkarni', phone: '+919822012345', email: 'rohan@example.com' },
  { name: 'José Müller', phone: '+4915112345678', email: 'jose.mueller@example.com', source: 3 },
  { name: 'Meera 401', phone: '+919820040199', assigned_to: 8, city: 'Pune' },
];

async function givenPeople(): Promise<GivenPage> {
  const page = await givenPage();
  for (const [at, person] of people.entries()) await givenLead(page, person, at + 1);
  page.calls();
  return page;
}

const byItsKey = 'by its key';
test.each<[what: string, text: string, found: number[], how?: string]>([
  ['no text', '', [3, 2, 1]],
  ['a name without its accents', 'jose muller', [2]],
  ['a part of a name', 'KULK', [1]],
  ['a phone without its country code', '98220 12345', [1], byItsKey],
  ['a phone in another spelling', '0049 151 1234 5678', [2], byItsKey],
  ['a part of a phone', '1234567', [2]],
  ['an email in capitals', 'ROHAN@EXAMPLE.COM', [1], byItsKey],
  ['a part of an email', 'mueller@ex', [2]],
  ['a number of a lead', '3', [3], byItsKey],
  ['a number that is in names, of no lead', '0401', [3]],
  ['a whole phone of nobody', '+919822012399', [], byItsKey],
  ['a whole email of nobody', 'nobody@example.com', [], byItsKey],
])(
  'the search box finds by %s, a whole value without a list of leads',
  async (_, text, found, how) => {
    const page = await givenPeople();

    const reply = await page.get(`/o/1/leads?q=${encodeURIComponent(text)}`);

    expect([reply.status, leadsIn(reply)]).toEqual([200, found]);
    const calls = page.calls();
    expect(calls.includes('QueryCommand')).toBe(how !== byItsKey);
    if (how === byItsKey) expect(calls.length).toBeLessThanOrEqual(4);
  },
);

test('a value that was looked up as a key can be searched as a part', async () => {
  const page = await givenPeople();
  const reply = await page.get('/o/1/leads?q=rohan@example.com');
  const [, address = ''] = /href="([^"]*after=\d+)"/.exec(reply.text) ?? [];

  const part = await page.get(address.replaceAll('&amp;', '&').replace('rohan%40', '%40'));

  expect(leadsIn(part)).toEqual([2, 1]);
});

test.each([
  ['stage=11', [3, 2, 1]],
  ['stage=12', []],
  ['owner=8', [3]],
  ['source=3', [2]],
  ['pipeline=1&owner=7', [2, 1]],
  ['pipeline=2', []],
  ['since=2020-01-01', [3, 2, 1]],
  ['since=2199-01-01', []],
  ['q=meera&owner=7', []],
  ['q=3&owner=7', []],
])('the filter %s lists the leads that have all of it', async (query, found) => {
  const page = await givenPeople();

  expect(leadsIn(await page.get(`/o/1/leads?${query}`))).toEqual(found);
});

test('an archived lead is listed with archived alone, and found by its key', async () => {
  const page = await givenPeople();
  await setArchived(page.table, 1, 2, { archived: true });

  expect(leadsIn(await page.get('/o/1/leads'))).toEqual([3, 1]);
  expect(leadsIn(await page.get('/o/1/leads?archived=yes'))).toEqual([2]);
  expect(leadsIn(await page.get('/o/1/leads?archived=yes&source=1'))).toEqual([]);
  expect(leadsIn(await page.get('/o/1/leads?q=jose.mueller@example.com'))).toEqual([2]);
});

test.each(['stage=99', 'owner=x', 'source=0', 'pipeline=-1', 'since=yesterday'])(
  'the filter %s is refused: a typo must not look like an empty list',
  async (query) => {
    const page = await givenPeople();

    const reply = await page.get(`/o/1/leads?${query}`);

    expect(reply.status).toBe(422);
    expect(plain(reply)).toMatch(/has no \w+ |must be a date/);
  },
);

test('the address chooses the columns, by label and with names instead of IDs', async () => {
  const page = await givenPeople();

  const reply = await page.get('/o/1/leads?columns=city,assigned_to&columns=stage&columns=nothing');

  const headings = [...reply.text.matchAll(/<th scope="col">(.*?)<\/th>/g)].map(([, one]) => one);
  expect(headings).toEqual(['Lead', 'Owner', 'city', 'Stage']);
  expect(plain(reply)).toContain('3Ravi IyerPuneNew');
});

/** Leads of which one in a hundred is named Asha, as an import leaves them. */
async function givenMany(page: GivenPage, count: number): Promise<void> {
  const createdAt = '2026-01-01T00:00:00.000Z';
  const leads = Array.from({ length: count }, (_, at) => {
    const name = `${at % 100 === 0 ? 'Asha' : 'Rohan'} ${at + 1}`;
    const phone = `+9198${String(20_000_000 + at)}`;
    const own = { id: at + 1, organizationId: 1, stageId: 11, pipelineId: 1, createdAt };
    return leadOf(own, { name, phone, assigned_to: 7, remarks: 'x'.repeat(4000) });
  });
  await storeListedLeads(page.table, leads);
  page.calls();
}

test('a page has 50 leads, and the next one follows without a gap', async () => {
  const page = await givenPage();
  await givenMany(page, 120);
  const ids: number[][] = [];

  for (let path: string | undefined = '/o/1/leads'; path; ) {
    const reply = await page.get(path);
    ids.push(leadsIn(reply));
    path = /href="([^"]*after=[^"]*)"/.exec(reply.text)?.[1]?.replaceAll('&amp;', '&');
  }

  expect(ids.map((one) => one.length)).toEqual([50, 50, 20]);
  expect(ids.flat()).toEqual(Array.from({ length: 120 }, (_, at) => 120 - at));
});

test('the count is read only on request, from the indexes', async () => {
  const page = await givenPage();
  await givenMany(page, 120);
  const countOf = async (query: string) =>
    /([\d,]+) leads? in this list/.exec(plain(await page.get(`/o/1/leads?${query}`)))?.[1];

  expect(await countOf('')).toBeUndefined();
  expect(await countOf('count=yes')).toBe('120');
  expect(await countOf('count=yes&pipeline=1&owner=7')).toBe('120');
  expect(await countOf('count=yes&owner=8')).toBe('0');
  expect(await countOf('count=yes&since=2026-02-01&owner=7')).toBe('0');
  expect(await countOf('count=yes&q=rohan')).toBeUndefined();
});

test('however many leads there are, the first page of each view reads a few items', async () => {
  const page = await givenPage();
  await givenMany(page, 1000);
  const paths = ['/', '/o/1/leads', '/o/1/leads?stage=11&owner=7', '/o/1/leads/999', '/o/1/keys'];

  for (const path of [...paths, '/o/1/activity', '/o/1/settings', '/o/1/import']) {
    page.calls();
    const { status } = await page.get(path);
    expect([path, status]).toEqual([path, 200]);
    const calls = page.calls();
    expect([path, calls.length <= 8, calls.includes('ScanCommand')]).toEqual([path, true, false]);
  }
});

test('a search by a part reads a page’s budget, says how far it looked, and can continue', async () => {
  const page = await givenPage();
  await givenMany(page, 2000);
  const found: number[] = [];
  let pages = 0;

  for (let path: string | undefined = '/o/1/leads?q=asha'; path; pages += 1) {
    const reply = await page.get(path);
    found.push(...leadsIn(reply));
    const next = /href="([^"]*after=(\d+)[^"]*)"/.exec(reply.text);
    if (next) expect(plain(reply)).toContain(`down to number ${next[2]}`);
    path = next?.[1]?.replaceAll('&amp;', '&');
  }

  expect(pages).toBeGreaterThan(1);
  expect(found).toEqual(Array.from({ length: 20 }, (_, at) => 1901 - 100 * at));
});
