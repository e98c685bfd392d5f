import { nameOf } from './calls.ts';
import type { EngineAnswer, Forward } from './forward.ts';
import type { ArrivingCall } from './rules.ts';

type Item = Readonly<Record<string, unknown>>;
const writes = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems', 'BatchWriteItem']);

/**
 * Lets indexes lag: a query of one does not see items that were written, through this proxy, a moment ago. What it does see comes in full
 * pages, as it would from an index that has not got the others yet. An entry that should be gone is gone at once: only new ones lag.
 */
export class IndexLag {
  readonly #writtenAt = new Map<string, number>();

  /** Remembers what a call wrote. */
  wrote({ operation, items }: ArrivingCall): void {
    if (!writes.has(operation)) return;
    for (const item of items) this.#writtenAt.set(item, performance.now());
  }

  /** Queries on until the page is as full as it was asked to be, or the index ends. */
  async query(forward: Forward, body: Readonly<Record<string, unknown>>, lagMs: number): Promise<EngineAnswer> {
    const { Limit = Number.POSITIVE_INFINITY } = body as { Limit?: number };
    const since = performance.now() - lagMs;
    const isVisible = (item: Item): boolean => (this.#writtenAt.get(nameOf(item)) ?? Number.NEGATIVE_INFINITY) < since;
    const seen: Item[] = [];
    let next = body.ExclusiveStartKey;
    for (;;) {
      const answer = await forward({ ...body, ...(next !== undefined && { ExclusiveStartKey: next }) });
      if (answer.status !== 200) return answer;
      const { Items = [], LastEvaluatedKey, ...rest } = answer.json as { Items?: Item[]; LastEvaluatedKey?: Item };
      seen.push(...Items.filter(isVisible));
      const isFull = seen.length >= Limit;
      if (!isFull && LastEvaluatedKey) {
        next = LastEvaluatedKey;
        continue;
      }
      const page = isFull ? seen.slice(0, Limit) : seen;
      // Beside its keys, which are its `LastEvaluatedKey`, an entry of a large lead holds the size.
      const { largeKb: _size, ...lastKeys } = page.at(-1) ?? {};
      const last = page.length > 0 && (seen.length > page.length || LastEvaluatedKey) ? lastKeys : undefined;
      const json = {
        ...rest,
        Items: page,
        Count: page.length,
        ScannedCount: page.length,
        ...(last && { LastEvaluatedKey: last }),
      };
      return { ...answer, json };
    }
  }
}
