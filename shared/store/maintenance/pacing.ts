import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../table/client.ts';
import { addConsumed, noConsumedCapacity, readCommand } from '../table/consumed-capacity.ts';

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

  /** Corrects what was taken by an estimate: the difference, which is negative if the estimate was too high. */
  correct(units: number): void {
    this.#nextAt += units * this.#msPerUnit;
  }
}

/** A partition serves 3,000 read units per second (AWS: DynamoDB burst and adaptive capacity). The rest is left for live traffic. */
export const readUnitsPerSecondDefault = 1000;

/**
 * The same table, whose reads consume at most so many read units per second. Only a response says what its read consumed, so a read first
 * takes what the last read by the same command consumed, and corrects that by its own response: parallel reads that all waited for the
 * responses before them would begin at the same moment. They share the rate, and each of them may begin with one page. Writes are not delayed.
 */
export function withPacedReads(table: Table, readUnitsPerSecond: number): Table {
  const limiter = new RateLimiter(readUnitsPerSecond);
  const lastUnits = new Map<string, number>();
  const middlewareStack = table.client.middlewareStack.clone();
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!readCommand.test(commandName)) return next(args);
        const estimate = lastUnits.get(commandName) ?? 0;
        await limiter.take(estimate);
        const response = await next({
          ...args,
          input: { ReturnConsumedCapacity: 'TOTAL', ...args.input },
        });
        const consumedCapacity = noConsumedCapacity();
        addConsumed(consumedCapacity, commandName, response.output);
        lastUnits.set(commandName, consumedCapacity.readUnits);
        limiter.correct(consumedCapacity.readUnits - estimate);
        return response;
      },
    { step: 'initialize', name: 'paceReads' },
  );
  const client: DynamoDBDocumentClient = Object.create(table.client, {
    middlewareStack: { value: middlewareStack },
  });
  return { ...table, client };
}
