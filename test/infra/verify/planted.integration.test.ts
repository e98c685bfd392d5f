import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../infra/cli/listen.ts';
import { Checks } from '../../../infra/verify/check.ts';
import { readOnlyChecks } from '../../../infra/verify/read-only-checks.ts';
import { writeChecks } from '../../../infra/verify/write-checks.ts';
import { removeOrganization } from '../../../shared/store/erasure/remove-organization.ts';
import { listApiKeys } from '../../../shared/store/organizations/api-keys.ts';
import { startDynamodbProxy } from '../../support/faults/proxy.ts';
import { accessDenied } from '../../support/faults/rules.ts';
import { type OwnService, startOwnService } from '../../support/own-service.ts';
import { service } from '../../support/service.ts';
import { freePort } from '../../support/service-process.ts';
import { environmentOf, givenTable, table } from '../../support/table.ts';
import { linesOf, verify, workersPerFunction } from './verify-run.ts';

/** Real faults of a deployment, planted one at a time: verify must name each. */

/** The lines of checks that run in this process. */
async function linesOfChecks(run: (checks: Checks) => Promise<unknown>): Promise<string[]> {
  const checks = new Checks(() => undefined, new AbortController().signal);
  await run(checks);
  return linesOf(checks.results);
}
const readOnly = (baseUrl: string): Promise<string[]> =>
  linesOfChecks((checks) => readOnlyChecks(checks, baseUrl));

async function givenService(environment = service().environment): Promise<OwnService> {
  const own = await startOwnService(environment, workersPerFunction);
  onTestFinished(() => own.stop());
  return own;
}

test('if the functions’ table does not exist, every endpoint fails and the first line names LEADS_TABLE', async () => {
  const { baseUrl } = await givenService(environmentOf('no-such-table'));

  const ofEndpoints = (await readOnly(baseUrl)).filter((line) =>
    / with an unknown key: /.test(line),
  );

  expect(ofEndpoints).toHaveLength(11);
  const [first, ...others] = ofEndpoints;
  expect(first).toMatch(/^✗ .*500 INTERNAL.*LEADS_TABLE names no table of the region/);
  for (const line of others)
    expect(line).toMatch(
      /^✗ .*500 INTERNAL.*Next: as for GET \/api\/v1\/leads with an unknown key$/,
    );
});

test('a silent database is named after one request, and no other check waits for it', async () => {
  const { baseUrl, proxy } = await givenService();
  proxy.rule = () => ({ kind: 'silence', applied: false });

  expect(await readOnly(baseUrl)).toEqual([
    expect.stringMatching(/^✓ GET /),
    expect.stringMatching(
      /^✗ DynamoDB answers: 500 INTERNAL.*, after \d+ s\. Next: DynamoDB does not answer\. /,
    ),
  ]);
});

test('roles that may not write in transactions, and credentials that may not remove, are named', async () => {
  const { baseUrl, proxy } = await givenService();
  proxy.rule = ({ operation }) => (operation === 'TransactWriteItems' ? accessDenied : undefined);
  const ofCommand = await startDynamodbProxy(service().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  onTestFinished(() => ofCommand.stop());
  ofCommand.rule = ({ operation }) => (operation === 'BatchWriteItem' ? accessDenied : undefined);

  const { status, lines, stderr } = await verify(['--url', baseUrl, '--write', '--json'], {
    ...service().environment,
    AWS_ENDPOINT_URL_DYNAMODB: ofCommand.endpoint,
  });

  expect([status, lines.length]).toEqual([1, 1]);
  const document = JSON.parse(lines[0] ?? '');
  const { checks, temporaryOrganization } = document;
  const failed = checks.filter(({ passed }: { passed: boolean }) => !passed).length;
  expect(document).toEqual({
    url: baseUrl,
    passed: checks.length - failed,
    failed,
    checks,
    temporaryOrganization,
  });
  const results = linesOf(checks);
  expect(results).toContainEqual(
    expect.stringMatching(/^✓ The new key is known to the service: 200/),
  );
  expect(results).toContainEqual(
    expect.stringMatching(
      /^✗ Contract tests 4\.2-create: create-lead answered 500: .*, X-Request-Id .*Next: Find the X-Request-Id/,
    ),
  );
  expect(results).toContainEqual(
    expect.stringMatching(
      /^✗ .*a capture without a match .*: 500 INTERNAL, X-Request-Id .*expected .* 201.*Next: (Find the error by .* AccessDeniedException: the role lacks an action|as for )/,
    ),
  );
  const { id } = temporaryOrganization;
  expect(temporaryOrganization).toEqual({ id: expect.any(Number), removed: false });
  expect(stderr).toMatch(
    new RegExp(
      `^The temporary organization ${id} could not be removed \\(AccessDeniedException: .*Its keys expire within an hour\\.`,
      'm',
    ),
  );
  const keys = await listApiKeys(table(), id);
  expect(keys.length).toBeGreaterThan(3);
  for (const { revokedAt } of keys) expect(revokedAt).toEqual(expect.any(String));
  await removeOrganization(table(), id);
});

test('if functions use another table than the command, the new key is unknown and the line says why', async () => {
  const ofCommand = await givenTable();
  onTestFinished(() => ofCommand.client.destroy());

  const lines = await linesOfChecks((checks) => writeChecks(checks, service().baseUrl, ofCommand));

  expect(lines).toEqual([
    expect.stringMatching(/^✓ Create a temporary organization: organization \d+ in table /),
    expect.stringMatching(
      /^✗ The new key is known to the service: 401 UNAUTHORIZED.*Its functions use another table or region/,
    ),
  ]);
});

test('another website fails one check, and gets no key of a temporary organization', async () => {
  const received: (string | undefined)[] = [];
  const website = createServer((incoming, outgoing) => {
    received.push(incoming.headers.authorization);
    outgoing.end('<!doctype html><title>Shop</title>');
  });
  const baseUrl = `http://127.0.0.1:${await listen(website, 0)}`;
  onTestFinished(() => {
    website.close();
  });

  const { lines } = await verify(['--url', baseUrl, '--write'], service().environment);

  expect(lines).toEqual([
    expect.stringMatching(/^✗ GET .*: 200, not this service\. Next: Check the base URL\./),
    expect.stringMatching(/^✓ Table leads: /),
    '1 passed, 1 failed',
  ]);
  expect(received).toEqual([undefined]);
});

test('an address where nothing answers, and a table that cannot be reached, fail one check each', async () => {
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const variables = { ...service().environment, AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' };

  const reply = await verify(['--url', baseUrl, '--write'], variables);

  expect(reply.lines).toEqual([
    expect.stringMatching(/^✗ GET .*no reply \(Error ECONNREFUSED: .*Next: Check the base URL/),
    expect.stringMatching(/^✗ Table leads: .*ECONNREFUSED.*Next: .*AWS_ENDPOINT_URL_DYNAMODB/),
    '0 passed, 2 failed',
  ]);
  expect(reply.status).toBe(1);
});
