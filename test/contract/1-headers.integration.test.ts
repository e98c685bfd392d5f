import { beforeAll, describe, expect, test } from 'vitest';
import { setArchived } from '../../shared/store/leads/archive.ts';
import { call } from '../support/call.ts';
import { requestIdForm } from '../support/described.ts';
import { givenLead } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { goodRequests } from '../support/requests.ts';
import { service } from '../support/service.ts';
import { table } from '../support/table.ts';

let organization: GivenOrganization;
let leadId: number;
beforeAll(async () => {
  organization = await givenOrganization();
  leadId = (await givenLead(organization)).id;
});

const everyRequest = goodRequests.map((good) => [good.name, good] as const);

describe('1 X-Request-Id: on every response', () => {
  test.each(everyRequest)(
    'every success of %s carries X-Request-Id',
    { tags: 'written' },
    async (name, { request, status }) => {
      const answer = await call(name, { apiKey: organization.writer, ...request(leadId) });

      expect(answer.status).toBe(status);
      expect(answer.headers.get('x-request-id')).toMatch(requestIdForm);
    },
  );

  test.each(everyRequest)('every refusal of %s carries X-Request-Id', async (name, { request }) => {
    const answer = await call(name, request(leadId));

    expect(answer.status).toBe(401);
    expect(answer.headers.get('x-request-id')).toMatch(requestIdForm);
  });

  test('the response to an unknown address carries X-Request-Id', async () => {
    const response = await fetch(`${service().baseUrl}/api/v1/none`);

    expect(response.status).toBe(404);
    expect(response.headers.get('x-request-id')).toMatch(requestIdForm);
  });

  test('two responses carry two request ids', async () => {
    const [a, b] = await Promise.all(
      [1, 2].map(() => call('list-users', { apiKey: organization.reader })),
    );

    expect(a!.headers.get('x-request-id')).not.toBe(b!.headers.get('x-request-id'));
  });
});

