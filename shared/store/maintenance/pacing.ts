import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../table/client.ts';
import {
  addConsumed,
  type MeteredResponse,
  noConsumedCapacity,
  readCommand,
} from '../table/consumed-capacity.ts';

/** Admits at most so many units per second, evenly spaced. Unused time does not allow a burst later. */
export class RateLimiter {
  readonly #msPerUnit: number;
  #nextAt = 0;

  constructor(unitsPerSecond: number) {
    this.#msPerUnit = 1000 / unitsPerSecond;
  }

  /** Waits until all units before have had their time. */
  async take(units: number): Promise<void> {
    const at = Math.max(Date.now(), this.#nextAt);
    this.#nextAt = at + units * this.#msPerUnit;
    const waitMs = at - Date.now();
    if (waitMs > 0) await sleep(waitMs);
  }

  /** Adds what only the end of the work told. */
  add(units: number): void {
    this.#nextAt += units * this.#msPerUnit;
  }
}

/** A partition serves 3,000 read units per second (AWS: DynamoDB burst and adaptive capacity). The rest is left for live traffic. */
export const readUnitsPerSecondDefault = 1000;

/**
 * The same table, whose reads consume at most so many read units per second. Only a response says what its read consumed, so the reads
 * after it wait for that. Parallel reads share the rate, and each of them may begin with one page. Writes are not delayed.
 */
export function withPacedReads(table: Table, readUnitsPerSecond: number): Table {
  const limiter = new RateLimiter(readUnitsPerSecond);
  const middlewareStack = table.client.middlewareStack.clone();
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!readCommand.test(commandName)) return next(args);
        await limiter.take(0);
        const response = await next({
          ...args,
          input: { ReturnConsumedCapacity: 'TOTAL', ...args.input },
        });
        const consumed = noConsumedCapacity();
        addConsumed(consumed, commandName, response.output as MeteredResponse);
        limiter.add(consumed.readUnits);
        return response;
      },
    { step: 'initialize', name: 'paceReads' },
  );
  return {
    ...table,
    client: Object.create(table.client, {
      middlewareStack: { value: middlewareStack },
    }) as DynamoDBDocumentClient,
  };
}
