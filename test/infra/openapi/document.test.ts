import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openApiFile, openApiText } from '../../../infra/openapi/document.ts';
import { errorsOf } from '../../../infra/openapi/endpoint-descriptions.ts';
import { demo } from '../../../infra/openapi/examples.ts';
import { limitHeaders, responseHeaders } from '../../../infra/openapi/response-headers.ts';
import { endpoints, takesBody } from '../../../shared/contract/endpoints.ts';
import { apiErrors, type ErrorCode } from '../../../shared/contract/errors.ts';
import { fieldValueRows, parsers } from '../../../shared/leads/field-types.ts';
import { FieldIssue, type RawValue } from '../../../shared/leads/field-values.ts';
import type { FieldType } from '../../../shared/organization/field-kinds.ts';
import {
  assertDescribed,
  type DescribedResponse,
  type Exchange,
  type Json,
  operationOf,
  resolved,
  schemaIssue,
} from '../../support/described.ts';
import { node24, projectFolder, runProgram } from '../../support/service-process.ts';

const redocly = join(projectFolder, 'node_modules', '.bin', 'redocly');

describe('openapi.json', () => {
  test('openapi.json is current: npm run openapi would write what is committed', async () => {
    expect(await readFile(openApiFile, 'utf8')).toBe(await openApiText());
  });

  test('openapi.json passes redocly lint without an error or a warning', {
    timeout: 60_000,
  }, async () => {
    const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const env = { ...process.env, ...quiet };
    const args = [redocly, 'lint', '--format=json', 'openapi.json'];
    const { stdout } = await runProgram(node24, args, { env });

    expect(JSON.parse(stdout)).toMatchObject({
      totals: { errors: 0, warnings: 0, ignored: 0 },
      problems: [],
    });
  });
});

const withOperations = endpoints.map((endpoint) => ({
  ...endpoint,
  operation: operationOf(endpoint),
}));
const responsesOf = ({
  operation,
}: (typeof withOperations)[number]): [string, DescribedResponse][] =>
  Object.entries(operation.responses).map(([status, reference]) => [
    status,
    resolved<DescribedResponse>(reference),
  ]);
const contentOf = (response: DescribedResponse) => response.content?.['application/json'];

describe.each(withOperations)('the description of $name', (row) => {
  test(`a line of the sample of ${row.name} has at most 90 characters`, () => {
    const { description }: Json = { ...row.operation };
    const [, sample = ''] = /```sh\n(.*)\n```/s.exec(String(description)) ?? [];
    const lengths = sample.split('\n').map((line) => line.length);

    expect(lengths.length).toBeGreaterThan(1);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(90);
  });

  test(`${row.name} has an example for each error code of each status, and for no other`, () => {
    for (const [status, response] of responsesOf(row).filter(([status]) => Number(status) >= 400)) {
      const { schema } = contentOf(response)!;
      const examples = Object.values(contentOf(response)!.examples!) as {
        value: { error: { code: string } };
      }[];
      const errorWith = (code: string) => ({
        message: 'No.',
        ...examples.find(({ value }) => value.error.code === code)?.value.error,
        code,
      });
      const fitting = Object.keys(apiErrors).filter(
        (code) => !schemaIssue(schema, { error: errorWith(code) }),
      );

      const own = errorsOf(row.name).filter((code) => String(apiErrors[code].status) === status);
      expect(fitting).toEqual(own);
      expect([...new Set(examples.map(({ value }) => value.error.code))].sort()).toEqual(
        own.sort(),
      );
    }
  });

  test(`${row.name} is described with valid examples of the request and of every response`, () => {
    const { parameters = [], requestBody } = row.operation;
    const contents = [requestBody, ...responsesOf(row).map(([, response]) => response)];

    for (const one of contents.filter((content) => content !== undefined)) {
      const { schema, examples } = one.content!['application/json'];
      expect(Object.keys(examples!)).not.toHaveLength(0);
      for (const { value } of Object.values(examples!))
        expect(schemaIssue(schema, value)).toBeUndefined();
    }
    for (const { schema, example } of parameters) {
      expect(example).toBeDefined();
      expect(schemaIssue(schema, example)).toBeUndefined();
      if (schema.contentSchema)
        expect(
          schemaIssue(schema.contentSchema as Json, JSON.parse(String(example))),
        ).toBeUndefined();
    }
    expect(requestBody !== undefined).toBe(takesBody(row));
  });

  test(`${row.name} is described with the headers of each response`, () => {
    for (const [status, { headers }] of responsesOf(row)) {
      const named = Object.keys(headers);

      expect(named).toContain('X-Request-Id');
      if (status < '300') expect(named).toEqual(expect.arrayContaining([...limitHeaders]));
      if (status === '429') expect(named).toContain('Retry-After');
    }
  });

  test(`${row.name} is described with the scopes of which its key needs one`, () => {
    const { description } = row.operation as unknown as { description: string };

    expect(row.operation).toMatchObject({ security: [{ apiKey: [] }], 'x-scopes': row.scopes });
    for (const scope of row.scopes) expect(description).toContain(`\`${scope}\``);
  });
});

