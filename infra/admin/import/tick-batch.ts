import { setImmediate } from 'node:timers/promises';

/** Collects the items that are added in one turn of the event loop, and runs them together. */
export class TickBatch<T, R> {
  readonly #run: (items: readonly T[]) => Promise<readonly R[]>;
  #items: T[] = [];
  #results: Promise<readonly R[]> | undefined;

  /** @param run returns a result for each item, in the same order */
  constructor(run: (items: readonly T[]) => Promise<readonly R[]>) {
    this.#run = run;
  }

  async add(item: T): Promise<R> {
    this.#results ??= this.#collect();
    const position = this.#items.push(item) - 1;
    return (await this.#results)[position] as R;
  }

  async #collect(): Promise<readonly R[]> {
    await setImmediate();
    const items = this.#items;
    [this.#items, this.#results] = [[], undefined];
    return this.#run(items);
  }
}
