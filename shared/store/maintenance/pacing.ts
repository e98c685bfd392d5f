import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetCommand, GetCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { sendingThrough, type Table } from '../table/client.ts';
import { metered, noConsumedCapacity } from '../table/consumed-capacity.ts';

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

const reads = [GetCommand, BatchGetCommand, QueryCommand, ScanCommand] as const;

/**
 * The same table, whose reads consume at most so many read units per second. Only a response says what its read consumed, so a read first
 * takes what the last read by the same command consumed, and corrects that by its own response: parallel reads that all waited for the
 * responses before them would begin at the same moment. They share the rate, and each of them may begin with one page. Writes are not delayed.
 */
export function withPacedReads(table: Table, readUnitsPerSecond: number): Table {
  const limiter = new RateLimiter(readUnitsPerSecond);
  const lastUnits = new Map<(typeof reads)[number], number>();
  return sendingThrough(table, (send) => async (command, options) => {
    const kind = reads.find((one) => command instanceof one);
    if (!kind) return send(command, options);
    const estimate = lastUnits.get(kind) ?? 0;
    await limiter.take(estimate);
    const consumedCapacity = noConsumedCapacity();
    const response = await metered(send, consumedCapacity)(command, options);
    lastUnits.set(kind, consumedCapacity.readUnits);
    limiter.correct(consumedCapacity.readUnits - estimate);
    return response;
  });
}

/** The same table for a dry run: other calls than reads are not sent, and seem to succeed. */
export const withoutWrites = (table: Table): Table =>
  sendingThrough(
    table,
    (send) => async (command, options) =>
      reads.some((one) => command instanceof one) ? send(command, options) : {},
  );

/**
 * As `Promise.all`, but an error waits for the others: when a command fails, nothing that it began is still being written.
 * @throws the error of the first that failed, in the order given
 */
export async function allSettled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
