import { recordFailedOperation } from '../../observability/failed-operation.ts';
import { type Send, sendingThrough, type Table } from './client.ts';

/** A consistent read costs one read unit for each 4 KB (AWS: DynamoDB read consumption). */
export const bytesPerReadUnit = 4096;

/**
 * What a request has cost in DynamoDB so far. DynamoDB does not report the units of a write whose condition failed, although it bills them.
 */
export interface ConsumedCapacity {
  /** The number of requests to DynamoDB, including the SDK's retries. */
  calls: number;
  readUnits: number;
  writeUnits: number;
}

export const noConsumedCapacity = (): ConsumedCapacity => ({
  calls: 0,
  readUnits: 0,
  writeUnits: 0,
});

interface CapacityPart {
  readonly CapacityUnits?: number | undefined;
  /** Only in a transaction's response. */
  readonly ReadCapacityUnits?: number | undefined;
}
interface MeteredResponse {
  readonly ConsumedCapacity?: CapacityPart | CapacityPart[] | undefined;
  readonly $metadata?: { readonly attempts?: number };
}

/** Matches the names of SDK commands that only read. */
export const readCommand = /^(Get|BatchGet|Query|Scan|TransactGet)/;

/**
 * Wraps the table so that each request adds its capacity to `consumedCapacity`, and an error records its operation. Asking DynamoDB for
 * these numbers is free, and a command that asks for more detail still gets it. Different wraps count separately, even in parallel.
 */
export const withCapacityMetering = (table: Table, consumedCapacity: ConsumedCapacity): Table =>
  sendingThrough(table, (send) => metered(send, consumedCapacity));

export const metered =
  (send: Send, consumedCapacity: ConsumedCapacity): Send =>
  (command, options) => {
    command.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          try {
            const input = { ReturnConsumedCapacity: 'TOTAL' as const, ...args.input };
            const response = await next({ ...args, input });
            addConsumed(consumedCapacity, commandName, response.output);
            return response;
          } catch (error) {
            addConsumed(consumedCapacity, commandName, error);
            recordFailedOperation(error, commandName.replace(/Command$/, ''));
            throw error;
          }
        },
      // The document client's commands apply the middleware a second time, to the command that they wrap.
      { step: 'initialize', name: 'consumedCapacity', override: true },
    );
    return send(command, options);
  };

/** Adds the capacity of one request, from its response or its error. */
function addConsumed(
  consumedCapacity: ConsumedCapacity,
  commandName: string,
  responseOrError: unknown,
): void {
  const { ConsumedCapacity, $metadata } = responseOrError as MeteredResponse;
  consumedCapacity.calls += $metadata?.attempts ?? 1;
  // A single value, or one for each table.
  for (const { CapacityUnits = 0, ReadCapacityUnits = 0 } of [ConsumedCapacity ?? []].flat()) {
    const reads = readCommand.test(commandName) ? CapacityUnits : ReadCapacityUnits;
    consumedCapacity.readUnits += reads;
    consumedCapacity.writeUnits += CapacityUnits - reads;
  }
}
