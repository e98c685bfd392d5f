import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from './client.ts';
import { lookAgain, metAnother, StillContended } from './look-again.ts';
import type { PrimaryKey } from './primary-keys.ts';

type Item = Readonly<Record<string, unknown>>;

/**
 * Reads up to 100 items at once, consistently; the answer is parallel to the keys, undefined where there is no item.
 * DynamoDB answers 200 with `UnprocessedKeys`, which the SDK does not ask again: they are asked for here, and never mean absent.
 * @throws Error when some stay unprocessed.
 */
export async function batchGet(table: Table, keys: readonly PrimaryKey[]): Promise<(Item | undefined)[]> {
  if (keys.length === 0) return [];
  const found = new Map<string, Item>();
  let wanted: Record<string, unknown>[] = keys.map(({ pk, sk }) => ({ pk, sk }));
  await lookAgain(async () => {
    const { Responses, UnprocessedKeys } = await table.client.send(
      new BatchGetCommand({ RequestItems: { [table.name]: { Keys: wanted, ConsistentRead: true } } }),
    );
    for (const item of Responses?.[table.name] ?? []) found.set(nameOf(item as unknown as PrimaryKey), item);
    wanted = UnprocessedKeys?.[table.name]?.Keys ?? [];
    return wanted.length === 0 ? 'done' : metAnother;
  }).catch((error: unknown) => {
    throw error instanceof StillContended ? new Error('DynamoDB left keys of a batch unread.', { cause: error }) : error;
  });
  return keys.map((key) => found.get(nameOf(key)));
}

const nameOf = ({ pk, sk }: PrimaryKey): string => `${pk}\n${sk}`;
