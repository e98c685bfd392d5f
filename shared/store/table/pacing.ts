import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchGetCommand,
  GetCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
} from '@aws-sdk/lib-dynamodb';
import { sendingThrough, type Table, type TableCommand } from './client.ts';
import { metered, noConsumedCapacity } from './consumed-capacity.ts';

/** Admits at most so many units per second, evenly spaced. Unused time does not allow a burst later. */
export class RateLimiter {
  readonly #msPerUnit: number;
  #nextAt = 0;

  constructor(unitsPerSecond: number) {
    this.#msPerUnit = 1000 / unitsPerSecond;
  }

  /** Waits until all units before have had their time. */
  async take(units: number): Promise<void> {
    const waitMs = this.#nextAt - Date.now();
    this.spend(units);
    if (waitMs > 0) await sleep(waitMs);
  }

  /** Counts units that are known only afterwards. */
  spend(units: number): void {
    this.#nextAt = Math.max(Date.now(), this.#nextAt) + units * this.#msPerUnit;
  }
}

/**
 * Waits after a command has locked or deleted leads, before it searches for what requests have added: the items of a transaction become visible
 * one after the other.
 */
export const untilVisible = async ({ isDryRun }: Table): Promise<void> => {
  if (!isDryRun) await sleep(visibleMs);
};
const visibleMs = 500;

/** A partition serves 3,000 read units per second (AWS: DynamoDB burst and adaptive capacity). The rest is left for live traffic. */
export const readUnitsPerSecondDefault = 1000;

const isRead = (command: TableCommand): boolean =>
  [GetCommand, BatchGetCommand, QueryCommand, ScanCommand, TransactGetCommand].some(
    (read) => command instanceof read,
  );

/**
 * The same table, whose reads consume at most so many read units per second. Only a response says what its read consumed, so each read waits
 * until those of the responses before have had their time: parallel reads share the rate, and begin together. Writes are not delayed.
 */
export function withPacedReads(table: Table, readUnitsPerSecond: number): Table {
  const limiter = new RateLimiter(readUnitsPerSecond);
  return sendingThrough(table, (send) => async (command, options) => {
    if (!isRead(command)) return send(command, options);
    await limiter.take(0);
    const consumedCapacity = noConsumedCapacity();
    const response = await metered(send, consumedCapacity)(command, options);
    limiter.spend(consumedCapacity.readUnits);
    return response;
  });
}

/** The same table for a dry run: other calls than reads are not sent, and seem to succeed. */
export const withoutWrites = (table: Table): Table => ({
  ...sendingThrough(
    table,
    (send) => async (command, options) => (isRead(command) ? send(command, options) : {}),
  ),
  isDryRun: true,
});

/**
 * As `Promise.all`, but an error waits for the others: when a command fails, nothing that it began is still being written.
 * @throws the error of the first that failed, in the order given
 */
export async function allSettled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
