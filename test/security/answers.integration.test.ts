import { beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/call.ts';
import { givenLead } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { givenQuietOrganization, type QuietOrganization } from '../support/quiet-organization.ts';
import { bodyRequests, goodRequests } from '../support/requests.ts';
import { service } from '../support/service.ts';
import { sendRaw } from './raw-request.ts';

let organization: GivenOrganization;
let leadId: number;
let quiet: QuietOrganization;
beforeAll(async () => {
  [organization, quiet] = await Promise.all([givenOrganization(), givenQuietOrganization()]);
  leadId = (await givenLead(organization)).id;
});

describe('the headers of an answer', () => {
  /** The contract's, the connection's, and the one that AWS adds. */
  const known = [
    'cache-control',
    'content-type',
    'x-request-id',
    'location',
    'idempotent-replayed',
    'retry-after',
    'ratelimit-limit',
    'ratelimit-remaining',
    'ratelimit-reset',
    'connection',
    'content-length',
    'date',
    'keep-alive',
    'x-amzn-requestid',
    'x-amz-apigw-id',
  ];
  const unknownOf = (headers: Headers): string[] =>
    [...headers.keys()].filter((name) => !known.includes(name));

  test.each(goodRequests)(
    'the headers of a response of $name are those of the contract, and forbid to store it',
    async ({ name, request }) => {
      const good = await call(name, { apiKey: organization.writer, ...request(leadId) });
      const refused = await call(name, request(leadId));

      for (const { headers } of [good, refused]) {
        expect(headers.get('cache-control')).toBe('no-store');
        expect(unknownOf(headers)).toEqual([]);
      }
    },
  );

  test.each([
    ['an address that is not an endpoint', 'GET', '/wp-login.php', []],
    ['a preflight request', 'OPTIONS', '/api/v1/leads', [['Origin', 'https://example.org']]],
    ['what is not a method', 'NONSENSE', '/api/v1/leads', []],
    ['a header that is none', 'GET', '/api/v1/leads', [['a b', 'c']]],
    ['TRACE', 'TRACE', '/api/v1/leads', [['Cookie', 'secret=1']]],
  ] as [string, string, string, [string, string][]][])(
    'the headers of a response for %s are those of the contract, and forbid to store it',
    async (_, method, target, headers) => {
      const answer = await sendRaw(service().baseUrl, { method, target, headers });

      expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
      expect(unknownOf(answer.headers)).toEqual([]);
      expect(answer.text).not.toContain('secret');
    },
  );
});

describe('a body nested as deep as 100 KB allow', () => {
  const deep = {
    'only opened': '['.repeat(100_000),
    'a list of lists': '['.repeat(50_000) + ']'.repeat(50_000),
    'objects in objects': `${'{"a":'.repeat(16_000)}1${'}'.repeat(16_000)}`,
    'objects in fields': `{"fields":{"city":${'{"a":'.repeat(16_000)}1${'}'.repeat(16_000)}}}`,
    'lists in fields': `{"fields":{"interests":${'['.repeat(49_000)}${']'.repeat(49_000)}}}`,
    'inherited names': `${'{"__proto__":'.repeat(7000)}1${'}'.repeat(7000)}`,
  };

  test.each(
    bodyRequests.flatMap(({ name }) =>
      Object.entries(deep).map(([kind, body]) => [name, kind, body] as const),
    ),
  )('%s refuses a body nested as deep as 100 KB allow: %s', async (name, _, body) => {
    const answer = await call(name, { apiKey: quiet.writer, leadId: quiet.lead.id, body });

    expect([400, 422]).toContain(answer.status);
    expect(JSON.stringify(answer.body).length).toBeLessThan(10_000);
    await quiet.expectUntouched();
  });

  test('a filter nested as deep as its length allows is refused', async () => {
    const answer = await call('list-leads', {
      apiKey: organization.reader,
      query: { filter: '['.repeat(4000) + ']'.repeat(4000) },
    });

    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_QUERY']);
  });
});

describe('a value made to be expensive', () => {
  const grown = (characters: number) => '\u{1D160}'.repeat(characters); // in NFC, three times as many bytes
  const email = (value: string) => [
    ['create-lead', { fields: { ...person(), email: value } }] as const,
    ['capture-lead', { ...person(), email: value }] as const,
    ['update-lead', { fields: { email: value } }] as const,
  ];
  const budget = (value: string) => [
    ['create-lead', { fields: { ...person(), budget: value } }] as const,
    ['capture-lead', { ...person(), fields: { budget: value } }] as const,
    ['update-lead', { fields: { budget: value } }] as const,
  ];

  test.each([
    ...email(`${grown(200)}@x.co`).map(([name, body]) => [name, 'email', body] as const),
    ...email(grown(250)).map(([name, body]) => [name, 'email', body] as const),
    ...budget(`1${'0'.repeat(98_000)}1`).map(([name, body]) => [name, 'budget', body] as const),
  ])('an expensive value is refused as any other: %s, %s', async (name, field, body) => {
    const answer = await call(name, { apiKey: organization.writer, leadId, body });

    expect([answer.status, Object.keys(answer.body.error.details.fields)]).toEqual([422, [field]]);
  });
});

describe('names that objects inherit', () => {
  const polluting = ['__proto__', 'constructor', 'prototype', 'toString'];
  const values = [
    '{"stageId":12,"isAdmin":true,"scopes":["leads.write"]}',
    '{"prototype":{"isAdmin":true}}',
    '"x"',
    'null',
  ];

  test.each(
    bodyRequests.flatMap(({ name, request }) =>
      polluting.flatMap((key) => values.map((value) => [name, key, value, request] as const)),
    ),
  )(
    'a name that objects inherit is an unknown property and changes nothing: %s, %s %s',
    async (name, key, value, request) => {
      const leadId = quiet.lead.id;
      const text = JSON.stringify(request(leadId).body);

      const { status, body } = await call(name, {
        apiKey: quiet.writer,
        leadId,
        body: text.replace('{', `{"${key}":${value},`),
      });

      expect([status, Object.keys(body.error.details.fields)]).toEqual([422, [key]]);
      await quiet.expectUntouched();
    },
  );

  test.each(polluting)('the inherited name %s names no field and no filter', async (key) => {
    const created = await call('create-lead', {
      apiKey: organization.writer,
      body: JSON.stringify({ fields: person() }).replace('{"name"', `{"${key}":"x","name"`),
    });
    const listed = await call('list-leads', {
      apiKey: organization.reader,
      query: { filter: `[{"field":"${key}","operator":"is_empty"}]` },
    });

    expect([created.status, Object.keys(created.body.error.details.fields)]).toEqual([422, [key]]);
    expect([listed.status, listed.body.error.details.filters]).toEqual([400, [0]]);
  });

  test('names that objects inherit change nothing for the requests that follow', async () => {
    const { status, body } = await call('create-lead', {
      apiKey: organization.writer,
      body: { fields: person() },
    });
    const reader = await call('create-lead', {
      apiKey: organization.reader,
      body: { fields: person() },
    });

    expect([status, body.lead.stageId, Object.keys(body.lead.fields)]).toEqual([201, 11, []]);
    expect(reader.status).toBe(403);
  });
});
