import { nameOf } from './calls.ts';
import type { EngineReply, Forward } from './forward.ts';
import type { ArrivingCall } from './rules.ts';

type Item = Readonly<Record<string, unknown>>;
const writes = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'TransactWriteItems',
  'BatchWriteItem',
]);

/**
 * Lets indexes lag: a query does not see items that were written through this proxy a moment ago. The items that it sees come in full
 * pages, as from an index that does not have the others yet. Only new entries lag: a deleted one is gone at once.
 */
export class IndexLag {
  readonly #writtenAt = new Map<string, number>();

  /** Records what a call wrote. */
  wrote({ operation, items }: ArrivingCall): void {
    if (!writes.has(operation)) return;
    for (const item of items) this.#writtenAt.set(item, performance.now());
  }

  /** Queries until the page has the requested items, or the index ends. */
  async query(
    forward: Forward,
    body: Readonly<Record<string, unknown>>,
    lagMs: number,
  ): Promise<EngineReply> {
    const { Limit = Number.POSITIVE_INFINITY } = body as { Limit?: number };
    const since = performance.now() - lagMs;
    const isVisible = (item: Item): boolean =>
      (this.#writtenAt.get(nameOf(item)) ?? Number.NEGATIVE_INFINITY) < since;
    const seen: Item[] = [];
    let next = body.ExclusiveStartKey;
    for (;;) {
      const answer = await forward({
        ...body,
        ...(next !== undefined && { ExclusiveStartKey: next }),
      });
      if (answer.status !== 200) return answer;
      const {
        Items = [],
        LastEvaluatedKey,
        ...rest
      } = answer.json as { Items?: Item[]; LastEvaluatedKey?: Item };
      seen.push(...Items.filter(isVisible));
      const isFull = seen.length >= Limit;
      if (!isFull && LastEvaluatedKey) {
        next = LastEvaluatedKey;
        continue;
      }
      const page = isFull ? seen.slice(0, Limit) : seen;
      // An entry of a large lead has its size in addition to its keys, which are its `LastEvaluatedKey`.
      const { largeKb: _size, ...lastKeys } = page.at(-1) ?? {};
      const last =
        page.length > 0 && (seen.length > page.length || LastEvaluatedKey) ? lastKeys : undefined;
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
