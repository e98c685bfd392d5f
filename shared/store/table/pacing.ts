import { setTimeout as sleep } from 'node:timers/promises';
import { sendingThrough, type Table, type TableCommand } from './client.ts';
import { metered, noConsumedCapacity, readCommand } from './consumed-capacity.ts';

/** Admits at most `unitsPerSecond`, evenly spaced. Idle time is not saved up for a burst. */
export class RateLimiter {
  readonly #msPerUnit: number;
  #nextAt = 0;

  constructor(unitsPerSecond: number) {
    this.#msPerUnit = 1000 / unitsPerSecond;
  }

  /** Waits until all earlier units have had their time. */
  async take(units: number): Promise<void> {
    const waitMs = this.#nextAt - Date.now();
    this.spend(units);
    if (waitMs > 0) await sleep(waitMs);
  }

  /** Counts units whose number is known only after the read. */
  spend(units: number): void {
    this.#nextAt = Math.max(Date.now(), this.#nextAt) + units * this.#msPerUnit;
  }
}

/**
 * Waits after a command has locked or deleted leads. It then searches for items that requests have added, but a transaction's items do not
 * become visible all at once.
 */
export const untilVisible = async ({ isDryRun }: Table): Promise<void> => {
  if (!isDryRun) await sleep(visibleMs);
};
const visibleMs = 500;

/** A partition serves 3,000 read units per second (AWS: DynamoDB burst and adaptive capacity). This leaves the rest for live traffic. */
export const readUnitsPerSecondDefault = 1000;

const isRead = (command: TableCommand): boolean => readCommand.test(command.constructor.name);

/**
 * Wraps the table so that its reads stay below `readUnitsPerSecond`. Only a response says what its read consumed, so each read first waits
 * for the units of earlier responses. Parallel reads share the rate, and start together. Writes are not delayed.
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

/** Wraps the table for a dry run: reads are sent, and all other calls only seem to succeed. */
export const withoutWrites = (table: Table): Table => ({
  ...sendingThrough(
    table,
    (send) => async (command, options) => (isRead(command) ? send(command, options) : {}),
  ),
  isDryRun: true,
});

/**
 * Like `Promise.all`, but an error waits for all promises to settle, so that a failed command has no writes in progress.
 * @throws the error of the first failed promise, in the order given
 */
export async function allSettled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
