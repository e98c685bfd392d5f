import { expect, test } from 'vitest';
import { errorsOf } from '../../../infra/openapi/endpoint-errors.ts';
import { apiErrors, type ErrorCode } from '../../../shared/errors.ts';
import { type CallOptions, call } from '../../support/call.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { goodRequests } from '../../support/requests.ts';

/** How a request that would be taken is made to be refused. The codes that need 600 requests, a race or a failure have tests of their own. */
const spoiled: Readonly<
  Partial<Record<ErrorCode, (other: ReturnType<typeof person>) => CallOptions>>
> = {
  KEY_IN_URL: () => ({ query: 'api_key=1' }),
  INVALID_JSON: () => ({ body: '{' }),
  INVALID_QUERY: () => ({ query: { limit: 0 } }),
  INVALID_IDEMPOTENCY_KEY: () => ({ headers: { 'Idempotency-Key': 'é' } }),
  UNAUTHORIZED: () => ({ apiKey: 'nobody' }),
  HTTPS_REQUIRED: () => ({ headers: { 'X-Forwarded-Proto': 'http' } }),
  NOT_FOUND: () => ({ leadId: 2_147_483_646 }),
  DUPLICATE_LEAD: ({ name, phone }) => ({ body: { fields: { name, phone } } }),
  PAYLOAD_TOO_LARGE: () => ({ body: { text: 'x'.repeat(100_000) } }),
  UNSUPPORTED_MEDIA_TYPE: () => ({ headers: { 'Content-Type': 'text/plain' } }),
  VALIDATION_FAILED: () => ({ body: { unknown: 1 } }),
};

test.each(goodRequests)(
  '$name answers each of its described errors as described',
  async ({ name, request }) => {
    const { writer, website, key } = await givenOrganization();
    const { key: foreign } = await key({
      scopes: name === 'capture-lead' ? ['leads.read'] : ['leads.capture'],
    });
    const [first, second] = [person(), person()];
    const leads = await Promise.all(
      [first, second].map((fields) => call('create-lead', { apiKey: writer, body: { fields } })),
    );
    const options = {
      ...request(leads[0]!.body.lead.id),
      apiKey: name === 'capture-lead' ? website : writer,
    };

    const success = await call(name, options);
    const provoked = errorsOf(name).filter((code) => spoiled[code]);
    const answers = await Promise.all(
      provoked.map((code) => call(name, { ...options, ...spoiled[code]!(second) })),
    );

    expect(success.status).toBeLessThan(300);
    expect(answers.map(({ status, body }) => `${status} ${body.error.code}`)).toEqual(
      provoked.map((code) => `${apiErrors[code].status} ${code}`),
    );
    if (name !== 'list-lead-fields') {
      expect((await call(name, { ...options, apiKey: foreign })).body.error.code).toBe('FORBIDDEN');
    }
  },
);

test('capture-lead answers NOT_READY as described where nobody could own a new lead', async () => {
  const { website } = await givenOrganization({
    users: [{ id: 7, name: 'Asha Rao', active: false }],
    fields: [],
  });

  const { status, body } = await call('capture-lead', { apiKey: website, body: person() });

  expect([status, body.error.code]).toEqual([503, 'NOT_READY']);
});

test('a capture, its repeat and a match are answered as described, with their headers', async () => {
  const { website } = await givenOrganization();
  const options = { apiKey: website, body: person(), headers: { 'Idempotency-Key': 'a' } };

  const captured = await call('capture-lead', options);
  const repeated = await call('capture-lead', options);
  const matched = await call('capture-lead', { ...options, headers: {} });

  expect([captured, repeated, matched].map(({ status }) => status)).toEqual([201, 201, 200]);
  expect(
    [captured, repeated, matched].map(({ headers }) => headers.get('Idempotent-Replayed')),
  ).toEqual([null, 'true', null]);
});
