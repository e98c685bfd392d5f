import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { CallLevels } from './bare-handler.ts';
import type { CannedCall } from './canned-dynamodb.ts';

type Marshalled = Parameters<typeof unmarshall>[0];
const itemsByName: ReadonlySet<string> = new Set([
  'Key',
  'Item',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
]);

/** Recorded calls by who waited for whom, their items as the document client takes them. */
export function callLevels(calls: readonly CannedCall[]): CallLevels {
  const levels: { operation: string; input: object }[][] = [];
  const levelOf = new Map<CannedCall, number>();
  for (const call of [...calls].sort((a, b) => a.startedAt - b.startedAt)) {
    const waitedFor = [...levelOf]
      .filter(([before]) => before.endedAt <= call.startedAt)
      .map(([, level]) => level + 1);
    const level = Math.max(0, ...waitedFor);
    levelOf.set(call, level);
    const input = unmarshalled(call.input) as object;
    levels[level] = [...(levels[level] ?? []), { operation: call.operation, input }];
  }
  return levels;
}

function unmarshalled(value: unknown, name = ''): unknown {
  if (itemsByName.has(name)) return unmarshall(value as Marshalled);
  if (name === 'Keys') return (value as Marshalled[]).map((key) => unmarshall(key));
  if (Array.isArray(value)) return value.map((one) => unmarshalled(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, unmarshalled(one, key)]),
  );
}
