import { inspect } from 'node:util';
import fc from 'fast-check';
import type { Item } from '../attribute-values.ts';
import { SimulatedDynamodb } from '../dynamodb-model.ts';
import { NotModelledError } from '../errors.ts';
import { answerTo } from '../json-protocol.ts';
import type { Reply, Request } from '../request.ts';
import { type RandomCall, randomCalls, tableRequest } from './random-requests.ts';

/** The result of a request. */
export type Outcome =
  | { readonly reply: Reply }
  | {
      readonly error: string;
      readonly message: string;
      readonly reasons?: readonly { readonly Code: string; readonly Item?: Item }[];
      readonly item?: Item;
    };

/** A request that two took differently. */
export interface Disagreement {
  readonly call: RandomCall;
  readonly model: Outcome;
  readonly engine: Outcome;
}

/** An engine reads who signed a request, but does not verify the signature. */
const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=agreement/20260101/ap-south-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

async function askEngine(endpoint: string, { operation, request }: RandomCall): Promise<Outcome> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { ...headers, ...targetOf(operation) },
    body: JSON.stringify(request),
  });
  return outcomeOf(operation, response.ok, await response.text());
}

/** @returns undefined for a request of a kind that the model does not have */
async function askModel(
  model: SimulatedDynamodb,
  { operation, request }: RandomCall,
): Promise<Outcome | undefined> {
  const sent = { headers: targetOf(operation), body: JSON.stringify(request) };
  try {
    const { response } = await answerTo(sent, (...call) => model.executeNow(...call));
    const text = new TextDecoder().decode(response.body);
    return outcomeOf(operation, response.statusCode === 200, text);
  } catch (error) {
    if (error instanceof NotModelledError) return undefined;
    throw error;
  }
}

const targetOf = (operation: string) => ({ 'x-amz-target': `DynamoDB_20120810.${operation}` });

function outcomeOf(operation: string, isDone: boolean, text: string): Outcome {
  const body = JSON.parse(text);
  if (isDone) return { reply: withoutOrder(operation, body) };
  const {
    __type,
    Message = '',
    message = Message,
    CancellationReasons: reasons,
    Item: item,
  } = body;
  return { error: __type.split('#').at(-1), message, reasons, item };
}

/** DynamoDB promises no order of the items of a scan or a batch. */
function withoutOrder(operation: string, reply: Reply): Reply {
  const sorted = (items: unknown): unknown[] =>
    (items as unknown[]).toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  if (operation === 'Scan' && reply.Items) return { ...reply, Items: sorted(reply.Items) };
  if (operation !== 'BatchGetItem') return reply;
  const tables = Object.entries(reply.Responses ?? {});
  return { ...reply, Responses: tables.map(([name, items]) => [name, sorted(items)]) };
}

/** The same text for equal values, whatever the order of their names. */
export const textOf = (value: unknown): string =>
  inspect(value, {
    sorted: true,
    compact: true,
    depth: null,
    maxArrayLength: null,
    maxStringLength: null,
    breakLength: Number.POSITIVE_INFINITY,
  });

/** Leaves out the text of an error, which is for people. Its name counts, and the reasons of a cancelled transaction, by position. */
function comparable(outcome: Outcome): string {
  if ('reply' in outcome) return textOf(outcome);
  const { error, reasons, item } = outcome;
  return textOf([error, reasons?.map(({ Code, Item }) => [Code, Item]), item]);
}

interface ComparisonOptions {
  /** Of the engine. */
  readonly endpoint: string;
  readonly seed: number;
  readonly requests: number;
  /** A disagreement that is known: the two are brought together again and go on. */
  readonly isKnown: (disagreement: Disagreement) => boolean;
}

/**
 * Asks the model and an engine the same random things, one after the other, in a table of their own.
 * @returns what they took differently and is not known
 */
export async function compare({
  endpoint,
  seed,
  requests,
  isKnown,
}: ComparisonOptions): Promise<Disagreement[]> {
  const TableName = `agreement-${seed}-${process.pid}-${Date.now()}`;
  const model = new SimulatedDynamodb({ now: () => Date.now() });
  const create = { operation: 'CreateTable', request: tableRequest(TableName) };
  const scan = { operation: 'Scan', request: { TableName, ConsistentRead: true } };
  await askModel(model, create);
  await askEngine(endpoint, create);
  const found: Disagreement[] = [];
  let reconciled = 0;
  const calls = fc.sample(randomCalls(TableName), { seed, numRuns: requests });
  for (const one of [...calls, scan]) {
    const call = withToken(one, `${seed}-${reconciled}`);
    const ofModel = await askModel(model, call);
    if (!ofModel) continue;
    const ofEngine = await askEngine(endpoint, call);
    if (comparable(ofModel) === comparable(ofEngine)) continue;
    const disagreement = { call, model: ofModel, engine: ofEngine };
    if (!isKnown(disagreement)) found.push(disagreement);
    bringTogether(model, TableName, await askEngine(endpoint, scan));
    reconciled += 1;
  }
  await askEngine(endpoint, { operation: 'DeleteTable', request: { TableName } });
  return found;
}

/** An engine keeps tokens longer than a test runs, and knows those of requests that only it has carried out. */
const withToken = ({ operation, request }: RandomCall, mark: string): RandomCall => ({
  operation,
  request: request.ClientRequestToken
    ? { ...request, ClientRequestToken: `${request.ClientRequestToken}-${mark}` }
    : request,
});

/** Gives the model the engine's items. */
function bringTogether(model: SimulatedDynamodb, TableName: string, scanned: Outcome): void {
  const { Items } = ('reply' in scanned ? scanned.reply : {}) as { Items: readonly Item[] };
  const { Items: own } = model.executeNow('Scan', { TableName }) as { Items: readonly Item[] };
  for (const { pk, sk } of own)
    model.executeNow('DeleteItem', { TableName, Key: { pk, sk } } as Request);
  for (const Item of Items) model.executeNow('PutItem', { TableName, Item });
}
