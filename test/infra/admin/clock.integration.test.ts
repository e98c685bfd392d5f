import { expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../support/admin.ts';
import { startDynamodbProxy } from '../../support/faults/proxy.ts';
import { givenLead } from '../../support/leads.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { service } from '../../support/service.ts';

const minuteMs = 60_000;
const yearMs = 365 * 24 * 60 * minuteMs;

/** Archives a lead through an endpoint whose clock is ahead of this machine's, or behind it. */
async function archiveAt(clockAheadMs: number) {
  const organization = await givenOrganization();
  const { id } = await givenLead(organization);
  const ofLead = ['--organization', String(organization.id), '--lead', String(id)];
  const proxy = await startDynamodbProxy(String(service().environment.AWS_ENDPOINT_URL_DYNAMODB));
  proxy.clockAheadMs = clockAheadMs;
  const { status, stderr } = await runAdmin(['lead', 'archive', ...ofLead], {
    environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
  });
  await proxy.stop();
  const { archivedAt } = await adminJson('lead', 'show', ...ofLead);
  return { status, stderr, isArchived: archivedAt !== null, calls: proxy.calls.length };
}

test.each([
  [-yearMs, '365 days ahead of'],
  [-2 * minuteMs, '2 minutes ahead of'],
  [2 * minuteMs, '2 minutes behind'],
])(
  'a command changes nothing if DynamoDB is %d ms from this clock',
  async (aheadMs, difference) => {
    const { status, stderr, isArchived, calls } = await archiveAt(aheadMs);

    expect({ status, isArchived, calls }).toEqual({ status: 1, isArchived: false, calls: 1 });
    expect(stderr).toBe(
      `The clock of this machine is ${difference} DynamoDB's, and dates what a command changes: set the clock, then run the command again.\n`,
    );
  },
);

test.each([-50_000, 0, 50_000])(
  'a command runs if DynamoDB is %d ms from this clock',
  async (aheadMs) => {
    expect(await archiveAt(aheadMs)).toMatchObject({ status: 0, isArchived: true });
  },
);
