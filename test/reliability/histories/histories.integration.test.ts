import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { timelinePartitionKey } from '../../../shared/store/table/primary-keys.ts';
import { type FaultyService, startFaultyService } from '../../support/faults/faulty-service.ts';
import { useOwnTable } from '../../support/own-table.ts';
import { service } from '../../support/service.ts';
import { runHistory, verdictOn } from './history.ts';

useOwnTable();

/** A short run of what `npm run soak` does at length. */
let faulty: FaultyService;
beforeAll(async () => {
  faulty = await startFaultyService();
});
afterAll(() => faulty.stop());

describe('six clients at once, under faults and deaths: each effect that was acknowledged is there once, each refused one nowhere', () => {
  test.each([1, 2, 3])(
    'the history of seed %i loses and duplicates no acknowledged effect',
    { timeout: 120_000 },
    async (seed) => {
      const { environment } = service();

      const { violations, faults, notebook } = await runHistory({
        seed,
        environment,
        faulty,
        clients: 6,
        turns: 16,
      });

      const replay = `npm run soak -- --seed ${seed} --histories 1 --repeat 20`;
      expect(violations, replay).toEqual([]);
      expect(faults.size).toBeGreaterThan(0);
      expect(notebook.claims.filter(({ verdict }) => verdict === 'done').length).toBeGreaterThan(
        10,
      );
    },
  );
});

test('the judge finds one timeline entry that is lost from the table', {
  timeout: 120_000,
}, async () => {
  const { environment } = service();
  const { world, violations } = await runHistory({
    seed: 4,
    environment,
    faulty,
    clients: 3,
    turns: 16,
  });
  expect(violations).toEqual([]);
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
