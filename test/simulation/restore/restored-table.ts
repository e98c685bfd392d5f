import { marshall } from '@aws-sdk/util-dynamodb';
import type { Write } from '../checker/history.ts';
import type { Plain } from '../checker/plain.ts';
import { plainItem } from '../checker/plain.ts';
import type { Item } from '../dynamodb/attribute-values.ts';
import type { Table } from '../dynamodb/table.ts';

/** The items of a table by `pk sk`. */
export type Items = ReadonlyMap<string, Plain>;

/** What was in the table after so many of its writes, without the calls of which it then had only a part of the writes. */
export function itemsAfter(writes: readonly Write[], count: number): Items {
  const endOfCall = new Map<object, number>();
  for (const { call, order } of writes) if (call) endOfCall.set(call, order);
  const items = new Map<string, Plain>();
  for (const { call, order, pk, sk, after } of writes.slice(0, count)) {
    if (call && (endOfCall.get(call) ?? order) >= count) continue;
    if (after) items.set(`${pk} ${sk}`, after);
    else items.delete(`${pk} ${sk}`);
  }
  return items;
}

/** What is in a table now. */
export const itemsOf = (table: Table): Items =>
  new Map(
    [...table.all()].flatMap(({ key, current }) =>
      current ? [[`${key.partition} ${key.sort}`, plainItem(current)] as const] : [],
    ),
  );

/** Puts items into a table, so long ago that every read shows them. */
export function fill(table: Table, items: Items, now: number): void {
  for (const item of items.values()) {
    const { pk, sk } = item as { pk: string; sk: string };
    const place = table.place({ partition: pk, sort: sk });
    table.write(place, marshall(item, { removeUndefinedValues: true }) as Item, now - 3_600_000);
  }
}

/** Items whose partition key begins so. */
export const itemsUnder = (items: Items, prefix: string): [string, Plain][] =>
  [...items].filter(([name]) => name.startsWith(prefix));
