import { afterAll, expect, test } from 'vitest';
import { startEngine } from '../../../infra/local/engine.ts';
import { prepareTable, readOrganizationFiles } from '../../../infra/local/prepare-table.ts';
import { StartError } from '../../../infra/local/start-error.ts';
import { startDynamodbProxy } from '../../support/faults/proxy.ts';
import type { FaultRule } from '../../support/faults/rules.ts';
import { startServiceProcess } from '../../support/service-process.ts';

/**
 * A start on an engine that is slow to answer, as DynamoDB Local is on a machine with too much to do. The tests wait for time-outs: all at once.
 */
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** An engine behind a proxy with a rule, and the environment of the proxy's table. */
async function givenEngine(rule: FaultRule) {
  const engine = await startEngine({ engine: 'dynoxide', dataFolder: ':memory:' });
  ends.push(() => engine.stop());
  const proxy = await startDynamodbProxy(engine.endpoint);
  ends.push(() => proxy.stop());
  proxy.rule = rule;
  const environment = { ...engine.environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };
  return { endpoint: proxy.endpoint, environment };
}

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

test.concurrent('a start waits for an engine that takes seconds for its first read and its first transaction', {
  timeout: 60_000,
}, async () => {
  // A function's client gives up after 3.1 s.
  const { endpoint } = await givenEngine(slowAtFirst(['GetItem', 'TransactWriteItems'], 3500));

  const service = await startServiceProcess(['--engine', endpoint]);

  ends.push(() => service.end());

  const { reader = '' } = service.ready.organizations[0]?.keys ?? {};
  const answer = await fetch(`${service.ready.baseUrl}/api/v1/users`, {
    headers: { Authorization: `Bearer ${reader}` },
  });
  expect(answer.status).toBe(200);
});

test.concurrent.each(['DescribeTable', 'GetItem', 'TransactWriteItems'])(
  'an engine that never answers %s is given up after its time, with one sentence',
  { timeout: 30_000 },
  async (operation) => {
    const { endpoint, environment } = await givenEngine((call) =>
      call.operation === operation ? { kind: 'silence', applied: false } : undefined,
    );

    const start = prepareTable({
      environment,
      files: readOrganizationFiles([]),
      tell: () => undefined,
      answersWithinMs: 3000,
    });

    await expect(start).rejects.toThrow(
      new StartError(
        `The engine at ${endpoint} did not answer within 3 s: check how busy the machine is and start again, or check --engine.`,
      ),
    );
  },
);

test.concurrent.each(['GetItem', 'TransactWriteItems'])(
  'an engine that fails at %s is refused with one sentence',
  { timeout: 60_000 },
  async (operation) => {
    const { endpoint, environment } = await givenEngine((call) =>
      call.operation === operation ? { kind: 'error', name: 'InternalServerError' } : undefined,
    );

    const start = prepareTable({
      environment,
      files: readOrganizationFiles([]),
      tell: () => undefined,
    });

    await expect(start).rejects.toThrow(
      new StartError(
        `The engine at ${endpoint} failed (InternalServerError: Internal server error): start again, or check --engine.`,
      ),
    );
  },
);
