import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorsOf } from '../infra/openapi/endpoint-errors.ts';
import { endpoints } from '../shared/endpoints.ts';
import { apiErrors } from '../shared/errors.ts';
import { document } from './support/described.ts';
import { projectFolder } from './support/service-process.ts';

/** The contract's lists, written down a second time: what the tables of the service are held to. */

/** Sections 4 and 5: endpoint, scopes of which one is enough, and the codes it answers beyond those of every endpoint. */
const contract: readonly (readonly [
  name: string,
  route: string,
  scopes: string,
  errors: string,
])[] = [
  ['list-leads', 'GET /api/v1/leads', 'leads.read', '400 INVALID_QUERY'],
  [
    'create-lead',
    'POST /api/v1/leads',
    'leads.write',
    '409 DUPLICATE_LEAD, 422 VALIDATION_FAILED, bodies',
  ],
  [
    'capture-lead',
    'POST /api/v1/leads/capture',
    'leads.capture leads.write',
    '400 INVALID_IDEMPOTENCY_KEY, 409 IDEMPOTENCY_IN_PROGRESS, 422 VALIDATION_FAILED, 503 NOT_READY, bodies',
  ],
  ['get-lead', 'GET /api/v1/leads/{leadId}', 'leads.read', '404 NOT_FOUND'],
  [
    'update-lead',
    'PATCH /api/v1/leads/{leadId}',
    'leads.write',
    '404 NOT_FOUND, 409 DUPLICATE_LEAD, 422 VALIDATION_FAILED, bodies',
  ],
  [
    'add-note',
    'POST /api/v1/leads/{leadId}/notes',
    'leads.write',
    '404 NOT_FOUND, 422 VALIDATION_FAILED, bodies',
  ],
  ['list-lead-fields', 'GET /api/v1/lead-fields', 'leads.read leads.capture', ''],
  ['list-lead-stages', 'GET /api/v1/lead-stages', 'leads.read', ''],
  ['list-pipelines', 'GET /api/v1/pipelines', 'leads.read', ''],
  ['list-lead-sources', 'GET /api/v1/lead-sources', 'leads.read', ''],
  ['list-users', 'GET /api/v1/users', 'leads.read', ''],
];

/** Section 7: the transport errors of endpoints that take a body. */
const ofBodies = '400 INVALID_JSON, 413 PAYLOAD_TOO_LARGE, 415 UNSUPPORTED_MEDIA_TYPE';
/** Sections 4 and 7: the errors of every endpoint. */
const common =
  '400 KEY_IN_URL, 401 UNAUTHORIZED, 403 FORBIDDEN, 403 HTTPS_REQUIRED, 429 RATE_LIMITED, 500 INTERNAL';

const listed = (codes: string): string[] => codes.split(', ').filter(Boolean).sort();
const withStatus = (code: keyof typeof apiErrors): string => `${apiErrors[code].status} ${code}`;

describe('the endpoints of the contract', () => {
  test('are the rows of the endpoint table, with their scopes', () => {
    const rows = endpoints.map(({ name, method, path, scopes }) => [
      name,
      `${method} ${path}`,
      scopes.join(' '),
    ]);

    expect(rows).toEqual(contract.map(([name, route, scopes]) => [name, route, scopes]));
  });

  test('have one file each in functions/, and the only other file there publishes events', () => {
    expect(readdirSync(join(projectFolder, 'functions')).sort()).toEqual(
      [...contract.map(([name]) => name), 'publish-events'].map((name) => `${name}.ts`).sort(),
    );
  });

  test('are the operations of openapi.json', () => {
    const operations = Object.entries(document.paths).flatMap(([path, ofPath]) =>
      Object.entries(ofPath).map(
        ([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`,
      ),
    );

    expect(operations.sort()).toEqual(contract.map(([name, route]) => `${name}: ${route}`).sort());
  });
});

describe('the errors of the contract', () => {
  test('are the rows of the error table, with their statuses', () => {
    const all = new Set(
      [common, ofBodies, ...contract.map(([, , , errors]) => errors)].flatMap(listed),
    );
    all.delete('bodies');

    expect((Object.keys(apiErrors) as (keyof typeof apiErrors)[]).map(withStatus).sort()).toEqual(
      [...all].sort(),
    );
  });

  test.each(contract)(
    'of %s are the errors that its description and the tests name',
    (name, _route, _scopes, errors) => {
      const expected = listed(
        [common, errors.replace('bodies', ofBodies)].filter(Boolean).join(', '),
      );

      const row = endpoints.find((endpoint) => endpoint.name === name)!;
      expect(errorsOf(row.name).map(withStatus).sort()).toEqual(expected);
      expect(row.takesBody).toBe(errors.includes('bodies'));
    },
  );
});
