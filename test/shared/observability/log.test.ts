import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { recordFailedOperation } from '../../../shared/observability/failed-operation.ts';
import { log } from '../../../shared/observability/log.ts';
import { metricNamespace, type RequestMetrics } from '../../../shared/observability/metrics.ts';
import { keepLines, logged } from '../middleware/logged-lines.ts';

keepLines();

const serviceName = 'lead-service-test';
const fields = { requestId: 'request-1', endpoint: 'get-lead' };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

describe('the line of an error', () => {
  test('the line of an error names the bundle, the version of the service and the operation that failed', async () => {
    vi.stubEnv('RELEASE', '0123456789ab');
    vi.stubEnv('SERVICE_VERSION', '1.1.0+4f2a91c03b7d');
    const cause = new Error('no answer');
    recordFailedOperation(cause, 'TransactWriteItems');
    recordFailedOperation(cause, 'another one');

    await log('error', 'failed', { ...fields, error: new Error('outer', { cause }) });
    await log('info', 'answered', fields);

    expect(logged()[0]).toMatchObject({
      release: '0123456789ab',
      version: '1.1.0+4f2a91c03b7d',
      error: { message: 'outer', cause: { operation: 'TransactWriteItems' } },
    });
    expect(logged()[0]?.error).not.toHaveProperty('operation');
    expect(logged()[1]).not.toHaveProperty('release');
    expect(logged()[1]).toHaveProperty('version', '1.1.0+4f2a91c03b7d');
  });
});

describe('the metrics of a log line', () => {
  test.each<RequestMetrics>([
    { dynamodbCalls: 1 },
    { dynamodbCalls: 3, readUnits: 1.5, writeUnits: 17, coldStart: 1, failed: 1 },
    { readUnits: 0, notReady: 1, contended: 1, rateLimited: 1, keyExpiresSoon: 1 },
  ])('metrics $0 are on the line as the Powertools library writes them', (requestMetrics) => {
    vi.stubEnv('SERVICE_NAME', serviceName);
    vi.useFakeTimers({ toFake: ['Date'] });
    const library = new Metrics({ namespace: metricNamespace, serviceName });
    for (const [name, value] of Object.entries(requestMetrics))
      library.addMetric(name, 'Count', value);

    log('info', 'answered', fields, requestMetrics);

    expect(logged()).toMatchObject([library.serializeMetrics()]);
    expect(logged()[0]?._aws).toEqual(library.serializeMetrics()._aws);
  });

  test('a line without metrics names none', async () => {
    vi.stubEnv('SERVICE_NAME', serviceName);

    log('info', 'answered', fields);

    expect(logged()[0]).not.toHaveProperty('_aws');
  });

  test('a service without a name writes metrics only as members of the line', async () => {
    log('info', 'answered', fields, { dynamodbCalls: 2 });

    expect(logged()[0]).toMatchObject({ dynamodbCalls: 2 });
    expect(logged()[0]).not.toHaveProperty('_aws');
  });
});
