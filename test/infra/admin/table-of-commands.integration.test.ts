import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordRunningService } from '../../../infra/local/running-service.ts';
import { usagePrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { runAdmin } from '../../support/admin.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { useOwnTable } from '../../support/own-table.ts';
import { service } from '../../support/service.ts';
import { table } from '../../support/table.ts';

useOwnTable();

/** Answers DescribeStacks as CloudFormation does (its query protocol). */
let cloudFormation: Server;
beforeAll(async () => {
  cloudFormation = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const stack = new URLSearchParams(body).get('StackName');
    if (stack === 'leads' || stack === 'other') {
      const name = stack === 'leads' ? 'TableName' : 'Bucket';
      const outputs = {
        [name]: service().environment.LEADS_TABLE,
        BaseUrl: service().baseUrl,
        RequestsPerOrganizationPerHour: '2000',
      };
      const output = Object.entries(outputs)
        .map(
          ([key, value]) =>
            `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
        )
        .join('');
      response.end(
        `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>${stack}</StackName><Outputs>${output}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
      );
      return;
    }
    response.statusCode = 400;
    response.end(
      `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${stack} does not exist</Message></Error></ErrorResponse>`,
    );
  }).listen(0, '127.0.0.1');
  await once(cloudFormation, 'listening');
});
afterAll(() => cloudFormation.close());

function onStack(stack: string, ...args: string[]) {
  const { port } = cloudFormation.address() as AddressInfo;
  const environment = {
    LEADS_TABLE: '',
    AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${port}`,
  };
  return runAdmin([...args, '--stack', stack], { environment });
}

test('with --stack, a command uses the table of that stack and needs no LEADS_TABLE', async () => {
  const { id, settings } = await givenOrganization();

  const answer = await onStack('leads', 'organization', 'show', String(id), '--json');

  expect(answer.status).toBe(0);
  expect(JSON.parse(answer.stdout).name).toBe(settings.name);
  const { AWS_ENDPOINT_URL_DYNAMODB, LEADS_TABLE } = service().environment;
  expect(answer.stderr).toBe(
    `Warning: AWS_ENDPOINT_URL_DYNAMODB is set, so table ${LEADS_TABLE} of stack leads is looked for at ${AWS_ENDPOINT_URL_DYNAMODB}, not in AWS.\n`,
  );
});

test('with --stack, check compares usage with the limits that the stack states', async () => {
  const { id } = await givenOrganization();
  const { client, name } = table();
  const update = (used: number) =>
    client.send(
      new UpdateCommand({
        TableName: name,
        Key: { ...usagePrimaryKey(id) },
        UpdateExpression: 'SET used = :used, windowEndsAt = :end',
        ExpressionAttributeValues: { ':used': used, ':end': Date.now() + 600_000 },
      }),
    );

  await update(2000);
  expect(await onStack('leads', 'check', '--organization', String(id))).toMatchObject({
    status: 0,
  });
  await update(2001);
  const over = await onStack('leads', 'check', '--organization', String(id));

  expect(over.status).toBe(1);
  expect(over.stdout).toContain(
    `Organization ${id} has used 2001 requests of its window, more than the limit in force, 2000: if the limit was lowered`,
  );
});

test('an unreachable CloudFormation is reported as CloudFormation, not as DynamoDB', async () => {
  const nobody = { AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:1' };

  const answer = await runAdmin(['organization', 'list', '--stack', 'leads'], {
    environment: nobody,
  });

  expect(answer).toMatchObject({ status: 1, stdout: '' });
  expect(answer.stderr).toMatch(
    /^CloudFormation cannot be reached in region \S+ to find stack leads: /,
  );
});

test.each([
  [
    'nothing',
    /^There is no stack nothing in region .+: check --stack, AWS_REGION and AWS_PROFILE\.$/,
  ],
  ['other', /^Stack other in region .+ has no outputs TableName and BaseUrl/],
])('the stack %s is refused in one sentence', async (stack, message) => {
  const { status, stdout, stderr } = await onStack(stack, 'organization', 'list');

  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr.trim()).toMatch(message);
});

test('help and wrong usage look up no stack', async () => {
  expect(await runAdmin(['key', 'list', '--help', '--stack', 'nothing'])).toMatchObject({
    status: 0,
  });
  expect(await runAdmin(['key', 'list', '--stack', 'nothing'])).toMatchObject({ status: 2 });
});

const folder = mkdtempSync(join(tmpdir(), 'admin-local-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A data folder on which a service runs, or ran until it was killed. */
function givenFolder(name: string, baseUrl: string): string {
  const own = join(folder, name);
  mkdirSync(own);
  recordRunningService(own, { baseUrl, environment: { ...service().environment } });
  return own;
}
const unnamed = { LEADS_TABLE: '' };

test('without LEADS_TABLE a command works on the table of the service that runs on the data folder', async () => {
  const { id } = await givenOrganization();
  const localFolder = givenFolder('running', service().baseUrl);

  const { status, json } = await runAdmin(['organization', 'show', String(id), '--json'], {
    environment: unnamed,
    localFolder,
  });

  expect([status, json.id]).toEqual([0, id]);
});

test('a service that was killed is not taken for one that runs', async () => {
  const localFolder = givenFolder('killed', 'http://127.0.0.1:1');

  const { status, stderr } = await runAdmin(['organization', 'list'], {
    environment: unnamed,
    localFolder,
  });

  expect(status).toBe(1);
  expect(stderr).toMatch(/^LEADS_TABLE is not set, and no local service runs on \.local/);
});
