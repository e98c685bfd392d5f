import { expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../support/admin.ts';
import { startDynamodbProxy } from '../../support/faults/proxy.ts';
import { givenLead } from '../../support/leads.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { service } from '../../support/service.ts';

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

test.each([-50_000, 0, 50_000])(
  'a command runs if DynamoDB is %d ms from this clock',
  async (aheadMs) => {
    expect(await runAt(aheadMs, 'archive')).toMatchObject({ status: 0, isArchived: true });
  },
);

test('a command that only reads runs on any clock', async () => {
  expect(await runAt(-yearMs, 'show')).toMatchObject({ status: 0, stderr: '' });
});
