import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { service } from '../../support/service.ts';
import { checkEngineHistory } from './check-engine-history.ts';
import { runEngineHistory } from './engine-history.ts';
import type { EngineService } from './engine-service.ts';

/** A short run of what `npm run simulate -- --engine` does at length. */
const seed = 2;

test('a history under faults and deaths has no violation, and a missing timeline entry is found', async () => {
  const { environment } = service();
  let lost: readonly string[] = [];

  const { violations, counts } = await runEngineHistory(
    { seed, environment, clients: 6 },
    async (engineService) => {
      await loseTimelineEntry(engineService);
      lost = await checkEngineHistory(engineService);
    },
  );

  expect(violations, `npm run simulate -- --engine dynoxide --seed ${seed} --histories 1`).toEqual(
    [],
  );
  expect([...counts.keys()].some((name) => name.startsWith('fault'))).toBe(true);
  expect(counts.get('requests')).toBeGreaterThan(30);
  expect(lost).toContainEqual(expect.stringContaining('on the timelines'));
});

/** Loses the entry of an acknowledged note, or else of a capture, which the lead's values do not show. */
async function loseTimelineEntry({ table, history }: EngineService): Promise<void> {
  const writes = [...history.writesOf.values()].flat();
  const lost =
    writes.find(({ after }) => after?.type === 'note_added') ??
    writes.find(({ after }) => after?.type === 'captured');
  const Key = { pk: lost?.pk, sk: lost?.sk };
  await table.client.send(new DeleteCommand({ TableName: table.name, Key }));
}
