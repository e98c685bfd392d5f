import { gzipSync } from 'node:zlib';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { endpointDescriptions } from '../../infra/openapi/endpoint-descriptions.ts';
import { type EndpointName, endpointNamed, takesBody } from '../../shared/contract/endpoints.ts';
import { apiErrors } from '../../shared/contract/errors.ts';
import { settingsPrimaryKey } from '../../shared/store/table/primary-keys.ts';
import { setKeyBucket } from '../support/buckets.ts';
import { type CallOptions, call } from '../support/call.ts';
import { requestIdForm } from '../support/described.ts';
import { useOrganizationWithLead } from '../support/leads.ts';
import { givenOrganizationWithoutKeys } from '../support/organizations.ts';
import { goodRequests } from '../support/requests.ts';
import { service } from '../support/service.ts';
import { table } from '../support/table.ts';

const organization = useOrganizationWithLead();
/** Every request to it is refused. */
const quiet = useOrganizationWithLead();

/** Expects that the request is refused in the contract's shape and changes nothing in the quiet organization. */
async function refused(name: EndpointName, request: CallOptions, status: number, code: string) {
  const answer = await call(name, { apiKey: quiet.writer, ...request });

  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  expect(Object.keys(answer.body)).toEqual(['error']);
  expect(
    Object.keys(answer.body.error).filter(
      (property) => !['code', 'message', 'details'].includes(property),
    ),
  ).toEqual([]);
  expect(answer.body.error.message).toMatch(/^\S.*\.$/);
  expect(answer.headers.get('content-type')).toBe('application/json');
  await quiet.expectUntouched();
}

describe('7 HTTPS_REQUIRED: a request made over plain HTTP', () => {
  test.each(goodRequests)(
    '$name is refused over plain HTTP with HTTPS_REQUIRED',
    ({ name, request }) =>
      refused(
        name,
        { ...request(quiet.lead.id), headers: { 'X-Forwarded-Proto': 'http' } },
        403,
        'HTTPS_REQUIRED',
      ),
  );
});

describe('7 KEY_IN_URL: a key, or a parameter such as api_key or token, in the URL', () => {
  test.each(goodRequests)(
    '$name with the parameter api_key is refused with KEY_IN_URL',
    ({ name, request }) =>
      refused(name, { ...request(quiet.lead.id), query: 'api_key=x' }, 400, 'KEY_IN_URL'),
  );
});

describe('7 RATE_LIMITED: on every endpoint, with Retry-After', () => {
  let apiKey: string;
  beforeAll(async () => {
    ({ key: apiKey } = await quiet.key());
    await setKeyBucket(apiKey, { used: 600, windowEndsAt: Date.now() + 1_800_000 });
  });

  test.each(goodRequests)(
    '$name answers RATE_LIMITED with Retry-After',
    async ({ name, request }) => {
      await refused(name, { apiKey, ...request(quiet.lead.id) }, 429, 'RATE_LIMITED');

      const { headers } = await call(name, { apiKey, ...request(quiet.lead.id) });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(1700);
      expect(headers.get('retry-after')).toBe(headers.get('ratelimit-reset'));
    },
  );
});

describe('7 INTERNAL: a failure on the service’s side, without its details', () => {
  let apiKey: string;
  beforeAll(async () => {
    const own = await givenOrganizationWithoutKeys();
    ({ key: apiKey } = await own.key());
    await table().client.send(
      new DeleteCommand({ TableName: table().name, Key: { ...settingsPrimaryKey(own.id) } }),
    );
  });

  test.each(goodRequests)(
    '$name of an organization whose settings are lost answers INTERNAL',
    async ({ name, request }) => {
      const { status, body, headers } = await call(name, {
        apiKey,
        ...request(organization.lead.id),
      });

      expect([status, body]).toEqual([
        500,
        { error: { code: 'INTERNAL', message: apiErrors.INTERNAL.sentence } },
      ]);
      expect(headers.get('x-request-id')).toMatch(requestIdForm);
    },
  );
});

describe('5.6 and 7 order: what is checked before the key, then the key, then the scope, then the input', () => {
  const noKey = { apiKey: undefined };

  test.each<[string, EndpointName, () => CallOptions, string]>([
    [
      'the key before an idempotency key',
      'capture-lead',
      () => ({ ...noKey, body: {}, headers: { 'Idempotency-Key': 'x'.repeat(201) } }),
      'UNAUTHORIZED',
    ],
    [
      'the body before whether there is the lead',
      'update-lead',
      () => ({ leadId: 2_000_000_000, body: { surprise: 1 } }),
      'VALIDATION_FAILED',
    ],
  ])('a request is checked in order: %s', (_, name, request, code) =>
    refused(name, request(), apiErrors[code as keyof typeof apiErrors].status, code),
  );
});

const withBody = goodRequests.filter(({ name }) => takesBody(endpointNamed(name)));

