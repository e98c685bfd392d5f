import { randomUUID } from 'node:crypto';
import { DynamoDBServiceException, TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Table } from './client.ts';
import { ContentionError, conflict, retryOnConflict } from './retry.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type Item = Readonly<Record<string, unknown>>;

/** What became of a transaction. In `refused`, both lists are parallel to the items that were sent. */
export type TransactOutcome =
  | { readonly outcome: 'written' }
  /** A condition did not hold. `existing`: the item in the way, where one exists and its return was asked for. */
  | { readonly outcome: 'refused'; readonly failed: readonly boolean[]; readonly existing: readonly (Item | undefined)[] }
  /** Another transaction held one of the items: nothing was written, looking again may help. */
  | { readonly outcome: 'conflict' };

/** Thrown when DynamoDB had no capacity for a transaction for as long as `limits.conflictRetryMs` allow: an outage, nobody's contention. */
export class ThrottledError extends Error {
  override readonly name = 'ThrottledError';
}

/** Codes of `CancellationReasons` for want of capacity (AWS: TransactWriteItems, Errors), and of errors for the same. */
const throttledReasons = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded', 'RequestLimitExceeded']);
const throttledErrors = new Set(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded']);

/**
 * Writes all items or none, exactly once: one `TransactWriteItems` under one `ClientRequestToken`, so that a repeat after a lost
 * answer (the SDK's own, or the one made here while the outcome is unknown or capacity is short) is not a second write.
 * @throws ThrottledError
 * @throws whatever leaves the outcome unknown to the end: an outage, not an answer.
 */
export async function transact(table: Table, items: readonly TransactItem[]): Promise<TransactOutcome> {
  const command = { TransactItems: [...items], ClientRequestToken: randomUUID() };
  let outage: unknown;
  let mayBeWritten = false;
  try {
    return await retryOnConflict(async () => {
      try {
        await table.client.send(new TransactWriteCommand(command));
        return { outcome: 'written' } as const;
      } catch (error) {
        if (error instanceof TransactionCanceledException) {
          // A conflict is this attempt's alone: one before it may have been applied, which the same token tells and a new one cannot.
          mayBeWritten ||= (error.$metadata.attempts ?? 1) > 1;
          const outcome = outcomeOf(error);
          if (outcome?.outcome === 'refused' || (outcome && !mayBeWritten)) return outcome;
          outage = outcome ? error : new ThrottledError('DynamoDB throttled a transaction.', { cause: error });
        } else if (isUnknownOutcome(error)) {
          mayBeWritten = true;
          outage = error;
        } else throw error;
        return conflict;
      }
    });
  } catch (error) {
    throw error instanceof ContentionError ? outage : error;
  }
}

/** Undefined when capacity was short. */
function outcomeOf(error: TransactionCanceledException): TransactOutcome | undefined {
  const reasons = error.CancellationReasons ?? [];
  const failed = reasons.map(({ Code }) => Code === 'ConditionalCheckFailed');
  if (failed.includes(true)) {
    // The document client leaves these items marshalled.
    const existing = reasons.map(({ Item }) => (Item ? unmarshall(Item) : undefined));
    return { outcome: 'refused', failed, existing };
  }
  if (reasons.some(({ Code }) => Code === 'TransactionConflict')) return { outcome: 'conflict' };
  if (reasons.some(({ Code }) => throttledReasons.has(Code ?? ''))) return undefined;
  throw error;
}

/** The transaction may have been applied, or may be when it is asked for again: the call broke off, or DynamoDB failed, throttled or is still at it. */
function isUnknownOutcome(error: unknown): boolean {
  if (error instanceof TransactionInProgressException) return true;
  const { $metadata, name } = error as { $metadata?: { httpStatusCode?: number }; name?: string };
  if (!$metadata) return false; // not an answer of the SDK: a defect of ours
  // The status of an answer that broke off in its body is there, and tells nothing.
  if (!(error instanceof DynamoDBServiceException)) return true;
  return ($metadata.httpStatusCode ?? 500) >= 500 || throttledErrors.has(name ?? '');
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
