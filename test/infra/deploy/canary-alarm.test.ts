import { expect, test } from 'vitest';
import {
  canaryAlarm,
  lastRequests,
  preflightWith,
  stackName,
  useAccount,
} from './given-account.ts';

const replies = useAccount();

test('a canary is refused while the alarm rings that would stop it, with the two ways out', async () => {
  replies.DescribeAlarms = canaryAlarm('ALARM');

  expect((await preflightWith({ canary: true })).failedChecks).toEqual([
    {
      issue: `The alarm ${stackName}-ReleaseFailures rings: CodeDeploy would stop the canary, and the deployment would roll back.`,
      next: 'npm run deploy -- -c canary=false   (or npm run deploy -- --back, which returns to the version before)',
    },
  ]);
  expect(JSON.parse(lastRequests.get('DescribeAlarms')?.body ?? '')).toEqual({
    AlarmNames: [`${stackName}-ReleaseFailures`],
  });
});

test('a canary passes while its alarm does not ring, and any alarm without a canary', async () => {
  expect((await preflightWith({ canary: true })).failedChecks).toEqual([]);
  replies.DescribeAlarms = canaryAlarm('ALARM');
  expect((await preflightWith({ canary: false })).failedChecks).toEqual([]);
});
