import { CreateTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorBody } from '../../../shared/errors.ts';
import { removeOrganization } from '../../../shared/store/maintenance/remove-organization.ts';
import { listApiKeys } from '../../../shared/store/organizations/api-keys.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { startDynamodbProxy } from '../../support/faults/proxy.ts';
import { freePort } from '../../support/free-port.ts';
import { deployedTimeout, type OwnService, startOwnService } from '../../support/own-service.ts';
import { service } from '../../support/service.ts';
import { environmentOf, givenTable, table, tableOf } from '../../support/table.ts';
import { failedLines, type Replacement, startAlteredGateway, verify } from './verify-run.ts';

/** Real faults of a deployment, planted one at a time: verify must name each. */

test('functions whose table does not exist: every endpoint fails, and the line names LEADS_TABLE', async () => {
  const faulty = await startOwnService(environmentOf('no-such-table'));

  const reply = await verify(['--url', faulty.baseUrl]);

  await faulty.stop();
  const failed = failedLines(reply);
  expect(reply.status).toBe(1);
  const ofEndpoints = failed.filter((line) => line.includes(' with an unknown key'));
  expect(ofEndpoints).toHaveLength(11);
  for (const line of ofEndpoints)
    expect(line).toMatch(
      /500 INTERNAL.*If every function fails: LEADS_TABLE names no table of the region/,
    );
});

test('a database that is silent is named after the first requests, and no other check waits for it', async () => {
  const faulty = await startOwnService({ ...service().environment, ...deployedTimeout });
  faulty.proxy.rule = () => ({ kind: 'silence', applied: false });

  const reply = await verify(['--url', faulty.baseUrl]);

  await faulty.stop();
  expect(reply.status).toBe(1);
  expect(reply.lines).toEqual([
    expect.stringMatching(/^✓ GET /),
    ...['list-leads', 'get-lead'].map(() =>
      expect.stringMatching(
        /^✗ \w+ \S+ with an unknown key: 500 INTERNAL.*\. Next: DynamoDB does not answer: each request took \d+ s\. /,
      ),
    ),
    '1 passed, 2 failed',
  ]);
});

