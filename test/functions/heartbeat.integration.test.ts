import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { handler } from '../../functions/heartbeat.ts';
import { keepLines, logged } from '../shared/middleware/logged-lines.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';

keepLines();

let own: OwnService;
beforeAll(async () => {
  own = await startOwnService();
});
afterAll(() => own.stop());

test('a heartbeat accepts what the service itself answers, which asks the table nothing', async () => {
  vi.stubEnv('HEARTBEAT_BASE_URL', own.baseUrl);
  await handler({}, { awsRequestId: 'invocation-1', getRemainingTimeInMillis: () => 15_000 });
  vi.unstubAllEnvs();

  expect(logged().at(-1)).toMatchObject({ message: 'heartbeat', heartbeatAnswered: 1 });
  // The log comes on another pipe than the response.
  const line = await vi.waitUntil(
    () =>
      own
        .logged()
        .split('\n')
        .find((one) => one.endsWith('}')),
    { timeout: 10_000 },
  );
  expect(JSON.parse(line)).toMatchObject({ status: 401, unauthorized: 1, dynamodbCalls: 0 });
});
