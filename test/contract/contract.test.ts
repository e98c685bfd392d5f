import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorsOf } from '../../infra/openapi/endpoint-descriptions.ts';
import { endpoints, takesBody } from '../../shared/contract/endpoints.ts';
import { apiErrors, type ErrorCode } from '../../shared/contract/errors.ts';
import { operators, type Takes } from '../../shared/leads/field-types.ts';
import { projectFolder } from '../support/service-process.ts';

/** The tables of the service are held to the text of CONTRACT.md. */

const contract = readFileSync(join(projectFolder, 'shared', 'CONTRACT.md'), 'utf8');
const section = (title: string): string =>
  contract.split(/^## /m).find((text) => text.startsWith(title)) ?? '';

const scopesIn = (text: string) => [...text.matchAll(/`(leads\.\w+)`/g)].map(([, scope]) => scope);
const errorsIn = (text: string): string[] =>
  [...text.matchAll(/\b(\d{3}) `([A-Z_]+)`/g)].map(([, status, code]) => `${status} ${code}`);

interface ContractRow {
  readonly route: string;
  readonly scopes: readonly (string | undefined)[];
  /** The errors that are named with the endpoint. */
  readonly errors: readonly string[];
  readonly takesBody: boolean;
}

/** Section 4: a heading for each endpoint, and a table of the reference lists. */
const rows: ContractRow[] = section('4. Endpoints')
  .split(/^### /m)
  .flatMap((text) => {
    const lists = [...text.matchAll(/^\| `(\/api\S+)` \| (.+?) \|/gm)].map(
      ([, path = '', scopes = '']) => ({ route: `GET ${path}`, scopes, text: '' }),
    );
    const [, route, scopes = ''] = /^`([A-Z]+ \S+)`\. Scope (.+?`)\./m.exec(text) ?? [];
    return route === undefined ? lists : [{ route, scopes, text }];
  })
  .map(({ route, scopes, text }) => ({
    route,
    scopes: scopesIn(scopes),
    errors: errorsIn(text),
    takesBody: text.includes('\nRequest body'),
  }));

/** Section 7: every error, as `401 UNAUTHORIZED`. */
const listed = [...section('7. Errors').matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \|/gm)].map(
  ([, status, code]) => `${status} ${code}`,
);
/** Those of the endpoints that take a body: `413, 415, 400 \`INVALID_JSON\`` and what validation refuses. */
const [, transport = ''] = /errors for bodies \((.+)\)/.exec(section('7. Errors')) ?? [];
const ofBodies = [...transport.replaceAll('`', '').split(', '), '422 VALIDATION_FAILED'].flatMap(
  (beginning) => listed.filter((error) => error.startsWith(beginning)),
);
/** Those of every endpoint: no endpoint names them. */
const ofEvery = listed.filter(
  (error) => !ofBodies.includes(error) && !rows.some(({ errors }) => errors.includes(error)),
);
const withStatus = (code: ErrorCode): string => `${apiErrors[code].status} ${code}`;

describe('the endpoints of the contract', () => {
  test('are the rows of the endpoint table, with their scopes', () => {
    expect(rows.map(({ route, scopes }) => ({ route, scopes }))).toEqual(
      endpoints.map(({ method, path, scopes }) => ({ route: `${method} ${path}`, scopes })),
    );
  });

  test('have one folder each in functions/, beside those of the publisher and the heartbeat', () => {
    expect(readdirSync(join(projectFolder, 'functions')).sort()).toEqual(
      [...endpoints.map(({ name }) => name), 'publish-events', 'heartbeat'].sort(),
    );
  });
});

describe('the errors of the contract', () => {
  test('are the rows of the error table, with their statuses', () => {
    expect([...listed].sort()).toEqual(
      (Object.keys(apiErrors) as ErrorCode[]).map(withStatus).sort(),
    );
  });

  test.each(endpoints)('of $name are the errors that its description names', (endpoint) => {
    const route = `${endpoint.method} ${endpoint.path}`;
    const row = rows.find((one) => one.route === route)!;
    const general = row.takesBody ? [...ofEvery, ...ofBodies] : ofEvery;

    expect(errorsOf(endpoint.name).map(withStatus).sort()).toEqual(
      [...new Set([...general, ...row.errors])].sort(),
    );
    expect(takesBody(endpoint)).toBe(row.takesBody);
  });
});

test('the operators of filters are those of the contract for each field type, with their operands', () => {
  const takes: Readonly<Record<string, Takes>> = {
    '`value`': 'value',
    '`values` with two items': 'two values',
    '`values` with one or more items': 'values',
    nothing: 'nothing',
  };
  const rows = [...contract.matchAll(/^\| ([a-z_, ]+) \| (`[^|]+`) \| (.+) \|$/gm)]
    .filter(([, , , operands = '']) => operands in takes)
    .flatMap(([, types = '', names = '', operands = '']) =>
      types
        .split(', ')
        .flatMap((type) =>
          [...names.matchAll(/\w+/g)].map(([name]) => `${type} ${name}: ${takes[operands]}`),
        ),
    );

  expect(rows).toHaveLength(46);
  expect(rows.sort()).toEqual(
    Object.entries(operators)
      .flatMap(([type, own]) =>
        Object.entries(own).map(([name, operator]) => `${type} ${name}: ${operator.takes}`),
      )
      .sort(),
  );
});
