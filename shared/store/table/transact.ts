import { randomUUID } from 'node:crypto';
import {
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { throttlingNames } from '../../observability/failed-operation.ts';
import type { Table } from './client.ts';
import { ItemsByKey, keyText } from './primary-keys.ts';
import { ContentionError, conflict, retryOnConflict } from './retry.ts';
import type { Write } from './writes.ts';

type TransactOutcome =
  | { readonly outcome: 'written' }
  /** A condition did not hold. */
  | {
      readonly outcome: 'refused';
      /** The keys of the items whose condition did not hold, as `keyText` spells them. */
      readonly failed: ReadonlySet<string>;
      /** The stored items that failed a condition, if the write asked for them. */
      readonly existing: ItemsByKey;
    }
  /** Another transaction was writing one of the items. Nothing was written, and a retry may succeed. */
  | { readonly outcome: 'conflict' };

/**
 * Thrown if DynamoDB throttles a transaction for longer than `limits.conflictRetryMs` and has written nothing: an outage, not a conflict.
 */
export class ThrottledError extends Error {
  override readonly name = 'ThrottledError';
}

/** Thrown if it is unknown whether a write was applied: an attempt got no response, and its retries were throttled or conflicted. */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownOutcomeError';
}

/**
 * Writes all items or none, exactly once. Every attempt is one `TransactWriteItems` under the same `ClientRequestToken`, so that no retry
 * writes twice. The SDK retries after a lost response; this function retries while the outcome is unknown or DynamoDB throttles.
 * @throws ThrottledError nothing was written
 * @throws UnknownOutcomeError
 * @throws Error of the last attempt, if the outcome is still unknown: an outage
 */
export async function transact(table: Table, writes: readonly Write[]): Promise<TransactOutcome> {
  const command = {
    TransactItems: writes.map((write) => inTable(table, write)),
    ClientRequestToken: randomUUID(),
  };
  let outage: unknown;
  let mayBeWritten = false;
  try {
    return await retryOnConflict(async () => {
      try {
        await table.client.send(new TransactWriteCommand(command));
        return { outcome: 'written' } as const;
      } catch (error) {
        if (error instanceof TransactionCanceledException) {
          // The conflict concerns only this attempt. An earlier attempt may have been applied, and only a retry under the same token can
          // tell.
          mayBeWritten ||= (error.$metadata.attempts ?? 1) > 1;
          const outcome = outcomeOf(error, writes);
          if (outcome?.outcome === 'refused' || (outcome && !mayBeWritten)) return outcome;
          outage = outcome ? error : throttled(error, mayBeWritten);
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

const throttled = (cause: Error, mayBeWritten: boolean): Error =>
  mayBeWritten
    ? new UnknownOutcomeError('A transaction was throttled that may have been carried out.', {
        cause,
      })
    : new ThrottledError('DynamoDB throttled a transaction.', { cause });

const inTable = ({ name: TableName }: Table, write: Write) =>
  Object.fromEntries(Object.entries(write).map(([kind, input]) => [kind, { TableName, ...input }]));

/** Undefined if DynamoDB throttled. @param writes in the order sent, which is the order of the reasons */
function outcomeOf(
  error: TransactionCanceledException,
  writes: readonly Write[],
): TransactOutcome | undefined {
  const reasons = error.CancellationReasons ?? [];
  if (reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) {
    const failed = writes
      .filter((_, index) => reasons[index]?.Code === 'ConditionalCheckFailed')
      .map(keyTextOf);
    const existing = new ItemsByKey();
    // The document client does not unmarshall these items.
    for (const { Item } of reasons) if (Item) existing.add(unmarshall(Item));
    return { outcome: 'refused', failed: new Set(failed), existing };
  }
  const interruption = interruptionOf(error);
  if (interruption) return interruption === 'conflict' ? { outcome: 'conflict' } : undefined;
  throw error;
}

/** Why a transaction was canceled that a retry may complete; undefined if a retry would be canceled again. */
export function interruptionOf({
  CancellationReasons = [],
}: TransactionCanceledException): 'conflict' | 'throttled' | undefined {
  if (CancellationReasons.some(({ Code }) => Code === 'TransactionConflict')) return 'conflict';
  return CancellationReasons.some(({ Code }) => throttlingNames.has(Code))
    ? 'throttled'
    : undefined;
}

function keyTextOf({ Put, Update, Delete, ConditionCheck }: Write): string {
  const { pk, sk } = Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {};
  return keyText({ pk, sk });
}

/**
 * Whether the transaction may have been applied, or a retry may apply it: the connection broke, or DynamoDB failed, throttled or is still
 * busy.
 */
function isUnknownOutcome(error: unknown): boolean {
  if (error instanceof TransactionInProgressException) return true;
  if (!(error instanceof Error)) return false;
  const { $metadata, name }: Error & { $metadata?: { httpStatusCode?: number } } = error;
  if (!$metadata) return false; // not from the SDK: a defect of the service
  // A response that was cut off in its body has a status, but the status proves nothing.
  if (!(error instanceof DynamoDBServiceException)) return true;
  return ($metadata.httpStatusCode ?? 500) >= 500 || throttlingNames.has(name);
}
