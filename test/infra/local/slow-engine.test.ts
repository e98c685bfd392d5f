import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Engine, startEngine } from '../../../infra/local/engine.ts';
import { prepareTable } from '../../../infra/local/prepare-table.ts';
import { readOrganizationFiles } from '../../../infra/local/settings-at-start.ts';
import { StartError } from '../../../infra/local/start-error.ts';
import { type DynamodbProxy, startDynamodbProxy } from '../../support/faults/proxy.ts';
import type { FaultRule } from '../../support/faults/rules.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';

/** A start on an engine that is slow to answer, as DynamoDB Local is on a machine with too much to do. */
let engine: Engine;
let proxy: DynamodbProxy;
let service: ServiceProcess | undefined;
beforeEach(async () => {
  engine = await startEngine({ engine: 'dynoxide', dataFolder: ':memory:' });
  proxy = await startDynamodbProxy(engine.endpoint);
  service = undefined;
});
afterEach(async () => {
  await service?.end();
  await proxy.stop();
  await engine.stop();
});

/** Nothing is answered within so long after the operation was first asked for. */
function slowAtFirst(operations: readonly string[], ms: number): FaultRule {
  const firstAt = new Map<string, number>();
  return ({ operation }) => {
    if (!operations.includes(operation)) return undefined;
    const sinceMs = Date.now() - (firstAt.get(operation) ?? Date.now());
    if (sinceMs === 0) firstAt.set(operation, Date.now());
    return sinceMs < ms ? { kind: 'delay', ms: ms - sinceMs } : undefined;
  };
}

test('a start waits for an engine that takes seconds for its first read and its first transaction', {
  timeout: 60_000,
}, async () => {
  proxy.rule = slowAtFirst(['GetItem', 'TransactWriteItems'], 4000);

  service = await startServiceProcess(['--port', '0', '--engine', proxy.endpoint]);

  const { reader = '' } = service.ready.organizations[0]?.keys ?? {};
  const answer = await fetch(`${service.ready.baseUrl}/api/v1/users`, {
    headers: { Authorization: `Bearer ${reader}` },
  });
  expect(answer.status).toBe(200);
});

test.each(['DescribeTable', 'GetItem', 'TransactWriteItems'])(
  'an engine that never answers %s is given up after its time, with one sentence',
  { timeout: 30_000 },
  async (operation) => {
    proxy.rule = (call) =>
      call.operation === operation ? { kind: 'silence', applied: false } : undefined;
    const environment = { ...engine.environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };

    const start = prepareTable({
      environment,
      files: readOrganizationFiles([]),
      tell: () => undefined,
      answersWithinMs: 1000,
    });

    await expect(start).rejects.toThrow(
      new StartError(
        `The engine at ${proxy.endpoint} did not answer within 1 s: check how busy the machine is and start again, or check --engine.`,
      ),
    );
  },
);

test.each(['GetItem', 'TransactWriteItems'])(
  'an engine that fails at %s is refused with one sentence',
  { timeout: 60_000 },
  async (operation) => {
    proxy.rule = (call) =>
      call.operation === operation ? { kind: 'error', name: 'InternalServerError' } : undefined;

    const environment = { ...engine.environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };

    const start = prepareTable({
      environment,
      files: readOrganizationFiles([]),
      tell: () => undefined,
    });

    await expect(start).rejects.toThrow(
      new StartError(
        `The engine at ${proxy.endpoint} failed (InternalServerError: Internal server error): start again, or check --engine.`,
      ),
    );
  },
);
