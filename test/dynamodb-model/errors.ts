/** An error as DynamoDB answers it. `name` is the exception's, without its namespace. */
export class DynamodbError extends Error {
  override readonly name: string;
  readonly status: number;
  /** Further members of the answer: `CancellationReasons`, `Item`, `ThrottlingReasons`. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    name: string,
    message: string,
    members: Readonly<Record<string, unknown>> = {},
    status = 400,
  ) {
    super(message);
    this.name = name;
    this.members = members;
    this.status = status;
  }
}

/** A request that DynamoDB refuses for its form. */
export class ValidationError extends DynamodbError {
  constructor(message: string) {
    super('ValidationException', message);
  }
}

/** A request of a kind that the model does not have. A test that meets it fails, instead of proving nothing. */
export class NotModelledError extends Error {
  override readonly name = 'NotModelledError';

  constructor(what: string) {
    super(`The model of DynamoDB does not have ${what}.`);
  }
}

/** The usual beginning of a refused value. */
export const invalidValue = (message: string): ValidationError =>
  new ValidationError(`One or more parameter values were invalid: ${message}`);

export const conditionFailed = (item?: unknown): DynamodbError =>
  new DynamodbError(
    'ConditionalCheckFailedException',
    'The conditional request failed',
    item ? { Item: item } : {},
  );

export const transactionConflict = (): DynamodbError =>
  new DynamodbError('TransactionConflictException', 'Transaction is ongoing for the item');

export const transactionInProgress = (): DynamodbError =>
  new DynamodbError(
    'TransactionInProgressException',
    'The transaction with the given request token is already in progress.',
  );

export const resourceNotFound = (): DynamodbError =>
  new DynamodbError('ResourceNotFoundException', 'Requested resource not found');

export const internalServerError = (): DynamodbError =>
  new DynamodbError(
    'InternalServerError',
    'The request processing has failed because of an unknown error, exception or failure',
    {},
    500,
  );

export interface ThrottlingReason {
  readonly reason: string;
  readonly resource: string;
}

const throttlingMessage =
  'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html';

/** Both names occur for one partition that is too hot (developer guide, "Diagnosing throttling"); their members differ in one letter. */
export function throttled(
  name: 'ThrottlingException' | 'ProvisionedThroughputExceededException' | 'RequestLimitExceeded',
  reasons: readonly ThrottlingReason[],
): DynamodbError {
  const member = name === 'ThrottlingException' ? 'throttlingReasons' : 'ThrottlingReasons';
  return new DynamodbError(name, throttlingMessage, { [member]: reasons });
}

/** Why a transaction was cancelled, by position. */
export interface CancellationReason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: unknown;
}

export const noReason: CancellationReason = { Code: 'None' };
export const throttlingReasonOfTransaction: CancellationReason = {
  Code: 'ThrottlingError',
  Message: throttlingMessage,
};

export const transactionCanceled = (reasons: readonly CancellationReason[]): DynamodbError =>
  new DynamodbError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`,
    { CancellationReasons: reasons },
  );
