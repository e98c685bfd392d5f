import { type Disagreement, type Outcome, textOf } from './comparison.ts';

type EngineName = 'dynoxide' | 'dynamodb-local';

/** Where an engine does not do what DynamoDB's documentation says, and the model does. */
interface KnownDisagreement {
  readonly engines: readonly EngineName[];
  /** What the engine does. */
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
    textOf(
      Object.fromEntries(
        Object.entries(reply as object).filter(([name]) => !members.includes(name)),
      ),
    );
  return rest(model.reply) === rest(engine.reply);
}

const cancelledFor = (outcome: Outcome, code: string): boolean =>
  'reasons' in outcome && outcome.reasons?.some(({ Code }) => Code === code) === true;

export const knownDisagreements: readonly KnownDisagreement[] = [
  {
    engines: ['dynamodb-local'],
    what: 'ends a page without a LastEvaluatedKey when the last item of the range meets the limit',
    documentation: `${guide}/Query.Pagination.html`,
    matches: (one) =>
      one.call.operation === 'Query' &&
      one.call.request.Limit !== undefined &&
      sameWithout(one, 'LastEvaluatedKey'),
  },
  {
    engines: ['dynamodb-local'],
    what: 'rejects a starting key at the end of the range, where none of its own pages ends',
    documentation: `${guide}/Query.Pagination.html`,
    matches: ({ model, engine }) =>
      'reply' in model &&
      (model.reply as { ScannedCount?: number }).ScannedCount === 0 &&
      /starting key does not match the range key predicate/.test(messageOf(engine)),
  },
  {
    engines: ['dynamodb-local'],
    what: 'counts other capacity: none for absent items and empty queries, an index that a write does not touch, that of a DeleteItem unasked',
    documentation: `${guide}/read-write-operations.html`,
    matches: (one) =>
      !/^(GetItem|Scan)$/.test(one.call.operation) && sameWithout(one, 'ConsumedCapacity'),
  },
  {
    engines: both,
    what: 'cancels a transaction with ValidationError, or rejects it as a whole, where the model does the other',
    documentation: `${api}/API_TransactWriteItems.html#API_TransactWriteItems_Errors`,
    matches: ({ model, engine }) =>
      (isInvalid(model) && errorOf(engine) === 'TransactionCanceledException') ||
      (isInvalid(engine) && cancelledFor(model, 'ValidationError')),
  },
  {
    engines: both,
    what: 'compares the token of an invalid transaction before it validates the request',
    documentation: `${api}/API_TransactWriteItems.html#DDB-TransactWriteItems-request-ClientRequestToken`,
    matches: ({ model, engine }) =>
      isInvalid(model) && errorOf(engine) === 'IdempotentParameterMismatchException',
  },
  {
    engines: both,
    what: 'checks the condition before it rejects a key attribute in an update',
    documentation: `${api}/API_UpdateItem.html#DDB-UpdateItem-request-UpdateExpression`,
    matches: ({ model, engine }) =>
      /Cannot update attribute/.test(messageOf(model)) &&
      errorOf(engine) === 'ConditionalCheckFailedException',
  },
  {
    engines: ['dynamodb-local'],
    what: 'accepts the reserved word size as a name before an operator',
    documentation: `${guide}/ReservedWords.html`,
    matches: ({ model }) => /reserved keyword: size/.test(messageOf(model)),
  },
  {
    engines: ['dynoxide'],
    what: 'validates an expression late or never: operand types, bounds of BETWEEN, overlapping paths, key attributes, unused placeholders',
    documentation: `${guide}/Expressions.OperatorsAndFunctions.html`,
    matches: ({ model, engine }) =>
      !isInvalid(engine) &&
      (cancelledFor(model, 'ValidationError') ||
        (isInvalid(model) &&
          /^Invalid \w+Expression|^No expression uses|Cannot update attribute|document path|^Null attribute value|schema type/.test(
            messageOf(model),
          ))),
  },
  {
    engines: ['dynoxide'],
    what: 'accepts a starting key at which the query could not have ended',
    documentation: `${api}/API_Query.html#DDB-Query-request-ExclusiveStartKey`,
    matches: ({ model }) => /starting key/.test(messageOf(model)),
  },
];

/** Whether a disagreement of this engine is listed. */
export const isKnownOf =
  (engine: EngineName | undefined) =>
  (disagreement: Disagreement): boolean =>
    knownDisagreements.some(
      ({ engines, matches }) => engines.some((name) => name === engine) && matches(disagreement),
    );
