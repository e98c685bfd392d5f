import { failedOperation } from '../../failed-operation.ts';
import type { MetricName } from '../../metrics.ts';

/** Codes of `CancellationReasons` that mean throttling (AWS: TransactWriteItems, Errors), and names of errors that mean the same. */
export const throttledReasons: ReadonlySet<unknown> = new Set([
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
]);
export const throttledErrors: ReadonlySet<unknown> = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);

/** A chain of causes can be circular. */
const causesMax = 5;

/**
 * What the table did to a call that failed, for its alarms. They do not use DynamoDB's own metrics: those report nothing instead of 0, and
 * AWS documents in two ways whether an alarm on them then ends
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html, `TreatMissingData`).
 * Errors are known by their names: their classes would be code of every function.
 * @returns undefined for an error that is not the table's
 */
export function tableFailureMetric(error: unknown, depth = 0): MetricName | undefined {
  if (!(error instanceof Error) || depth > causesMax) return undefined;
  const {
    $metadata,
    CancellationReasons = [],
  }: Error & {
    $metadata?: { httpStatusCode?: number };
    CancellationReasons?: readonly { Code?: string }[];
  } = error;
  if (error.name === 'ContentionError') return 'contended';
  const isThrottled = CancellationReasons.some(({ Code }) => throttledReasons.has(Code));
  if (isThrottled || throttledErrors.has(error.name)) return 'tableThrottled';
  if (failedOperation(error) && ($metadata?.httpStatusCode ?? 500) >= 500) return 'tableFailed';
  return tableFailureMetric(error.cause, depth + 1);
}
