import {
  type Item,
  type Request,
  type TransactItem,
  tokensOf,
} from '../../../dynamodb-model/dynamodb-model.ts';
import type { CallInfo } from '../../simulation/network.ts';

export const tableArn = 'arn:aws:dynamodb:ap-south-1:123456789012:table/leads';

/** A request to DynamoDB as IAM evaluates it: a transaction is one request per part (developer guide, "IAM for transactions"). */
export interface IamRequest {
  readonly action: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, string[]>>;
}

/**
 * The requests that IAM evaluates for a call. The context is the one that DynamoDB documents. It has the items' partition keys, the
 * attributes that the request names (changed, in conditions, and always the primary key), and what it returns.
 */
export function iamRequestsOf({ operation, request }: CallInfo): IamRequest[] {
  switch (operation) {
    case 'TransactWriteItems':
      return (request.TransactItems ?? []).map(partOf);
    case 'BatchGetItem':
      return Object.values(request.RequestItems ?? {}).map((keys) => {
        const items = 'Keys' in keys ? keys.Keys : [];
        return iamRequest('BatchGetItem', items.map(partitionOf), ['pk', 'sk']);
      });
    case 'Query':
      return [queryOf(request)];
    default:
      return [singleOf(operation, request)];
  }
}

function partOf(part: TransactItem): IamRequest {
  const [[kind, request] = []] = Object.entries(part);
  if (kind === undefined || request === undefined) throw new Error('A part without an operation.');
  const action = kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`;
  const single = singleOf(action, request as Request);
  return {
    ...single,
    context: { ...single.context, 'dynamodb:EnclosingOperation': ['TransactWriteItems'] },
  };
}

function singleOf(action: string, request: Request): IamRequest {
  const item = request.Key ?? request.Item ?? {};
  const one = iamRequest(
    action,
    [partitionOf(item)],
    [...Object.keys(item), ...attributesOf(request)],
  );
  const { ReturnValues } = request;
  return ReturnValues
    ? { ...one, context: { ...one.context, 'dynamodb:ReturnValues': [ReturnValues] } }
    : one;
}

/** The partition that the key condition names: the value that begins with an item type. */
function queryOf(request: Request): IamRequest {
  const condition = request.KeyConditionExpression ?? '';
  const placeholder = /=\s*(:\w+)/.exec(condition)?.[1] ?? '';
  const partition = request.ExpressionAttributeValues?.[placeholder]?.S ?? '';
  const one = iamRequest('Query', [partition], attributesOf(request));
  return request.IndexName ? { ...one, resource: `${tableArn}/index/${request.IndexName}` } : one;
}

const iamRequest = (
  action: string,
  partitions: readonly string[],
  attributes: readonly string[],
): IamRequest => ({
  action: `dynamodb:${action}`,
  resource: tableArn,
  context: {
    'dynamodb:LeadingKeys': [...new Set(partitions)],
    'dynamodb:Attributes': [...new Set(attributes)].sort(),
  },
});

const partitionOf = (item: Item): string => item.pk?.S ?? '';

/** The top-level attributes in the expressions of a request. */
function attributesOf(request: Request): string[] {
  const { ExpressionAttributeNames: names = {} } = request;
  return [
    request.UpdateExpression,
    request.ConditionExpression,
    request.KeyConditionExpression,
    request.FilterExpression,
    request.ProjectionExpression,
  ].flatMap((expression) =>
    expression === undefined ? [] : attributesIn(expression).map((name) => names[name] ?? name),
  );
}

const words = new Set(['SET', 'REMOVE', 'ADD', 'DELETE', 'AND', 'OR', 'NOT', 'IN', 'BETWEEN']);

/** Names of an expression: neither words of the language nor functions, and of a path only its beginning. */
function attributesIn(expression: string): string[] {
  const tokens = tokensOf(expression);
  return tokens
    .filter(({ kind, text }, at) => {
      const isFunction = tokens[at + 1]?.text === '(';
      const isInPath = tokens[at - 1]?.text === '.';
      const isName = kind === 'name' || (kind === 'word' && !words.has(text.toUpperCase()));
      return isName && !isFunction && !isInPath;
    })
    .map(({ text }) => text);
}
