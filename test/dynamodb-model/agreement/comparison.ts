import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as sdk from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { SimulatedDynamodb } from '../dynamodb-model.ts';
import { DynamodbError, NotModelledError } from '../errors.ts';
import { requestOf } from '../json-protocol.ts';
import type { Request } from '../request.ts';
import { type RandomCall, randomCalls, tableRequest } from './random-requests.ts';

/** What became of a request, in a form in which equal outcomes are equal. */
export type Outcome =
  | { readonly reply: unknown }
  | {
      readonly error: string;
      readonly message: string;
      readonly reasons?: unknown;
      readonly item?: unknown;
    };

/** A request that two took differently. */
export interface Disagreement {
  readonly call: RandomCall;
  readonly model: Outcome;
  readonly engine: Outcome;
}

type SdkCommand = new (input: object) => Parameters<DynamoDBClient['send']>[0];

/** Sends a request as it is to an engine. */
async function askEngine(
  client: DynamoDBClient,
  { operation, request }: RandomCall,
): Promise<Outcome> {
  const Command = (sdk as unknown as Record<string, SdkCommand>)[`${operation}Command`];
  if (!Command) throw new Error(`The SDK has no command for ${operation}.`);
  try {
    const { $metadata: _metadata, ...reply } = (await client.send(new Command(request))) as {
      $metadata: unknown;
    };
    return { reply: normal(reply, operation) };
  } catch (error) {
    const { name, message, CancellationReasons, Item, $metadata } =
      error as sdk.TransactionCanceledException & {
        Item?: unknown;
      };
    if (!$metadata?.httpStatusCode) throw error;
    return outcomeOf(name, message, CancellationReasons, Item);
  }
}

/** @returns undefined for a request of a kind that the model does not have */
function askModel(
  model: SimulatedDynamodb,
  { operation, request }: RandomCall,
): Outcome | undefined {
  try {
    return { reply: normal(model.executeNow(operation, request), operation) };
  } catch (error) {
    if (error instanceof NotModelledError) return undefined;
    if (!(error instanceof DynamodbError)) throw error;
    const { CancellationReasons, Item } = error.members;
    return outcomeOf(error.name, error.message, CancellationReasons, Item);
  }
}

function outcomeOf(error: string, message: string, reasons: unknown, item: unknown): Outcome {
  return {
    error,
    message,
    ...(reasons !== undefined && { reasons: normal(reasons, '') }),
    ...(item !== undefined && { item: normal(item, '') }),
  };
}

/** Without an order where DynamoDB promises none: names, items of a scan or a batch. */
function normal(value: unknown, operation: string): unknown {
  if (Array.isArray(value)) return value.map((one) => normal(one, operation));
  if (value === null || typeof value !== 'object') return value;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [
        name,
        isUnordered(name, operation) && Array.isArray(member)
          ? ordered(member)
          : normal(member, operation),
      ]),
  );
}

const isUnordered = (name: string, operation: string): boolean =>
  (name === 'Items' && operation === 'Scan') || operation === 'BatchGetItem';

const ordered = (values: readonly unknown[]): unknown[] =>
  values
    .map((value) => normal(value, ''))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

interface ComparisonOptions {
  readonly client: DynamoDBClient;
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
  client,
  seed,
  requests,
  isKnown,
}: ComparisonOptions): Promise<Disagreement[]> {
  const TableName = `agreement-${seed}-${process.pid}-${Date.now()}`;
  const model = new SimulatedDynamodb({ now: () => Date.now() });
  model.executeNow('CreateTable', tableRequest(TableName));
  await client.send(
    new sdk.CreateTableCommand(tableRequest(TableName) as sdk.CreateTableCommandInput),
  );
  const found: Disagreement[] = [];
  let reconciled = 0;
  for (const one of fc.sample(randomCalls(TableName), { seed, numRuns: requests })) {
    const call = withToken(one, `${seed}-${reconciled}`);
    const ofModel = askModel(model, copied(call));
    if (!ofModel) continue;
    const ofEngine = await askEngine(client, call);
    if (!differs(ofModel, ofEngine)) continue;
    const disagreement = { call, model: ofModel, engine: ofEngine };
    if (!isKnown(disagreement)) found.push(disagreement);
    await bringTogether(client, model, TableName);
    reconciled += 1;
  }
  const all = { operation: 'Scan', request: { TableName, ConsistentRead: true } };
  const [ofModel, ofEngine] = [askModel(model, all), await askEngine(client, all)];
  if (ofModel && differs(ofModel, ofEngine))
    found.push({ call: all, model: ofModel, engine: ofEngine });
  await client.send(new sdk.DeleteTableCommand({ TableName }));
  return found;
}

/** An engine keeps tokens longer than a test runs, and knows those of requests that only it has carried out. */
const withToken = ({ operation, request }: RandomCall, mark: string): RandomCall => ({
  operation,
  request: request.ClientRequestToken
    ? { ...request, ClientRequestToken: `${request.ClientRequestToken}-${mark}` }
    : request,
});

/** The model gets a request as the wire would bring it. */
const copied = ({ operation, request }: RandomCall): RandomCall => ({
  operation,
  request: requestOf(JSON.stringify(request)),
});

/** The text of an error is for people: what counts is its name, and by position why a transaction was cancelled. */
const differs = (one: Outcome, other: Outcome): boolean =>
  JSON.stringify(evaluated(one)) !== JSON.stringify(evaluated(other));

function evaluated(outcome: Outcome): unknown {
  if ('reply' in outcome) return outcome;
  const reasons = (outcome.reasons as { Code?: string; Item?: unknown }[] | undefined)?.map(
    ({ Code, Item }) => ({ Code, Item }),
  );
  return { error: outcome.error, reasons, item: outcome.item };
}

/** Gives the model the engine's items. */
async function bringTogether(
  client: DynamoDBClient,
  model: SimulatedDynamodb,
  TableName: string,
): Promise<void> {
  const { Items = [] } = await client.send(
    new sdk.ScanCommand({ TableName, ConsistentRead: true }),
  );
  const { Items: own = [] } = model.executeNow('Scan', { TableName }) as {
    Items?: Record<string, unknown>[];
  };
  for (const { pk, sk } of own)
    model.executeNow('DeleteItem', { TableName, Key: { pk, sk } } as Request);
  for (const Item of Items) model.executeNow('PutItem', { TableName, Item } as Request);
}
