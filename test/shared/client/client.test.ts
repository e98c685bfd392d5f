import { describe, expect, test, vi } from 'vitest';
import {
  isLeadServiceError,
  LeadClient,
  type LeadClientOptions,
  NoResponseError,
  UnexpectedResponseError,
} from '../../../shared/client/client.ts';
import { useFakeClock, waitsMs } from './fake-clock.ts';
import { captured, refusal, silence, stubService } from './stub-service.ts';

useFakeClock();

const enquiry = { name: 'Asha', phone: '+91 98220 12345' };
const empty = { body: { items: [], nextCursor: null } };

function clientOf(
  answers: Parameters<typeof stubService>[0],
  options: Partial<LeadClientOptions> = {},
) {
  const { fetch, requests } = stubService(answers);
  const baseUrl = 'https://leads.example.com/stage/';
  const client = new LeadClient({ baseUrl, apiKey: 'leads_live_k', fetch, ...options });
  return { client, requests };
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('It succeeded.');
    },
    (error: unknown) => error,
  );

describe('the client sends', () => {
  test('the key, the address below the base address, and a filter as JSON in the query string', async () => {
    const { client, requests } = clientOf([empty]);

    await client.listLeads({
      limit: 5,
      filter: [{ field: 'city', operator: 'contains', value: 'Pune' }],
    });

    const url = new URL(requests[0]?.url ?? '');
    expect(url.origin + url.pathname).toBe('https://leads.example.com/stage/api/v1/leads');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      limit: '5',
      filter: '[{"field":"city","operator":"contains","value":"Pune"}]',
    });
    expect(requests[0]?.headers).toEqual({ Authorization: 'Bearer leads_live_k' });
  });

  test.each([Number.POSITIVE_INFINITY, 2 ** 33, 1500.5])(
    'with any time for an attempt: %d ms',
    async (timeoutMs) => {
      vi.mocked(AbortSignal.timeout).mockRestore(); // only the real one refuses a time
      const { client } = clientOf([empty], { timeoutMs });

      expect((await client.listLeads()).items).toEqual([]);
    },
  );

  test("a capture under a digest of its content and the form's view, in any order of properties", async () => {
    const { client, requests } = clientOf(() => captured());
    const { name, phone } = enquiry;

    for (const [body, formView] of [
      [{ name, phone }, 'v1'],
      [{ phone, name }, 'v1'],
      [{ name, phone, notes: 'Evenings.' }, 'v1'],
      [{ name, phone }, 'v2'],
    ] as const)
      await client.captureLead(body, { formView });

    const keys = requests.map(({ headers }) => headers['Idempotency-Key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(3);
  });

  test('a capture under the idempotency key that the caller chose', async () => {
    const { client, requests } = clientOf([captured(7)]);

    const result = await client.captureLead(enquiry, { idempotencyKey: 'form-7' });

    expect(requests[0]?.headers['Idempotency-Key']).toBe('form-7');
    expect(result).toEqual({ id: 7, created: true, updated: false, replayed: false });
  });

  test('nothing to an address that would expose the key, and nothing without a key', () => {
    const make = (baseUrl: string, apiKey: string) => new LeadClient({ baseUrl, apiKey });

    for (const address of [
      'http://leads.example.com',
      'https://u:p@x.example',
      'leads',
      'https://x.example?a=b',
    ])
      expect(() => make(address, 'k')).toThrow(/baseUrl must be an https address/);
    expect(() => make('https://leads.example.com', '')).toThrow(/apiKey is missing/);
    expect(() => make('http://127.0.0.1:4010', 'k')).not.toThrow();
  });

  test('a key that a function returns, called for each attempt', async () => {
    const keys = ['first', 'second'];
    const { client, requests } = clientOf([refusal(500, 'INTERNAL'), empty], {
      apiKey: async () => keys.shift() ?? '',
    });

    await client.listLeads();

    expect(requests.map(({ headers }) => headers.Authorization)).toEqual([
      'Bearer first',
      'Bearer second',
    ]);
  });
});

