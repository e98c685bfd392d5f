import { unmarshall } from '@aws-sdk/util-dynamodb';
import { chainLengths, type RecordedCall } from '../../../support/faults/calls.ts';
import type { CallLevels } from './bare-handler.ts';

type Marshalled = Parameters<typeof unmarshall>[0];
const itemsByName: ReadonlySet<string> = new Set([
  'Key',
  'Item',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
]);

/** Recorded calls, grouped by their place in the chain of calls that waited for one another. Items are as the document client takes them. */
export function callLevels(calls: readonly RecordedCall[]): CallLevels {
  const levels: { operation: string; input: object }[][] = [];
  for (const [{ operation, body }, length] of chainLengths(calls)) {
    const input = unmarshalled(body) as object;
    levels[length - 1] = [...(levels[length - 1] ?? []), { operation, input }];
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
