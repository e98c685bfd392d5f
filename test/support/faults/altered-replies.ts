import { nameOf } from './calls.ts';
import type { ArrivingCall, Fault } from './rules.ts';

/** The engine's answer to a call that the proxy passed on. */
export interface EngineReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Record<string, unknown>;
}

/** Sends a call on to the engine, with this body in the place of its own. */
export type Forward = (body: Readonly<Record<string, unknown>>) => Promise<EngineReply>;

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

type Keys = readonly Readonly<Record<string, unknown>>[];
type RequestItems = Readonly<
  Record<string, { readonly Keys: Keys } & Readonly<Record<string, unknown>>>
>;

/**
 * Replies to a `BatchGetItem` as DynamoDB does when capacity or space is short: 200, and a part of the keys in `UnprocessedKeys`.
 * Where every key is unprocessed (`share` 1), DynamoDB replies with an error instead; a caller must handle both.
 */
export async function leaveUnprocessed(
  forward: Forward,
  body: Readonly<Record<string, unknown>>,
  { share, random }: Extract<Fault, { kind: 'unprocessed' }>,
): Promise<EngineReply> {
  const asked = body.RequestItems as RequestItems;
  const [table, request] = Object.entries(asked)[0] ?? [];
  if (table === undefined || !request) return forward(body);
  const certain = Math.floor(random() * request.Keys.length);
  const isLeft = request.Keys.map((_, index) => index === certain || random() < share);
  const left = { ...request, Keys: request.Keys.filter((_, index) => isLeft[index]) };
  const read = { ...request, Keys: request.Keys.filter((_, index) => !isLeft[index]) };
  const UnprocessedKeys = { [table]: left };
  if (read.Keys.length === 0)
    return { status: 200, headers: {}, json: { Responses: { [table]: [] }, UnprocessedKeys } };
  const answer = await forward({ ...body, RequestItems: { [table]: read } });
  return { ...answer, json: { ...answer.json, UnprocessedKeys } };
}
