import type { EngineName } from '../../../support/engine.ts';
import type { Disagreement, Outcome } from './comparison.ts';

/** Where an engine does not do what DynamoDB's documentation says, and the model does. */
export interface KnownDisagreement {
  readonly engines: readonly EngineName[];
  readonly what: string;
  /** Where AWS says how it is. */
  readonly documentation: string;
  readonly matches: (disagreement: Disagreement) => boolean;
}

const api = 'https://docs.aws.amazon.com/amazondynamodb/latest/APIReference';
const guide = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide';
const both: readonly EngineName[] = ['dynoxide', 'dynamodb-local'];

const messageOf = (outcome: Outcome): string => ('message' in outcome ? outcome.message : '');
const errorOf = (outcome: Outcome): string | undefined =>
  'error' in outcome ? outcome.error : undefined;
const isInvalid = (outcome: Outcome): boolean => errorOf(outcome) === 'ValidationException';

/** Whether the two replies are the same without some of their members. */
function sameWithout({ model, engine }: Disagreement, ...members: readonly string[]): boolean {
  if (!('reply' in model) || !('reply' in engine)) return false;
  const rest = (reply: unknown): string =>
    JSON.stringify(Object.entries(reply as object).filter(([name]) => !members.includes(name)));
  return rest(model.reply) === rest(engine.reply);
}

const cancelledFor = (outcome: Outcome, code: string): boolean =>
  'reasons' in outcome &&
  ((outcome.reasons ?? []) as { Code?: string }[]).some(({ Code }) => Code === code);

export const knownDisagreements: readonly KnownDisagreement[] = [
  {
    engines: both,
    what: 'A page whose limit is met by the last item of its range has no LastEvaluatedKey.',
    documentation: `${guide}/Query.Pagination.html`,
    matches: (one) =>
      one.call.operation === 'Query' &&
      one.call.request.Limit !== undefined &&
      sameWithout(one, 'LastEvaluatedKey'),
  },
  {
    engines: ['dynamodb-local'],
    what: 'DeleteItem tells its capacity without being asked.',
    documentation: `${api}/API_DeleteItem.html#DDB-DeleteItem-request-ReturnConsumedCapacity`,
    matches: (one) =>
      one.call.operation === 'DeleteItem' &&
      !one.call.request.ReturnConsumedCapacity &&
      sameWithout(one, 'ConsumedCapacity'),
  },
  {
    engines: both,
    what: 'Capacity of batches and transactions: items that are not there cost nothing; units of reads and writes are not told apart.',
    documentation: `${guide}/read-write-operations.html`,
    matches: (one) =>
      /^(Batch|Transact)/.test(one.call.operation) && sameWithout(one, 'ConsumedCapacity'),
  },
  {
    engines: ['dynamodb-local'],
    what: 'A query of an index that finds nothing costs nothing; a write costs an index that the item is not in.',
    documentation: `${guide}/GSI.html#GSI.ThroughputConsiderations`,
    matches: (one) =>
      /^(Query|PutItem|UpdateItem|DeleteItem)$/.test(one.call.operation) &&
      one.call.request.ReturnConsumedCapacity !== undefined &&
      sameWithout(one, 'ConsumedCapacity'),
  },
  {
    engines: both,
    what: 'An item of a transaction that no state of the table could make valid: refused as a whole, or cancelled with ValidationError.',
    documentation: `${api}/API_TransactWriteItems.html#API_TransactWriteItems_Errors`,
    matches: ({ model, engine }) =>
      (isInvalid(model) && errorOf(engine) === 'TransactionCanceledException') ||
      (isInvalid(engine) && cancelledFor(model, 'ValidationError')),
  },
  {
    engines: both,
    what: 'A token is looked at before the request is: of an invalid request under the token of another, the mismatch is told.',
    documentation: `${api}/API_TransactWriteItems.html#DDB-TransactWriteItems-request-ClientRequestToken`,
    matches: ({ model, engine }) =>
      isInvalid(model) && errorOf(engine) === 'IdempotentParameterMismatchException',
  },
  {
    engines: both,
    what: 'A key attribute in an update expression is noticed only after the condition.',
    documentation: `${api}/API_UpdateItem.html#DDB-UpdateItem-request-UpdateExpression`,
    matches: ({ model, engine }) =>
      /Cannot update attribute/.test(messageOf(model)) &&
      errorOf(engine) === 'ConditionalCheckFailedException',
  },
  {
    engines: ['dynamodb-local'],
    what: 'The reserved word size is taken as a name before an operator.',
    documentation: `${guide}/ReservedWords.html`,
    matches: ({ model }) => /reserved keyword: size/.test(messageOf(model)),
  },
  {
    engines: ['dynoxide'],
    what: 'What is wrong with an expression whatever the item is noticed late or never: types of operands, bounds of BETWEEN, overlapping paths, key attributes, unused placeholders, paths that lead nowhere.',
    documentation: `${guide}/Expressions.OperatorsAndFunctions.html`,
    matches: ({ model, engine }) =>
      !isInvalid(engine) &&
      (cancelledFor(model, 'ValidationError') ||
        (isInvalid(model) &&
          /^Invalid \w+Expression|^Value provided in|Cannot update attribute|document path|contains invalid value|schema type/.test(
            messageOf(model),
          ))),
  },
  {
    engines: ['dynoxide'],
    what: 'An element that is set beyond the end of a list stands at its position, with NULL before it, instead of at the end.',
    documentation: `${guide}/Expressions.UpdateExpressions.html#Expressions.UpdateExpressions.SET.AddingListElements`,
    matches: ({ engine }) => JSON.stringify(engine).includes('{"NULL":true},{"S":"at"}'),
  },
  {
    engines: ['dynoxide'],
    what: 'A starting key that the query could not have ended at is taken.',
    documentation: `${api}/API_Query.html#DDB-Query-request-ExclusiveStartKey`,
    matches: ({ model }) => /starting key/.test(messageOf(model)),
  },
  {
    engines: ['dynoxide'],
    what: 'ALL_OLD of an update that made the item has its key.',
    documentation: `${api}/API_UpdateItem.html#DDB-UpdateItem-request-ReturnValues`,
    matches: (one) =>
      one.call.operation === 'UpdateItem' &&
      one.call.request.ReturnValues === 'ALL_OLD' &&
      sameWithout(one, 'Attributes'),
  },
];

/** Whether a disagreement of this engine is listed. */
export const isKnownOf =
  (engine: EngineName) =>
  (disagreement: Disagreement): boolean =>
    knownDisagreements.some(
      ({ engines, matches }) => engines.includes(engine) && matches(disagreement),
    );
