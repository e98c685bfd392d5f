import { expect, test } from 'vitest';
import { type ChangedLeads, LeadClient } from '../../../shared/client/client.ts';
import { useFakeClock } from './fake-clock.ts';
import { type StubAnswer, stubService } from './stub-service.ts';

useFakeClock();

/** The service's clock is three minutes behind the machine's. */
const serviceDate = 'Sat, 21 Nov 2026 09:57:00 GMT';
const page = (ids: number[], nextCursor: number | null, date = serviceDate): StubAnswer => ({
  headers: { Date: date },
  body: { items: ids.map((id) => ({ id })), nextCursor },
});

function clientOf(answers: StubAnswer[]) {
  const { fetch, requests } = stubService(answers);
  const client = new LeadClient({
    baseUrl: 'https://leads.example.com',
    apiKey: 'k',
    fetch,
  });
  const read = async (since?: string): Promise<ChangedLeads[]> => {
    const pages: ChangedLeads[] = [];
    for await (const one of client.changedLeads(since)) pages.push(one);
    return pages;
  };
  const queries = () => requests.map(({ url }) => Object.fromEntries(new URL(url).searchParams));
  return { client, read, queries };
}

test('the first run reads all leads, and the next starts a minute earlier, by the service’s clock', async () => {
  const later = 'Sat, 21 Nov 2026 10:41:00 GMT';
  const { read, queries } = clientOf([page([9], 9), page([], null, later), page([9], null)]);

  const first = await read();
  const position = first.at(-1)?.position;
  await read(position);

  expect(position).toBe('2026-11-21T09:57:00.000Z');
  expect(queries()).toEqual([
    { limit: '100' },
    { limit: '100', cursor: '9' },
    { limit: '100', updated_since: '2026-11-21T09:56:00.000Z' },
  ]);
});

test('a run that was killed between pages continues at its cursor, and keeps its own start', async () => {
  const { read, queries } = clientOf([
    page([9], 9),
    page([4], null),
    page([3], 3),
    page([2], null),
  ]);
  const since = '2026-11-20T00:00:00.000Z';

  const [begun] = await read(since);
  const resumed = await read(begun?.position);

  expect(begun?.position).toBe(`${since}/2026-11-21T09:57:00.000Z/9`);
  expect(queries()[2]).toEqual({
    limit: '100',
    updated_since: '2026-11-19T23:59:00.000Z',
    cursor: '9',
  });
  expect(resumed.at(-1)?.position).toBe('2026-11-21T09:57:00.000Z');
});

test('a first run that was killed continues too', async () => {
  const { read, queries } = clientOf([page([4], null)]);

  await read('/2026-11-21T09:57:00.000Z/9');

  expect(queries()).toEqual([{ limit: '100', cursor: '9' }]);
});

test('an invalid position is refused before a request', async () => {
  const { read, queries } = clientOf([]);

  for (const wrong of ['', 'yesterday', '//9', '2026-11-21T09:57:00', '2026-11-21T09:57:00Z/x/9'])
    await expect(read(wrong)).rejects.toThrow(/is not a position/);
  expect(queries()).toEqual([]);
});