test('every header of the contract is described somewhere', () => {
  const named = withOperations.flatMap((row) =>
    responsesOf(row).flatMap(([, { headers }]) => Object.keys(headers)),
  );

  expect([...new Set(named)].sort()).toEqual(Object.keys(responseHeaders).sort());
});

describe('a response that the document does not describe fails its test', () => {
  const limits = {
    'RateLimit-Limit': '600',
    'RateLimit-Remaining': '599',
    'RateLimit-Reset': '3600',
  };
  const headers = { 'X-Request-Id': 'a', ...limits };
  const to = (path: string) => new URL(`http://host/api/v1/${path}`);
  const described = {
    method: 'GET',
    url: to('pipelines'),
    sent: undefined,
    status: 200,
    headers,
    body: { items: [{ id: 1, name: 'A', order: 1, isDefault: true }] },
  };
  const error = (code: ErrorCode, details?: object) => ({
    error: { code, message: 'No.', ...(details && { details }) },
  });
  const check =
    (changes: Partial<Omit<Exchange, 'headers'>> & { headers?: Record<string, string> }) => () => {
      const exchange = { ...described, ...changes };
      assertDescribed({ ...exchange, headers: new Headers(exchange.headers) });
    };
  const create = {
    method: 'POST',
    url: to('leads/7/notes'),
    status: 201,
    body: { note: { leadId: 7, text: 'a', createdAt: '2026-01-31T09:30:00Z' } },
  };

  const note = (createdAt: string) => ({ note: { ...create.body.note, createdAt } });
  const of404 = { status: 404, body: error('NOT_FOUND') };
  test.each<[problem: string, Parameters<typeof check>[0]]>([
    ['the status must be one of 200, 400, 401, 403, 429, 500', of404],
    ['must NOT have additional properties', { body: { items: [], stages: [] } }],
    [
      'must match format "date-time"',
      { ...create, sent: { text: 'a' }, body: note('2026-02-30T09:30:00Z') },
    ],
    ['the header X-Request-Id is missing', { headers: limits }],
    ['the header RateLimit-Limit is missing', { headers: { 'X-Request-Id': 'a' } }],
    ['the header RateLimit-Limit is not described', { status: 400, body: error('KEY_IN_URL') }],
    ['the header Location is not described', { headers: { ...headers, Location: '/x' } }],
    ['RateLimit-Remaining has -1', { headers: { ...headers, 'RateLimit-Remaining': '-1' } }],
    [
      'NOT_FOUND has no details',
      { url: to('leads/7'), status: 404, body: error('NOT_FOUND', { hint: 1 }) },
    ],
    [
      "the request's body/text must NOT have fewer than 1 characters",
      { ...create, sent: { text: '' } },
    ],
    [
      'the query parameter limit',
      { url: to('leads?limit=101'), body: { items: [], nextCursor: null } },
    ],
    ['an unknown address answers 404', { url: to('nothing') }],
  ])('it is refused with: %s', (problem, changes) => {
    expect(check(changes)).toThrow(problem);
  });
});

const rows = Object.entries(fieldValueRows) as [FieldType, (typeof fieldValueRows)[FieldType]][];

function read(type: FieldType, value: RawValue): unknown {
  const others = ['lead_type', 'assigned_to'];
  const field = demo.fields.find(({ key, type: own }) => own === type && !others.includes(key));
  return parsers[type](value as Exclude<RawValue, null>, field!, demo);
}

test.each(rows)('the described values of a %s field are read as described', (type, row) => {
  for (const value of row.accepted) expect(read(type, value)).not.toBeInstanceOf(FieldIssue);
  for (const [value, reason] of row.refused) expect(read(type, value)).toMatchObject({ reason });
});