describe('1 RateLimit headers: once the key has been checked', () => {
  const names = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] as const;

  test.each(everyRequest)(
    'every success of %s carries the three RateLimit headers',
    async (name, { request }) => {
      const { key: apiKey } = await organization.key();

      const first = await call(name, { apiKey, ...request(leadId) });
      const second = await call(name, { apiKey, ...request(leadId) });

      expect(names.slice(0, 2).map((header) => first.headers.get(header))).toEqual(['600', '599']);
      expect(second.headers.get('ratelimit-remaining')).toBe('598');
      const reset = Number(second.headers.get('ratelimit-reset'));
      expect(
        Number.isInteger(reset) && reset > 3500 && reset <= 3600,
        `RateLimit-Reset ${reset}`,
      ).toBe(true);
    },
  );

  test.each([
    ['403 for a missing scope', 'list-leads', () => ({ apiKey: organization.website }), 403],
    [
      '404 for a missing lead',
      'get-lead',
      () => ({ apiKey: organization.reader, leadId: 2_000_000_000 }),
      404,
    ],
    [
      '400 for a bad query',
      'list-leads',
      () => ({ apiKey: organization.reader, query: 'limit=0' }),
      400,
    ],
    ['422 for a bad body', 'create-lead', () => ({ apiKey: organization.writer, body: {} }), 422],
    [
      '409 for a duplicate',
      'create-lead',
      () => ({ apiKey: organization.writer, body: { fields: duplicate } }),
      409,
    ],
  ] as const)(
    'the error %s, after the key was checked, carries the RateLimit headers',
    async (_, name, request, status) => {
      await call('create-lead', { apiKey: organization.writer, body: { fields: duplicate } });

      const answer = await call(name, request());

      expect(answer.status).toBe(status);
      for (const header of names) expect(answer.headers.get(header), header).toMatch(/^\d+$/);
    },
  );
  const duplicate = person();

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

describe('1 Retry-After: only on 429 (8-rate-limits tests the 429)', () => {
  test.each(everyRequest)('a success of %s has no Retry-After', async (name, { request }) => {
    const answer = await call(name, { apiKey: organization.writer, ...request(leadId) });

    expect(answer.headers.get('retry-after')).toBeNull();
  });
});

describe('1 Location: on a capture answered 200 or 201, pointing at the lead, not when archived is present', () => {
  const captureUrl = () => `${service().baseUrl}/api/v1/leads/capture`;
  const leadAt = (location: string | null) => new URL(location ?? 'none:', captureUrl()).href;

  test('the Location of a 201 and of a 200 is the address of the lead', async () => {
    const someone = person();

    const made = await call('capture-lead', { apiKey: organization.website, body: someone });
    const found = await call('capture-lead', { apiKey: organization.website, body: someone });

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
    const { headers, body } = await call('capture-lead', {
      apiKey: organization.website,
      body: person(),
    });

    const behind = new URL(
      headers.get('location') ?? 'none:',
      'https://api.example.org/crm/prod/api/v1/leads/capture',
    ).href;
    expect(behind).toBe(`https://api.example.org/crm/prod/api/v1/leads/${body.lead.id}`);
  });

  test('a capture that matches an archived lead has no Location', async () => {
    const someone = person();
    const { body } = await call('capture-lead', { apiKey: organization.website, body: someone });
    await setArchived(table(), organization.id, body.lead.id, true);

    const archived = await call('capture-lead', { apiKey: organization.website, body: someone });

    expect(archived.body.lead).toEqual({
      id: body.lead.id,
      created: false,
      updated: false,
      archived: true,
    });
    expect(archived.headers.get('location')).toBeNull();
  });

  test.each(everyRequest.filter(([name]) => name !== 'capture-lead'))(
    '%s has no Location',
    async (name, { request }) => {
      const answer = await call(name, { apiKey: organization.writer, ...request(leadId) });

      expect(answer.headers.get('location')).toBeNull();
    },
  );

  test('a refused capture has no Location', async () => {
    const answer = await call('capture-lead', {
      apiKey: organization.website,
      body: { ...person(), fields: { none: 1 } },
    });

    expect(answer.status).toBe(422);
    expect(answer.headers.get('location')).toBeNull();
  });
});

describe('1 Idempotent-Replayed: true on a replayed capture, and on nothing else', () => {
  test('a replay has Idempotent-Replayed, the first response does not', async () => {
    const request = {
      apiKey: organization.website,
      body: person(),
      headers: { 'Idempotency-Key': 'visit-1' },
    };

    const first = await call('capture-lead', request);
    const second = await call('capture-lead', request);

    expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([
      null,
      'true',
    ]);
  });

  test.each(everyRequest)(
    '%s without a repeated key has no Idempotent-Replayed',
    async (name, { request }) => {
      const answer = await call(name, { apiKey: organization.writer, ...request(leadId) });

      expect(answer.headers.get('idempotent-replayed')).toBeNull();
    },
  );
});

describe('1 CORS: no such headers, on purpose', () => {
  test.each(everyRequest)('%s called from a page has no CORS header', async (name, { request }) => {
    const answer = await call(name, {
      apiKey: organization.writer,
      ...request(leadId),
      headers: { Origin: 'https://example.org' },
    });

    expect(
      [...answer.headers.keys()].filter((header) => header.startsWith('access-control')),
    ).toEqual([]);
  });

  test('a preflight request is answered as an unknown address', async () => {
    const response = await fetch(`${service().baseUrl}/api/v1/leads`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://example.org', 'Access-Control-Request-Method': 'POST' },
    });

    expect(response.status).toBe(404);
    expect(
      [...response.headers.keys()].filter((header) => header.startsWith('access-control')),
    ).toEqual([]);
  });
});

describe('1 unknown address: 404 NOT_FOUND in the standard error shape, with or without a key', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/api/v1'],
    ['GET', '/api/v1/lead'],
    ['GET', '/api/v1/leads/capture'],
    ['GET', '/api/v1/leads/1/notes'],
    ['GET', '/api/v1/leads/1/notes/1'],
    ['PUT', '/api/v1/leads/1'],
    ['DELETE', '/api/v1/leads/1'],
    ['POST', '/api/v1/lead-fields'],
    ['PATCH', '/api/v1/leads'],
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
