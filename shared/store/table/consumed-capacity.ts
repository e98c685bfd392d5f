import { recordFailedOperation } from '../../observability/failed-operation.ts';
import { type Send, sendingThrough, type Table } from './client.ts';

/** A consistent read costs one read unit for each 4 KB (AWS: DynamoDB read consumption). */
export const bytesPerReadUnit = 4096;

/** What one call has cost in DynamoDB so far. DynamoDB does not report the units of a write whose condition failed, although it bills them. */
export interface ConsumedCapacity {
  /** Requests, the SDK's retries included. */
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
  /** Only of a transaction. */
  readonly ReadCapacityUnits?: number | undefined;
}
interface MeteredResponse {
  readonly ConsumedCapacity?: CapacityPart | CapacityPart[] | undefined;
  readonly $metadata?: { readonly attempts?: number };
}

/** Commands of the SDK that only read, by their names. */
const readCommand = /^(Get|BatchGet|Query|Scan|TransactGet)/;

/**
 * Wraps the table: adds each request's capacity to `consumedCapacity`, and records which operation an error is of. Asking DynamoDB for the
 * numbers is free; a command that asks for more detail still gets it. Calls of different wraps that run in parallel are counted apart.
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
      // A command of the document client applies its middleware a second time, to the command that it wraps.
      { step: 'initialize', name: 'consumedCapacity', override: true },
    );
    return send(command, options);
  };

/** Adds what one request consumed, by its response or its error. */
function addConsumed(
  consumedCapacity: ConsumedCapacity,
  commandName: string,
  responseOrError: unknown,
): void {
  const { ConsumedCapacity, $metadata } = responseOrError as MeteredResponse;
  consumedCapacity.calls += $metadata?.attempts ?? 1;
  // One part, or one for each table.
  for (const { CapacityUnits = 0, ReadCapacityUnits = 0 } of [ConsumedCapacity ?? []].flat()) {
    const reads = readCommand.test(commandName) ? CapacityUnits : ReadCapacityUnits;
    consumedCapacity.readUnits += reads;
    consumedCapacity.writeUnits += CapacityUnits - reads;
  }
}
