import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import type { OrganizationTable, Table } from '../table/client.ts';
import type { Item } from '../table/items.ts';
import { leadPrimaryKey, type PrimaryKey } from '../table/primary-keys.ts';
import { ContentionError, conflict, retryOnConflict } from '../table/retry.ts';
import { interruptionOf, ThrottledError } from '../table/transact.ts';

/**
 * Reads items as of one moment: one `TransactGetItems`, two read units for each 4 KB of an item.
 * @returns the items in the order of the keys; `conflict` while one of them is being written
 * @throws ThrottledError
 */
export async function readTogether(
  table: Table,
  keys: readonly PrimaryKey[],
): Promise<(Item | undefined)[] | typeof conflict> {
  try {
    const { Responses = [] } = await table.client.send(
      new TransactGetCommand({
        TransactItems: keys.map(({ pk, sk }) => ({
          Get: { TableName: table.name, Key: { pk, sk } },
        })),
      }),
    );
    return keys.map((_, index) => Responses[index]?.Item);
  } catch (error) {
    const interruption =
      error instanceof TransactionCanceledException ? interruptionOf(error) : undefined;
    if (interruption === 'conflict') return conflict;
    throw interruption
      ? new ThrottledError('DynamoDB throttled a transaction.', { cause: error })
      : error;
  }
}

/** How often the check tries to read items that are constantly written or throttled, for `limits.conflictRetryMs` each time. */
const attemptsMax = 10;

/**
 * Repeats an operation while it returns `conflict` or DynamoDB throttles it.
 * @throws ContentionError if the last attempt met a conflict
 * @throws ThrottledError if DynamoDB throttled the last attempt
 */
export async function untilStable<T>(operation: () => Promise<T | typeof conflict>): Promise<T> {
  let throttled: ThrottledError | undefined;
  const attempt = async (): Promise<T | typeof conflict> => {
    throttled = undefined;
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof ThrottledError)) throw error;
      throttled = error;
      return conflict;
    }
  };
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await retryOnConflict(attempt);
    } catch (error) {
      if (!(error instanceof ContentionError)) throw error;
      if (attempts === attemptsMax) throw throttled ?? error;
    }
  }
}

export const readUntilStable = (
  table: Table,
  keys: readonly PrimaryKey[],
): Promise<(Item | undefined)[]> => untilStable(() => readTogether(table, keys));

/** Reads an item together with the lead that it names, until both are of one moment. @param leadId as the item named it before */
export async function readWithLead<T>(
  { table, organizationId }: OrganizationTable,
  key: PrimaryKey,
  { leadId, leadIdIn }: { readonly leadId: unknown; readonly leadIdIn: (item: Item) => unknown },
  report: (leadId: unknown, lead: Item | undefined, item: Item) => T,
): Promise<T | undefined> {
  let expectedId = leadId;
  return untilStable(async () => {
    const leadKeys =
      typeof expectedId === 'number' ? [leadPrimaryKey(organizationId, expectedId)] : [];
    const items = await readTogether(table, [key, ...leadKeys]);
    if (items === conflict) return conflict;
    const [item, lead] = items;
    if (!item) return undefined;
    if (leadIdIn(item) === expectedId) return report(expectedId, lead, item);
    expectedId = leadIdIn(item);
    return conflict;
  });
}
