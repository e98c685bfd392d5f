import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordRunningService } from '../../../infra/local/running-service.ts';
import { adminJson, runAdmin } from '../../support/admin.ts';
import { type StandInAws, startStandInAws } from '../../support/aws/stand-in-aws.ts';
import { startDynamodbProxy } from '../../support/faults/proxy.ts';
import { givenLead } from '../../support/leads.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { useOwnTable } from '../../support/own-table.ts';
import { service } from '../../support/service.ts';
import { useFolder } from '../given-folder.ts';

useOwnTable();
const files = useFolder();

let aws: StandInAws;
beforeAll(async () => {
  aws = await startStandInAws();
  aws.outputs.set('TableName', String(service().environment.LEADS_TABLE));
});
afterAll(() => aws.close());

const onStack = (stack: string, ...args: string[]) =>
  runAdmin([...args, '--stack', stack], {
    environment: {
      LEADS_TABLE: '',
      AWS_ENDPOINT_URL_CLOUDFORMATION: String(aws.environment.AWS_ENDPOINT_URL_CLOUDFORMATION),
    },
  });

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

test('an unreachable CloudFormation is reported as CloudFormation, not as DynamoDB', async () => {
  const { status, stderr } = await runAdmin(['organization', 'list', '--stack', 'leads'], {
    environment: { AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:1' },
  });

  expect(status).toBe(1);
  expect(stderr).toMatch(/^CloudFormation cannot be reached in region \S+ to find stack leads: /);
});

test('a missing stack and a stack without a service are refused in one sentence', async () => {
  const nothing = await onStack('nothing', 'organization', 'list');
  aws.outputs.delete('BaseUrl');
  const other = await onStack('leads', 'organization', 'list');

  expect([nothing.status, other.status]).toEqual([1, 1]);
  expect(nothing.stderr).toMatch(
    /^There is no stack nothing in region .+: check --stack, AWS_REGION and AWS_PROFILE\.\n$/,
  );
  expect(other.stderr).toMatch(/^Stack leads in region .+ has no outputs TableName and BaseUrl/);
});

test('help and wrong usage look up no stack', async () => {
  expect(await runAdmin(['key', 'list', '--help', '--stack', 'nothing'])).toMatchObject({
    status: 0,
  });
  expect(await runAdmin(['key', 'list', '--stack', 'nothing'])).toMatchObject({ status: 2 });
});

/** A data folder on which a service runs, or ran until it was killed. */
function givenFolder(name: string, baseUrl: string): string {
  const own = files.newFolder(name);
  recordRunningService(own, { baseUrl, environment: { ...service().environment } });
  return own;
}
const unnamed = { LEADS_TABLE: '' };

test('without LEADS_TABLE a command works on the table of the service that runs on the data folder', async () => {
  const { id } = await givenOrganization();
  const localFolder = givenFolder('running', service().baseUrl);

  const args = ['organization', 'show', String(id), '--json'];
  const { json } = await runAdmin(args, { environment: unnamed, localFolder });

  expect(json.id).toBe(id);
});

test('a killed service does not count as running', async () => {
  const localFolder = givenFolder('killed', 'http://127.0.0.1:1');

  const { status, stderr } = await runAdmin(['organization', 'list'], {
    environment: unnamed,
    localFolder,
  });

  expect(status).toBe(1);
  expect(stderr).toMatch(/^LEADS_TABLE is not set, and no local service runs on \.local/);
});

const minuteMs = 60_000;
const yearMs = 365 * 24 * 60 * minuteMs;

/** Runs a command on a lead through an endpoint whose clock is ahead of this machine's, or behind it. */
async function runAt(clockAheadMs: number, command: 'archive' | 'show') {
  const organization = await givenOrganization();
  const { id } = await givenLead(organization);
  const ofLead = ['--organization', String(organization.id), '--lead', String(id)];
  const proxy = await startDynamodbProxy(String(service().environment.AWS_ENDPOINT_URL_DYNAMODB));
  proxy.clockAheadMs = clockAheadMs;
  const { status, stderr } = await runAdmin(['lead', command, ...ofLead], {
    environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
  });
  await proxy.stop();
  const { archivedAt } = await adminJson('lead', 'show', ...ofLead);
  return {
    status,
    stderr,
    isArchived: archivedAt !== null,
    operations: proxy.calls.map(({ operation }) => operation),
  };
}

test.each([
  [-yearMs, '365 days ahead of'],
  [50_000, '1 minute behind'],
  [2 * minuteMs, '2 minutes behind'],
])(
  'a command changes nothing if DynamoDB is %d ms from this clock',
  async (aheadMs, difference) => {
    const { status, stderr, isArchived, operations } = await runAt(aheadMs, 'archive');

    expect({ status, isArchived }).toEqual({ status: 1, isArchived: false });
    expect(operations.filter((operation) => !/Get|Query/.test(operation))).toEqual([]);
    expect(stderr).toBe(
      `The clock of this machine is ${difference} DynamoDB's, so changes would get wrong times: set the clock, then run the command again.\n`,
    );
  },
);

test.each([-35_000, 35_000])(
  'a command runs if DynamoDB is %d ms from this clock',
  async (aheadMs) => {
    expect(await runAt(aheadMs, 'archive')).toMatchObject({ status: 0, isArchived: true });
  },
);

test('a command that only reads runs on any clock', async () => {
  expect(await runAt(-yearMs, 'show')).toMatchObject({ status: 0, stderr: '' });
});
