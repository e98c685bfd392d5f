import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { timelinePartitionKey } from '../../../shared/store/table/primary-keys.ts';
import { type FaultyService, startFaultyService } from '../../support/faults/faulty-service.ts';
import { useOwnTable } from '../../support/own-table.ts';
import { service } from '../../support/service.ts';
import { type HistoryResult, runHistory, verdictOn } from './history.ts';

useOwnTable();

/** A short run of what `npm run soak` does at length. */
let faulty: FaultyService;
beforeAll(async () => {
  faulty = await startFaultyService();
});
afterAll(() => faulty.stop());

const runWith = (seed: number): Promise<HistoryResult> =>
  runHistory({ seed, environment: service().environment, faulty, clients: 6, turns: 16 });

/** Six clients at once, under faults and deaths: each effect that was acknowledged is there once, each refused one nowhere. */
function expectRight({ violations, faults, notebook }: HistoryResult, seed: number): void {
  expect(violations, `npm run soak -- --seed ${seed} --histories 1 --repeat 20`).toEqual([]);
  expect(faults.size).toBeGreaterThan(0);
  expect(notebook.claims.filter(({ verdict }) => verdict === 'done').length).toBeGreaterThan(10);
}

test('a history of six clients, under faults and deaths, loses and duplicates no acknowledged effect', {
  timeout: 120_000,
}, async () => {
  expectRight(await runWith(1), 1);
});

test('the judge finds one timeline entry that is lost from the table after a history that was right', {
  timeout: 120_000,
}, async () => {
  const history = await runWith(2);
  expectRight(history, 2);
  const { world } = history;
  const { client, name } = world.table;
  const leadId = world.notebook.leadIds[0] ?? 0;
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: name,
      KeyConditionExpression: 'pk = :timeline',
      ExpressionAttributeValues: {
        ':timeline': timelinePartitionKey(world.organizationId, leadId),
      },
    }),
  );
  await client.send(
    new DeleteCommand({ TableName: name, Key: { pk: Items.at(-1)?.pk, sk: Items.at(-1)?.sk } }),
  );

  const { violations: found } = await verdictOn(world);

  expect(found).toContainEqual(
    expect.stringMatching(
      /its effect is nowhere|times|version|begins|nothing leads|changes do not/,
    ),
  );
});