describe('the client retries', () => {
  test('after a time-out of 15 s, a failed connection, 409, 500 and 503, with growing random delays', async () => {
    const { client, requests } = clientOf([
      silence,
      new TypeError('fetch failed'),
      refusal(409, 'IDEMPOTENCY_IN_PROGRESS'),
      refusal(503, 'NOT_READY'),
      captured(),
    ]);

    const { signal } = new AbortController();
    const start = Date.now();
    await client.captureLead(enquiry, { signal });

    expect(waitsMs()).toEqual([250, 500, 1000, 2000]);
    expect(Date.now() - start).toBe(15_000 + 3750);
    expect(new Set(requests.map(({ headers }) => headers['Idempotency-Key'])).size).toBe(1);
  });

  test('after Retry-After and a random part, unless that is longer than it may wait', async () => {
    const limited = (seconds: string) =>
      refusal(429, 'RATE_LIMITED', { headers: { 'Retry-After': seconds } });
    const { client } = clientOf([limited('20'), empty, limited('1740')]);

    await client.listLeads();
    const error = await failure(client.listLeads());

    expect(waitsMs()).toEqual([20_250]);
    expect(isLeadServiceError(error, 'RATE_LIMITED') && error.retryAfterMs).toBe(1_740_000);
  });

  test('at most as often as it may, and then throws the last attempt’s error', async () => {
    const { client, requests } = clientOf(() => refusal(500, 'INTERNAL'), { attempts: 3 });

    const error = await failure(client.getLead(5));

    expect(requests).toHaveLength(3);
    expect(isLeadServiceError(error, 'INTERNAL') && error.requestId).toBe('r1');
  });

  test('the client never repeats a request that was refused', async () => {
    for (const [status, code] of [
      [401, 'UNAUTHORIZED'],
      [404, 'NOT_FOUND'],
      [409, 'DUPLICATE_LEAD'],
      [422, 'VALIDATION_FAILED'],
    ] as const) {
      const { client, requests } = clientOf([refusal(status, code)]);

      expect(isLeadServiceError(await failure(client.getLead(5)), code)).toBe(true);
      expect(requests).toHaveLength(1);
    }
  });

  test('a note only if the service cannot have stored it yet', async () => {
    const once = clientOf([new TypeError('fetch failed')]);
    const failed = clientOf([refusal(500, 'INTERNAL')]);
    const again = clientOf([
      refusal(429, 'RATE_LIMITED', { headers: { 'Retry-After': '1' } }),
      { status: 201, body: { note: { leadId: 5, text: 'a', createdAt: '2026-11-21T10:00:00Z' } } },
    ]);

    const error = await failure(once.client.addNote(5, 'a'));
    const internal = await failure(failed.client.addNote(5, 'a'));
    await again.client.addNote(5, 'a');

    expect(error).toBeInstanceOf(NoResponseError);
    expect(isLeadServiceError(internal, 'INTERNAL')).toBe(true);
    expect(again.requests).toHaveLength(2);
  });

  test('a create, and says that the duplicate may be its own', async () => {
    const duplicate = refusal(409, 'DUPLICATE_LEAD', { details: { leadId: 8 } });
    const lost = clientOf([silence, refusal(429, 'RATE_LIMITED'), duplicate]);
    const clear = clientOf([duplicate]);
    const lead = { fields: { name: 'Asha', phone: '+91 98220 12345' } };

    const afterLoss = await failure(lost.client.createLead(lead));
    const atOnce = await failure(clear.client.createLead(lead));

    if (!isLeadServiceError(afterLoss, 'DUPLICATE_LEAD')) throw afterLoss;
    expect([afterLoss.details?.leadId, afterLoss.afterUnknownOutcome]).toEqual([8, true]);
    expect(isLeadServiceError(atOnce) && atOnce.afterUnknownOutcome).toBe(false);
  });

  test('no more once the caller’s signal aborts', async () => {
    const { client, requests } = clientOf([silence]);
    const caller = new AbortController();

    const call = failure(client.listLeads({}, { signal: caller.signal }));
    await vi.advanceTimersByTimeAsync(100);
    caller.abort(new Error('The visitor left.'));

    expect(await call).toEqual(new Error('The visitor left.'));
    expect(requests).toHaveLength(1);
  });
});

test('a response that is not the service’s is an error of its own, and a redirect is not followed', async () => {
  const { client, requests } = clientOf([
    { status: 404, body: '<html>not here</html>' },
    { status: 302, headers: { Location: 'https://elsewhere.example' }, body: '' },
  ]);

  for (const status of [404, 302]) {
    const error = await failure(client.listUsers());
    expect(error instanceof UnexpectedResponseError && error.status).toBe(status);
  }
  expect(requests).toHaveLength(2);
});

test('lists of leads continue after an empty page and end with a null cursor', async () => {
  const { client, requests } = clientOf([
    { body: { items: [{ id: 9 }, { id: 8 }], nextCursor: 8 } },
    { body: { items: [], nextCursor: 5 } },
    { body: { items: [{ id: 4 }], nextCursor: null } },
  ]);

  const ids: number[] = [];
  for await (const { id } of client.leads({ stage_id: 11 })) ids.push(id);

  expect(ids).toEqual([9, 8, 4]);
  expect(requests.map(({ url }) => new URL(url).search)).toEqual([
    '?limit=100&stage_id=11',
    '?limit=100&stage_id=11&cursor=8',
    '?limit=100&stage_id=11&cursor=5',
  ]);
});