describe('7 PAYLOAD_TOO_LARGE: a body over 100 KB (100000 bytes)', () => {
  const padded = (body: unknown, bytes: number): string => {
    const text = JSON.stringify(body);
    return `${text}${' '.repeat(bytes - Buffer.byteLength(text))}`;
  };

  test.each(withBody)('$name accepts a body of 100000 bytes', async ({ name, request, status }) => {
    const { body, ...rest } = request(organization.lead.id);

    const answer = await call(name, {
      apiKey: organization.writer,
      ...rest,
      body: padded(body, 100_000),
    });

    expect(answer.status).toBe(status);
  });

  // The larger body is more than a function accepts.
  test.each(withBody.flatMap((good) => [100_001, 7_000_000].map((bytes) => ({ ...good, bytes }))))(
    '$name refuses a body of $bytes bytes',
    ({ name, request, bytes }) => {
      const { body, ...rest } = request(quiet.lead.id);
      return refused(name, { ...rest, body: padded(body, bytes) }, 413, 'PAYLOAD_TOO_LARGE');
    },
  );
});

describe('7 UNSUPPORTED_MEDIA_TYPE: a body without Content-Type: application/json', () => {
  const headers = { 'Content-Type': 'text/plain' };

  test.each(withBody)('$name refuses a body as text/plain', ({ name, request }) =>
    refused(name, { ...request(quiet.lead.id), headers }, 415, 'UNSUPPORTED_MEDIA_TYPE'),
  );
});

describe('7 INVALID_JSON: a body that is not valid JSON', () => {
  test.each(withBody)('$name refuses a body that is not valid JSON', ({ name, request }) =>
    refused(name, { ...request(quiet.lead.id), body: '{"text":' }, 400, 'INVALID_JSON'),
  );
});

describe('7 INVALID_JSON: a body that is not UTF-8, or not plain text', () => {
  const capture = async (body: Buffer<ArrayBuffer>, headers: Record<string, string> = {}) => {
    const response = await fetch(`${service().baseUrl}/api/v1/leads/capture`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${quiet.website}`,
        'Content-Type': 'application/json; charset=iso-8859-1',
        ...headers,
      },
      body,
    });
    return { status: response.status, body: (await response.json()) as object };
  };
  const enquiry = '{"name":"Zo\xeb","phone":"+919822055555"}';

  test.each<[string, Buffer<ArrayBuffer>, Record<string, string>, string]>([
    ['is not UTF-8', Buffer.from(enquiry, 'latin1'), {}, 'Send UTF-8'],
    ['is gzip', gzipSync(enquiry), { 'Content-Encoding': 'gzip' }, 'Send the body uncompressed'],
  ])('a body that %s is refused with advice, and nothing of it is stored', async (_, ...sent) => {
    const [bytes, headers, advice] = sent;
    const message = expect.stringContaining(advice);

    expect(await capture(bytes, headers)).toEqual({
      status: 400,
      body: { error: { code: 'INVALID_JSON', message } },
    });
    await quiet.expectUntouched();
  });

  test('a body that begins with a byte order mark is read', async () => {
    expect(await capture(Buffer.from(`\ufeff{"name":"Zoe"}`))).toMatchObject({
      status: 422,
      body: { error: { details: { fields: { phone: 'is required.' } } } },
    });
  });
});

/** Whether the body of an endpoint has `fields`. */
const takesFields = (name: EndpointName): boolean =>
  Object.hasOwn(endpointDescriptions[name].body ?? {}, 'fields');

describe('7 VALIDATION_FAILED: no other properties, and nothing but an object', () => {
  test.each(withBody)(
    '$name refuses a property that it does not know',
    async ({ name, request }) => {
      const { body, ...rest } = request(quiet.lead.id);

      for (const property of ['surprise', '__proto__', 'constructor']) {
        const changed = JSON.stringify(body).replace('{', `{"${property}":{},`);
        const answer = await call(name, { apiKey: quiet.writer, ...rest, body: changed });
        expect(Object.keys(answer.body.error.details.fields)).toEqual([property]);
      }
      await quiet.expectUntouched();
    },
  );

  test.each(withBody)('$name says of a field beside fields where it goes', async (row) => {
    const { body, ...rest } = row.request(quiet.lead.id);
    const beside = { ...body, course: 'mba', assigned_to: 7 };

    const answer = await call(row.name, { apiKey: quiet.writer, ...rest, body: beside });

    const { course, assigned_to: owner } = answer.body.error.details.fields;
    const isField = 'is a field: send it inside fields.';
    expect(course === isField).toBe(takesFields(row.name));
    expect(owner === isField).toBe(['create-lead', 'update-lead'].includes(row.name)); // a capture chooses no owner
  });

  test('an error names twenty of thousands of unknown field keys, and is smaller than the body', async () => {
    const keys = Array.from({ length: 9000 }, (_, at) => [`k${at}`, 1]);
    const body = { name: 'Asha', phone: '+919822055555', fields: Object.fromEntries(keys) };

    const answer = await call('capture-lead', { apiKey: quiet.website, body });

    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.error.details.fields)).toHaveLength(20);
    expect(answer.body.error.message).toMatch(/ 8980 more are refused\.$/);
    expect(JSON.stringify(answer.body).length).toBeLessThan(10_000);
  });

  test.each(withBody)('$name refuses a body that is not an object', ({ name, request }) =>
    refused(name, { ...request(quiet.lead.id), body: '[]' }, 422, 'VALIDATION_FAILED'),
  );
});
