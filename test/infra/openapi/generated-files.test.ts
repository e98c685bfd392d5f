import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonSchema } from '../../../infra/openapi/event-schemas.ts';
import { endpoints, takesBody } from '../../../shared/contract/endpoints.ts';
import { apiErrors } from '../../../shared/contract/errors.ts';
import { document, type Json, operationOf } from '../../support/described.ts';
import { node24, runProgram } from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();

/** Every object of a part of the document, with its JSON path. */
function objectsIn(part: unknown, path = '$'): [string, Json][] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.entries(part).flatMap(([key, one]) => objectsIn(one, `${path}.${key}`));
  return Array.isArray(part) ? inner : [[path, part as Json], ...inner];
}

describe('what code generators need', () => {
  const schemas = document.components.schemas as Readonly<Record<string, Json>>;

  test('no reference has a sibling: generators drop either of them', () => {
    const mixed = objectsIn(document).filter(
      ([, one]) => typeof one.$ref === 'string' && Object.keys(one).length > 1,
    );
    expect(mixed.map(([path]) => path)).toEqual([]);
  });

  const bodyNames = endpoints.filter(takesBody).map((endpoint) => {
    const schema = operationOf(endpoint).requestBody?.content?.['application/json'].schema;
    return String(schema?.$ref).split('/').at(-1) ?? '';
  });

  test('every request body and every page has a name, and every error code a schema of its own', () => {
    expect(new Set(bodyNames).size).toBe(bodyNames.length);
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(bodyNames));
    expect(schemas).toHaveProperty('LeadPage');
    const named = Object.values(schemas).flatMap(({ properties }) => {
      const { error } = (properties ?? {}) as { error?: { properties: { code: Json } } };
      return error ? [error.properties.code.const] : [];
    });
    expect(named).toEqual(Object.keys(apiErrors));
    expect(schemas.ValidationFailedError).toMatchObject({
      properties: {
        error: {
          properties: {
            details: { $ref: 'openapi.json#/components/schemas/ValidationFailedDetails' },
          },
          required: ['code', 'message', 'details'],
        },
      },
    });
  });

  test('no type is a list, and every ID is an int32', () => {
    const parts = objectsIn(document);
    const isId = ({ type, maximum }: Json) => type === 'integer' && maximum === 2_147_483_647;

    expect(parts.filter(([, { type }]) => Array.isArray(type)).map(([path]) => path)).toEqual([]);
    const ids = parts.filter(([, part]) => isId(part));
    expect(ids.length).toBeGreaterThan(20);
    expect(ids.filter(([, { format }]) => format !== 'int32').map(([path]) => path)).toEqual([]);
  });

  test('every property of a body has an example, and the server address has its own variable', () => {
    const properties = bodyNames.flatMap((name) =>
      Object.entries(schemas[name]?.properties as object),
    );

    expect(properties.filter(([, one]) => one.examples?.length !== 1).map(([key]) => key)).toEqual(
      [],
    );
    expect(document.servers[0]?.variables).toEqual({ address: { default: expect.any(String) } });
    expect(schemas.CreateLeadRequest).toMatchObject({
      properties: { fields: { required: ['name', 'phone'] } },
    });
  });

  test('no schema has the name of a global of JavaScript, such as Error', () =>
    expect(Object.keys(schemas).filter((name) => name in globalThis)).toEqual([]));

  test('filter is a string that contains JSON, so that a generator sends it as it is', () => {
    const { parameters = [] } = operationOf({ method: 'GET', path: '/api/v1/leads' });
    expect(parameters.find(({ name }) => name === 'filter')?.schema).toMatchObject({
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema: {
        type: 'array',
        items: { $ref: 'openapi.json#/components/schemas/LeadFilter' },
      },
    });
  });
});

test('npm run events writes the schema of every event into a folder that it creates', async () => {
  const out = files.path('new', 'schemas');

  const { stdout } = await runProgram(node24, ['infra/openapi/event-schemas.ts', '--out', out]);

  expect(stdout).toBe(`Wrote 8 schemas to ${out}.\n`);
  expect(await readdir(out)).toHaveLength(8);
  const written = await readFile(join(out, 'LeadCaptured.json'), 'utf8');
  expect(JSON.parse(written)).toEqual(jsonSchema('LeadCaptured'));
});