describe('functions that may not write in transactions', () => {
  let faulty: OwnService;
  beforeAll(async () => {
    faulty = await startOwnService({ ...service().environment, ...deployedTimeout });
    faulty.proxy.rule = ({ operation }) =>
      operation === 'TransactWriteItems'
        ? { kind: 'error', name: 'AccessDeniedException' }
        : undefined;
  });
  afterAll(() => faulty.stop());

  test('verify names the missing actions of functions that may not write in transactions', async () => {
    const reply = await verify(['--url', faulty.baseUrl, '--write'], service().environment);

    expect(reply.status).toBe(1);
    const failed = failedLines(reply);
    expect(failed).toContainEqual(
      expect.stringMatching(
        /^✗ Contract tests 4\.2-create: create-lead answered 500: .*, X-Request-Id .*Next: Find the X-Request-Id/,
      ),
    );
    expect(reply.lines).toContainEqual(
      expect.stringMatching(/^✓ The new key is known to the service: 200/),
    );
    expect(failed).toContainEqual(
      expect.stringMatching(
        /a capture without a match .*: 500 INTERNAL, X-Request-Id .*expected .* 201.*Next: .* the log of the function of POST \/api\/v1\/leads\/capture\. AccessDeniedException: .*PutItem on LEADS#, PHONE#, EMAIL#, TIMELINE#/,
      ),
    );
  });

  test('a temporary organization that cannot be removed is named, with what becomes of it', async () => {
    const proxy = await startDynamodbProxy(service().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
    proxy.rule = ({ operation }) =>
      operation === 'BatchWriteItem' ? { kind: 'error', name: 'AccessDeniedException' } : undefined;
    const variables = { ...service().environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };

    const reply = await verify(['--url', service().baseUrl, '--write', '--json'], variables);

    await proxy.stop();
    const { temporaryOrganization } = JSON.parse(reply.lines[0] ?? '');
    const { id } = temporaryOrganization;
    expect(temporaryOrganization).toEqual({ id: expect.any(Number), removed: false });
    expect(reply.status).toBe(1);
    expect(reply.stderr).toMatch(
      new RegExp(
        `^The temporary organization ${id} could not be removed \\(AccessDeniedException: `,
        'm',
      ),
    );
    expect(reply.stderr).toContain('Its keys expire within an hour.');
    const keys = await listApiKeys(table(), id);
    expect(keys.length).toBeGreaterThan(3);
    expect(keys).toEqual(
      Array.from({ length: keys.length }, () =>
        expect.objectContaining({ revokedAt: expect.any(String) }),
      ),
    );
    await removeOrganization(table(), id);
  });
});

test('functions that use another table than the command: the new key is unknown, and the line says why', async () => {
  const other = await givenTable();

  const reply = await verify(
    ['--url', service().baseUrl, '--write'],
    environmentOf(other.name), // of the command
  );

  other.client.destroy();
  expect(failedLines(reply)).toEqual([
    expect.stringMatching(
      /^✗ The new key is known to the service: 401 UNAUTHORIZED.*Its functions use another table or region/,
    ),
  ]);
});

test('a table without an index is named before anything is written', async () => {
  const incomplete = await givenTableWithout('leadsBySource');

  const reply = await verify(
    ['--url', service().baseUrl, '--write'],
    environmentOf(incomplete.name),
  );

  incomplete.client.destroy();
  expect(failedLines(reply)).toEqual([
    expect.stringContaining('the index leadsBySource is missing: lists by it fail. Next: '),
  ]);
  expect(reply.lines.join()).not.toContain('temporary organization');
});

describe('a gateway in front of the functions', () => {
  const verifyBehind = async (replacement: Replacement) => {
    const { baseUrl, server } = await startAlteredGateway(service().baseUrl, replacement);
    const reply = await verify(['--url', baseUrl]);
    server.closeAllConnections();
    server.close();
    return reply;
  };

  test('a gateway without the error bodies of the contract is named', async () => {
    const reply = await verifyBehind((_, status) =>
      status === 404
        ? { status: 403, body: '{"message":"Missing Authentication Token"}' }
        : undefined,
    );

    const failed = failedLines(reply);
    expect(failed).toHaveLength(4);
    for (const line of failed)
      expect(line).toMatch(
        /unknown address: 403.*without the contract's error body: \{"message":"Missing Authentication Token"\}; expected 404 NOT_FOUND\. Next: .*infra\/gateway\/responses\.ts/,
      );
  });

  test('a function that answers 500 to an unknown key is named', async () => {
    const reply = await verifyBehind(({ url }, status) =>
      url === '/api/v1/pipelines' && status === 401
        ? { status: 500, body: JSON.stringify(errorBody('INTERNAL')) }
        : undefined,
    );

    expect(failedLines(reply)).toEqual([
      expect.stringMatching(
        /^✗ GET \/api\/v1\/pipelines with an unknown key: 500 INTERNAL, X-Request-Id altered; expected 401 UNAUTHORIZED\. Next: .*If only this one fails, its role or its code is wrong\. .*GET \/api\/v1\/pipelines\./,
      ),
    ]);
  });
});

test('a table that cannot be reached is named, and nothing is written', async () => {
  const variables = { ...service().environment, AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' };

  const reply = await verify(['--url', service().baseUrl, '--write'], variables);

  expect(failedLines(reply)).toEqual([
    expect.stringMatching(/^✗ Table leads: .*ECONNREFUSED.*Next: .*AWS_ENDPOINT_URL_DYNAMODB/),
  ]);
  expect(reply.status).toBe(1);
});

test('an address where nothing answers fails one check, and no more are tried', async () => {
  const reply = await verify(['--url', `http://127.0.0.1:${await freePort()}`]);

  expect(reply.status).toBe(1);
  expect(reply.lines).toEqual([
    expect.stringMatching(/^✗ GET .*no reply \(Error ECONNREFUSED: .*Next: Check the base URL/),
    '0 passed, 1 failed',
  ]);
});

async function givenTableWithout(indexName: string): Promise<Table> {
  const complete = await givenTable();
  const { Table: description = {} } = await table().client.send(
    new DescribeTableCommand({ TableName: complete.name }),
  );
  const { AttributeDefinitions = [], GlobalSecondaryIndexes = [], KeySchema } = description;
  complete.client.destroy();
  const indexes = GlobalSecondaryIndexes.filter(({ IndexName }) => IndexName !== indexName);
  const keyed = new Set(
    [...(KeySchema ?? []), ...indexes.flatMap((one) => one.KeySchema ?? [])].map(
      ({ AttributeName }) => AttributeName,
    ),
  );
  const name = `${complete.name}-incomplete`;
  await table().client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema,
      AttributeDefinitions: AttributeDefinitions.filter((one) => keyed.has(one.AttributeName)),
      GlobalSecondaryIndexes: indexes.map(({ IndexName, KeySchema, Projection }) => ({
        IndexName,
        KeySchema,
        Projection,
      })),
    }),
  );
  return tableOf(environmentOf(name));
}
