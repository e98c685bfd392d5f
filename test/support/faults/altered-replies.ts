import type { Fault } from './rules.ts';

/** The engine's answer to a call that the proxy passed on. */
export interface EngineReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Record<string, unknown>;
}

/** Sends a call on to the engine, with this body in the place of its own. */
export type Forward = (body: Readonly<Record<string, unknown>>) => Promise<EngineReply>;

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
