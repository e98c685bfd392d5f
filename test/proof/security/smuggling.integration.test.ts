import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { givenLead, storedLeads } from '../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { service } from '../../support/service.ts';

/** Requests that two readers may read in two ways. Sent as bytes: a client library would mend or refuse them. */
let organization: GivenOrganization;
let other: GivenOrganization;
let leadId: number;
beforeAll(async () => {
  [organization, other] = await Promise.all([givenOrganization(), givenOrganization()]);
  leadId = (await givenLead(organization)).id;
});

type Headers = readonly (readonly [string, string])[];
const bearer = (key: string): string => `Bearer ${key}`;
const json = ['Content-Type', 'application/json'] as const;
const chunked = ['Transfer-Encoding', 'chunked'] as const;
const lengthOf = (length: number | string) => ['Content-Length', String(length)] as const;

/** Sends a request as it is and reads the answer until the connection is closed. @returns its status and error code */
async function send(requestLine: string, headers: Headers, body = '') {
  const { host, hostname, port } = new URL(service().baseUrl);
  const lines = [['Host', host], ...headers, ['Connection', 'close']];
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.setTimeout(25_000, () => socket.destroy());
  socket.on('error', () => undefined); // a service that stops reading resets the connection, after its answer
  socket.write(`${requestLine} HTTP/1.1\r\n${head}\r\n${body}`);
  await new Promise((closed) => socket.on('close', closed));
  const { error } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
  return [Number(answer.split(' ', 2)[1]), error?.code];
}
const listUsers = (headers: Headers) => send('GET /api/v1/users', headers);
/** A note that would be taken, but for these headers. */
const sendNote = (headers: Headers, body: string) =>
  send(`POST /api/v1/leads/${leadId}/notes`, headers, body);

describe('the Authorization header', () => {
  test.each([
    ['first', (right: string) => [right, 'Bearer x']],
    ['last', (right: string) => ['Bearer x', right]],
    ['twice', (right: string) => [right, right]],
  ])('two Authorization headers are refused: the right one %s', async (_, valuesOf) => {
    const [one = '', another = ''] = valuesOf(bearer(organization.reader));

    expect(
      await listUsers([
        ['Authorization', one],
        ['aUTHORIZATION', another],
      ]),
    ).toEqual([401, 'UNAUTHORIZED']);
  });

  test('an Authorization header folded over two lines is refused', async () => {
    const [status] = await listUsers([['Authorization', `Bearer\r\n ${organization.reader}`]]);

    expect([401, 404]).toContain(status);
  });

  test('an Authorization header in the trailers of a body is ignored', async () => {
    expect(
      await sendNote(
        [json, chunked, ['Trailer', 'Authorization']],
        `c\r\n{"text":"x"}\r\n0\r\nAuthorization: ${bearer(organization.writer)}\r\n\r\n`,
      ),
    ).toEqual([401, 'UNAUTHORIZED']);
  });
});

/** Two statements about where a body ends, and what precedes the smuggled request in it. */
test.each<[string, (length: number) => Headers, string?]>([
  ['a length with chunks', () => [lengthOf(5), chunked], '0\r\n\r\n'],
  ['chunks with a length', () => [chunked, lengthOf(5)], '0\r\n\r\n'],
  ['two lengths', (length) => [lengthOf(0), lengthOf(length)]],
  ['two lengths in one', (length) => [lengthOf(`0, ${length}`)]],
  ['a veiled encoding', () => [['Transfer-Encoding', 'xchunked'], lengthOf(5)], '0\r\n\r\n'],
])(
  'the end of a request is read in only one way, or the request is refused: %s',
  async (_, headersOf, before = '') => {
    const body = JSON.stringify({ fields: person() });
    const smuggled = `POST /api/v1/leads HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer(other.writer)}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const stored = await storedLeads(other);

    const [status, code] = await sendNote(
      [['Authorization', bearer(organization.writer)], json, ...headersOf(smuggled.length)],
      before + smuggled,
    );

    expect([400, 404]).toContain(status);
    expect(['INVALID_JSON', 'NOT_FOUND']).toContain(code);
    expect(await storedLeads(other)).toEqual(stored);
  },
);
