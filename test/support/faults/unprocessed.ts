import type { EngineAnswer, Forward } from './forward.ts';
import type { Fault } from './rules.ts';

type Keys = readonly Readonly<Record<string, unknown>>[];
type RequestItems = Readonly<Record<string, { readonly Keys: Keys } & Readonly<Record<string, unknown>>>>;

/**
 * Answers a `BatchGetItem` as DynamoDB does when it is short of capacity or of room: 200, and a part of the keys in `UnprocessedKeys`.
 * All of them, as in `share` 1, is what DynamoDB answers with an error instead; a caller must survive both.
 */
export async function leaveUnprocessed(
  forward: Forward,
  body: Readonly<Record<string, unknown>>,
  { share, random }: Extract<Fault, { kind: 'unprocessed' }>,
): Promise<EngineAnswer> {
  const asked = body.RequestItems as RequestItems;
  const [table, request] = Object.entries(asked)[0] ?? [];
  if (table === undefined || !request) return forward(body);
  const certain = Math.floor(random() * request.Keys.length);
  const isLeft = request.Keys.map((_, index) => index === certain || random() < share);
  const left = { ...request, Keys: request.Keys.filter((_, index) => isLeft[index]) };
  const read = { ...request, Keys: request.Keys.filter((_, index) => !isLeft[index]) };
  const UnprocessedKeys = { [table]: left };
  if (read.Keys.length === 0) return { status: 200, headers: {}, json: { Responses: { [table]: [] }, UnprocessedKeys } };
  const answer = await forward({ ...body, RequestItems: { [table]: read } });
  return { ...answer, json: { ...answer.json, UnprocessedKeys } };
}
