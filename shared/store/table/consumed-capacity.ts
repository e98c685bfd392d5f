import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Table } from './client.ts';

/** What one call has cost at DynamoDB so far. A refused write's units are missing: DynamoDB bills them, but does not report them. */
export interface ConsumedCapacity {
  /** Requests, the SDK's own retries included. */
  calls: number;
  readUnits: number;
  writeUnits: number;
}

export const noConsumedCapacity = (): ConsumedCapacity => ({ calls: 0, readUnits: 0, writeUnits: 0 });

interface CapacityPart {
  readonly CapacityUnits?: number | undefined;
  /** Of a transaction alone. */
  readonly ReadCapacityUnits?: number | undefined;
}
interface Answered {
  readonly ConsumedCapacity?: CapacityPart | readonly CapacityPart[] | undefined;
  readonly $metadata?: { readonly attempts?: number };
}

const reading = /^(Get|BatchGet|Query|Scan|TransactGet)/;

/**
 * The same table, with every request added to `consumed`. Asking DynamoDB for the figures is free; who asks for them in more
 * detail still gets that. The connection is shared, the middleware is not: calls beside one another are told apart.
 */
export function withCapacityMetering(table: Table, consumedCapacity: ConsumedCapacity): Table {
  const middlewareStack = table.client.middlewareStack.clone();
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        try {
          const answer = await next({ ...args, input: { ReturnConsumedCapacity: 'TOTAL', ...args.input } });
          add(consumedCapacity, commandName, answer.output as Answered);
          return answer;
        } catch (error) {
          add(consumedCapacity, commandName, error as Answered);
          throw error;
        }
      },
    { step: 'initialize', name: 'measureConsumed' },
  );
  return {
    ...table,
    client: Object.create(table.client, { middlewareStack: { value: middlewareStack } }) as DynamoDBDocumentClient,
  };
}

function add(consumedCapacity: ConsumedCapacity, commandName: string, { ConsumedCapacity, $metadata }: Answered): void {
  consumedCapacity.calls += $metadata?.attempts ?? 1;
  for (const { CapacityUnits = 0, ReadCapacityUnits = 0 } of [ConsumedCapacity ?? []].flat()) {
    const reads = reading.test(commandName) ? CapacityUnits : ReadCapacityUnits;
    consumedCapacity.readUnits += reads;
    consumedCapacity.writeUnits += CapacityUnits - reads;
  }
}
