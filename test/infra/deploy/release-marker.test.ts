import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { afterEach, expect, test, vi } from 'vitest';
import { markRelease } from '../../../infra/deploy/release-marker.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('a release is marked by the metric that the dashboard draws', async () => {
  const send = vi.spyOn(CloudWatchClient.prototype, 'send').mockImplementation(() => {});

  expect(await markRelease('leads', 'eu-central-1')).toBeUndefined();

  expect(send.mock.calls.map(([command]) => command.input)).toEqual([
    {
      Namespace: 'LeadService',
      MetricData: [
        { MetricName: 'releases', Dimensions: [{ Name: 'service', Value: 'leads' }], Value: 1 },
      ],
    },
  ]);
});

test('a release that cannot be marked is not a failure, but a sentence with the command that marks it', async () => {
  vi.spyOn(CloudWatchClient.prototype, 'send').mockImplementation(() => {
    throw Object.assign(new Error('not authorized'), { name: 'AccessDenied' });
  });

  expect(await markRelease('leads', 'eu-central-1')).toBe(
    'The release is not marked on the dashboard (AccessDenied: not authorized). To mark it: aws cloudwatch put-metric-data --namespace LeadService --metric-name releases --dimensions service=leads --value 1',
  );
});
