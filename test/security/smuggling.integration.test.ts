import { beforeAll, describe, expect, test } from 'vitest';
import { givenLead, storedLeads } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { type RawRequest, send } from './raw-request.ts';

/** Requests that two readers may read in two ways. Sent as bytes: a client library would mend or refuse them. */
let organization: GivenOrganization;
let other: GivenOrganization;
let leadId: number;
beforeAll(async () => {
  [organization, other] = await Promise.all([givenOrganization(), givenOrganization()]);
  leadId = (await givenLead(organization)).id;
});

const bearer = (key: string): string => `Bearer ${key}`;
const json = ['Content-Type', 'application/json'] as const;

/** A note that would be taken, but for these headers. */
const sendNote = (headers: RawRequest['headers'], body: string = '{"text":"x"}') =>
  send({ method: 'POST', target: `/api/v1/leads/${leadId}/notes`, headers, body });

describe('two Authorization headers: 401, whichever would have been taken', () => {
  type Keys = { reader: string; stranger: string };
  test.each<[string, (keys: Keys) => RawRequest['headers']]>([
    [
      'the same twice',
      ({ reader }) => [
        ['Authorization', bearer(reader)],
        ['Authorization', bearer(reader)],
      ],
    ],
    [
      'a right one first',
      ({ reader }) => [
        ['Authorization', bearer(reader)],
        ['Authorization', 'Bearer x'],
      ],
    ],
    [
      'a right one last',
      ({ reader }) => [
        ['Authorization', 'Bearer x'],
        ['Authorization', bearer(reader)],
      ],
    ],
    [
      'in different case',
      ({ reader, stranger }) => [
        ['Authorization', bearer(reader)],
        ['aUTHORIZATION', bearer(stranger)],
      ],
    ],
    [
      'an empty one first',
      ({ reader }) => [
        ['authorization', ''],
        ['Authorization', bearer(reader)],
      ],
    ],
  ])('two Authorization headers are refused: %s', async (_, headers) => {
    const { status, code } = await send({
      headers: headers({ reader: organization.reader, stranger: other.reader }),
    });

    expect([status, code]).toEqual([401, 'UNAUTHORIZED']);
  });

  test.each(['authorization', 'AUTHORIZATION', 'aUtHoRiZaTiOn'])(
    'one Authorization header, written %s, is accepted',
    async (name) => {
      expect((await send({ headers: [[name, bearer(organization.reader)]] })).status).toBe(200);
    },
  );

  test.each<[string, string]>([
    ['a tab for the space', 'Bearer\t'],
    ['nothing for the space', 'Bearer'],
    ['a null character', 'Bearer \0'],
    ['another scheme before', 'Basic, Bearer '],
  ])('an Authorization header with %s gives no access', async (_, before) => {
    const { status, code } = await send({
      headers: [['Authorization', before + organization.reader]],
    });

    expect([401, 404]).toContain(status);
    expect(['UNAUTHORIZED', 'NOT_FOUND']).toContain(code);
  });

  test('an Authorization header folded over two lines is refused', async () => {
    const { status } = await send({
      headers: [['Authorization', `Bearer\r\n ${organization.reader}`]],
    });

    expect([401, 404]).toContain(status);
  });

  test('an Authorization header in the trailers of a body does not count', async () => {
    const { status, code } = await sendNote(
      [json, ['Transfer-Encoding', 'chunked'], ['Trailer', 'Authorization']],
      `c\r\n{"text":"x"}\r\n0\r\nAuthorization: ${bearer(organization.writer)}\r\n\r\n`,
    );

    expect([status, code]).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('the end of a request', () => {
  const inner = (key: string): string =>
    `POST /api/v1/leads HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer(key)}\r\nContent-Type: application/json\r\n`;

  test.each<[string, (smuggled: string) => readonly [RawRequest['headers'], string]]>([
    [
      'a length with chunks',
      (smuggled) => [
        [
          ['Content-Length', '5'],
          ['Transfer-Encoding', 'chunked'],
        ],
        `0\r\n\r\n${smuggled}`,
      ],
    ],
    [
      'chunks with a length',
      (smuggled) => [
        [
          ['Transfer-Encoding', 'chunked'],
          ['Content-Length', '5'],
        ],
        `0\r\n\r\n${smuggled}`,
      ],
    ],
    [
      'two lengths',
      (smuggled) => [
        [
          ['Content-Length', '0'],
          ['Content-Length', String(smuggled.length)],
        ],
        smuggled,
      ],
    ],
    ['two lengths in one', (smuggled) => [[['Content-Length', `0, ${smuggled.length}`]], smuggled]],
    [
      'a veiled encoding',
      (smuggled) => [
        [
          ['Transfer-Encoding', 'xchunked'],
          ['Content-Length', '5'],
        ],
        `0\r\n\r\n${smuggled}`,
      ],
    ],
  ])(
    'the end of a request is read in only one way, or the request is refused: %s',
    async (_, around) => {
      const body = JSON.stringify({ fields: person() });
      const smuggled = `${inner(other.writer)}Content-Length: ${body.length}\r\n\r\n${body}`;
      const [headers, bytes] = around(smuggled);
      const before = await storedLeads(other);

      const { status, code } = await sendNote(
        [['Authorization', bearer(organization.writer)], json, ...headers],
        bytes,
      );

      expect([400, 404]).toContain(status);
      expect(['INVALID_JSON', 'NOT_FOUND']).toContain(code);
      expect(await storedLeads(other)).toEqual(before);
    },
  );
});

describe('a key in any part of the address', () => {
  type Parts = { readonly key: string; readonly id: number };
  test.each<[string, (parts: Parts) => string, number]>([
    ['a parameter without a name', ({ key, id }) => `/api/v1/leads/${id}?=${key}`, 400],
    ['after a second question mark', ({ key, id }) => `/api/v1/leads/${id}??${key}`, 400],
    ['where there is not an endpoint', ({ key }) => `/api/v1/${key}`, 404],
    ['after the address of a lead', ({ key, id }) => `/api/v1/leads/${id}/${key}`, 404],
    ['the fragment', ({ key }) => `/api/v1/users#${key}`, 404],
  ])('a key in %s is refused and not repeated', async (_, target, status) => {
    const key = organization.reader;

    const answer = await send({
      target: target({ key, id: leadId }),
      headers: [['Authorization', bearer(key)]],
    });

    expect([answer.status, answer.code]).toEqual([
      status,
      status === 400 ? 'KEY_IN_URL' : 'NOT_FOUND',
    ]);
    expect(JSON.stringify(answer.body)).not.toContain(key.slice(-30));
  });
});
