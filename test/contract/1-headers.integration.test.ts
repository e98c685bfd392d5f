import { describe, expect, test } from 'vitest';
import { call } from '../support/call.ts';
import { requestIdForm } from '../support/described.ts';
import { useOrganizationWithLead } from '../support/leads.ts';
import { person } from '../support/people.ts';
import { goodRequests } from '../support/requests.ts';
import { service } from '../support/service.ts';

const organization = useOrganizationWithLead();

describe('1 headers of every response: only those of the contract, of the connection and of AWS', () => {
  /** `x-amz…`: what AWS adds. */
  const common =
    'cache-control connection content-length content-type date keep-alive x-amz-apigw-id x-amzn-requestid x-request-id';
  const limits = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
  const expectHeaders = (headers: Headers, more: readonly string[]): void => {
    const known = [...common.split(' '), ...more];
    const unknown = [...headers.keys()].filter((name) => !known.includes(name));
    expect(unknown.filter((name) => !name.startsWith('x-amz'))).toEqual([]);
    expect(more.filter((name) => !headers.has(name))).toEqual([]);
    expect(headers.get('x-request-id')).toMatch(requestIdForm);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('application/json');
  };

  // Called from a page, whose Origin gets no CORS header. Neither Retry-After nor Idempotent-Replayed is there, and Location only on a capture.
  test.each(goodRequests)(
    'every success of $name carries X-Request-Id and the RateLimit headers, and no others',
    { tags: 'written' },
    async ({ name, request, status }) => {
      const answer = await call(name, {
        apiKey: organization.writer,
        ...request(organization.lead.id),
        headers: { Origin: 'https://example.org' },
      });

      expect(answer.status).toBe(status);
      expectHeaders(answer.headers, [...limits, ...(name === 'capture-lead' ? ['location'] : [])]);
    },
  );

  test.each(goodRequests)(
    'every refusal of $name carries X-Request-Id, and no others',
    async ({ name, request }) => {
      const answer = await call(name, request(organization.lead.id));

      expect(answer.status).toBe(401);
      expectHeaders(answer.headers, []);
    },
  );

  test.each([
    ['an address that is not an endpoint', 'GET', '/wp-login.php', []],
    ['a preflight request', 'OPTIONS', '/api/v1/leads', [['Origin', 'https://example.org']]],
  ] as [string, string, string, [string, string][]][])(
    'the 404 of %s carries X-Request-Id, and no others',
    async (_, method, path, headers) => {
      const answer = await fetch(service().baseUrl + path, { method, headers });

      expect(answer.status).toBe(404);
      expectHeaders(answer.headers, []);
      expect(await answer.text()).not.toContain('secret');
    },
  );

  test('two responses carry two request ids', async () => {
    const [a, b] = await Promise.all(
      [1, 2].map(() => call('list-users', { apiKey: organization.reader })),
    );

    expect(a!.headers.get('x-request-id')).not.toBe(b!.headers.get('x-request-id'));
  });
});

describe('1 RateLimit headers: once the key has been checked', () => {
  const names = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const;

  test.each(goodRequests)('$name counts one request of its key', async ({ name, request }) => {
    const { key: apiKey } = await organization.key();

    const first = await call(name, { apiKey, ...request(organization.lead.id) });
    const second = await call(name, { apiKey, ...request(organization.lead.id) });

    expect(names.slice(0, 2).map((header) => first.headers.get(header))).toEqual(['600', '599']);
    expect(second.headers.get('ratelimit-remaining')).toBe('598');
    expect(Number(second.headers.get('ratelimit-reset'))).toSatisfy(
      (seconds: number) => seconds > 3500 && seconds <= 3600,
    );
  });

  const duplicate = person();
  test.each([
    ['403 for a missing scope', 'list-leads', 'website', {}, 403],
    ['404 for a missing lead', 'get-lead', 'reader', { leadId: 2_000_000_000 }, 404],
    ['400 for a bad query', 'list-leads', 'reader', { query: 'limit=0' }, 400],
    ['422 for a bad body', 'create-lead', 'writer', { body: {} }, 422],
    ['409 for a duplicate', 'create-lead', 'writer', { body: { fields: duplicate } }, 409],
  ] as const)(
    'the error %s, after the key was checked, carries the RateLimit headers',
    async (_, name, keyName, request, status) => {
      await organization.create({ fields: duplicate });

      const answer = await call(name, { apiKey: organization[keyName], ...request });

      expect(answer.status).toBe(status);
      for (const header of names) expect(answer.headers.get(header), header).toMatch(/^\d+$/);
    },
  );

  test.each([
    ['401', { apiKey: 'nonsense' }, 401],
    ['400 KEY_IN_URL', { query: 'token=x' }, 400],
    ['403 HTTPS_REQUIRED', { headers: { 'X-Forwarded-Proto': 'http' } }, 403],
  ])(
    'the error %s, before the key was checked, carries no RateLimit header',
    async (_, request, status) => {
      const answer = await call('list-users', request);

      expect(answer.status).toBe(status);
      for (const header of names) expect(answer.headers.get(header), header).toBeNull();
    },
  );
});

describe('1 Location: on a capture answered 200 or 201, pointing at the lead, not when archived is present', () => {
  const captureUrl = () => `${service().baseUrl}/api/v1/leads/capture`;
  const leadAt = (location: string | null) => new URL(location ?? 'none:', captureUrl()).href;

  test('the Location of a 201 and of a 200 is the address of the lead', async () => {
    const someone = person();

    const made = await organization.capture(someone);
    const found = await organization.capture(someone);

    const address = `${service().baseUrl}/api/v1/leads/${made.body.lead.id}`;
    expect([made.status, found.status]).toEqual([201, 200]);
    expect([leadAt(made.headers.get('location')), leadAt(found.headers.get('location'))]).toEqual([
      address,
      address,
    ]);
    const read = await fetch(leadAt(made.headers.get('location')), {
      headers: { Authorization: `Bearer ${organization.reader}` },
    });
    expect(await read.json()).toMatchObject({
      lead: { id: made.body.lead.id, phone: someone.phone },
    });
  });

  test('Location keeps a path prefix and another domain', async () => {
    const { headers, body } = await organization.capture(person());

    const behind = new URL(
      headers.get('location') ?? 'none:',
      'https://api.example.org/crm/prod/api/v1/leads/capture',
    ).href;
    expect(behind).toBe(`https://api.example.org/crm/prod/api/v1/leads/${body.lead.id}`);
  });

  test('a refused capture has no Location', async () => {
    const answer = await organization.capture({ ...person(), fields: { none: 1 } });

    expect(answer.status).toBe(422);
    expect(answer.headers.get('location')).toBeNull();
  });
});

describe('1 unknown address: 404 NOT_FOUND in the standard error shape, with or without a key', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/api/v1/leads/capture'],
    ['GET', '/api/v1/leads/1/notes'],
    ['DELETE', '/api/v1/leads/1'],
    ['GET', '/API/V1/LEADS'],
    ['GET', '/api/v1//leads'],
  ])('%s %s is an unknown address', async (method, path) => {
    const answers = await Promise.all(
      [{}, { Authorization: `Bearer ${organization.reader}` }].map((headers) =>
        fetch(service().baseUrl + path, { method, headers }),
      ),
    );

    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await answer.json()).toEqual({
        error: { code: 'NOT_FOUND', message: expect.stringMatching(/\.$/) },
      });
    }
  });
});
