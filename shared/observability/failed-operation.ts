const operations = new WeakMap<Error, string>();

/**
 * Records which AWS operation raised an error, for the log: SDK errors do not say. If an error is recorded twice, the first operation
 * counts.
 */
export function recordFailedOperation(error: unknown, operation: string): void {
  if (error instanceof Error && !operations.has(error)) operations.set(error, operation);
}

/** The AWS operation that failed, such as `TransactWriteItems`; undefined for an error that did not come from AWS. */
export const failedOperation = (error: Error): string | undefined => operations.get(error);

/** Codes of `CancellationReasons` (AWS: TransactWriteItems, Errors) and names of errors that mean throttling. */
export const throttlingNames: ReadonlySet<unknown> = new Set([
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);
