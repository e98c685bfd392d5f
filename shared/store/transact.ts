import { randomUUID } from 'node:crypto';
import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Table } from './client.ts';
import { lookAgain, metAnother, StillContended } from './look-again.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type Item = Readonly<Record<string, unknown>>;

/** What became of a transaction. In `refused`, both lists are parallel to the items that were sent. */
export type TransactOutcome =
  | { readonly outcome: 'written' }
  /** A condition did not hold. `existing`: the item in the way, where one exists and its return was asked for. */
  | { readonly outcome: 'refused'; readonly failed: readonly boolean[]; readonly existing: readonly (Item | undefined)[] }
  /** Another transaction held one of the items, or capacity was short: nothing was written, looking again may help. */
  | { readonly outcome: 'conflict' };

/** Reasons that speak of the moment and not of the request (AWS: TransactWriteItems, Errors). */
const passingReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Writes all items or none, exactly once: one `TransactWriteItems` under one `ClientRequestToken`, so that a repeat after a lost
 * answer (the SDK's own, or the one made here while the outcome is unknown) is not a second write.
 * @throws whatever leaves the outcome unknown to the end: an outage, not an answer.
 */
export async function transact(table: Table, items: readonly TransactItem[]): Promise<TransactOutcome> {
  const command = { TransactItems: [...items], ClientRequestToken: randomUUID() };
  let outage: unknown;
  try {
    return await lookAgain(async () => {
      try {
        await table.client.send(new TransactWriteCommand(command));
        return { outcome: 'written' } as const;
      } catch (error) {
        if (error instanceof TransactionCanceledException) {
          const outcome = outcomeOf(error);
          // A conflict is this attempt's alone: one before it may have been applied, which the same token tells and a new one cannot.
          const isFirst = outage === undefined && (error.$metadata.attempts ?? 1) === 1;
          if (isFirst || outcome.outcome === 'refused') return outcome;
        } else if (!isUnknownOutcome(error)) throw error;
        outage = error;
        return metAnother;
      }
    });
  } catch (error) {
    throw error instanceof StillContended ? outage : error;
  }
}

function outcomeOf(error: TransactionCanceledException): TransactOutcome {
  const reasons = error.CancellationReasons ?? [];
  const failed = reasons.map(({ Code }) => Code === 'ConditionalCheckFailed');
  if (failed.includes(true)) {
    // The document client leaves these items marshalled.
    const existing = reasons.map(({ Item }) => (Item ? unmarshall(Item) : undefined));
    return { outcome: 'refused', failed, existing };
  }
  if (reasons.some(({ Code }) => passingReasons.has(Code ?? ''))) return { outcome: 'conflict' };
  throw error;
}

/** The transaction may have been applied: the call broke off, or DynamoDB failed or is still at it. */
function isUnknownOutcome(error: unknown): boolean {
  if (error instanceof TransactionInProgressException) return true;
  const { $metadata, name } = error as { $metadata?: { httpStatusCode?: number }; name?: string };
  if (!$metadata) return false; // not an answer of the SDK: a defect of ours
  const status = $metadata.httpStatusCode;
  return (
    status === undefined || status >= 500 || name === 'ThrottlingException' || name === 'ProvisionedThroughputExceededException'
  );
}

/** A put that an item under the same key refuses, and that brings that item back. */
export function putIfAbsent(table: Table, item: Item): TransactItem {
  return {
    Put: {
      TableName: table.name,
      Item: { ...item },
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}
