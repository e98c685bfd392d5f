import { compareText, type Item } from './attribute-values.ts';
import { type ChooseState, StoredItem } from './stored-item.ts';
import { type IndexSchema, type KeyText, keyTextOf, type TableSchema } from './table-schema.ts';

/** An item as a read meets it: a table's own, or what an index projects of it. */
export interface FoundItem {
  readonly item: Item;
  readonly sort: string;
  readonly key: KeyText;
}

/** The items of one partition key, in the order of their sort keys. */
class Partition {
  readonly byKey = new Map<string, StoredItem>();
  readonly sorted: StoredItem[] = [];
}

/** A table with its indexes. Reads are at a moment of simulated time. */
export class Table {
  readonly schema: TableSchema;
  readonly createdAt: number;
  timeToLiveAttribute: string | undefined;
  readonly #partitions = new Map<string, Partition>();
  /** By index: the items that have, or had within the last seconds, a partition key of the index. */
  readonly #indexed = new Map<string, Map<string, Set<StoredItem>>>();
  #scanOrder:
    | { readonly hash: number; readonly text: string; readonly partition: Partition }[]
    | undefined;

  constructor(schema: TableSchema, createdAt: number) {
    this.schema = schema;
    this.createdAt = createdAt;
    for (const { name } of schema.indexes) this.#indexed.set(name, new Map());
  }

  find({ partition, sort }: KeyText): StoredItem | undefined {
    return this.#partitions.get(partition)?.byKey.get(sort);
  }

  /** The place of a key, made when it is not there. */
  place(key: KeyText): StoredItem {
    let partition = this.#partitions.get(key.partition);
    if (!partition) {
      partition = new Partition();
      this.#partitions.set(key.partition, partition);
      this.#scanOrder = undefined;
    }
    const known = partition.byKey.get(key.sort);
    if (known) return known;
    const stored = new StoredItem(key);
    partition.byKey.set(key.sort, stored);
    partition.sorted.splice(this.#lowerBound(partition.sorted, key.sort), 0, stored);
    return stored;
  }

  write(stored: StoredItem, item: Item | undefined, now: number): void {
    stored.write(item, now);
    if (!item) return;
    for (const index of this.schema.indexes) {
      if (!entryIn(index, item)) continue;
      const byKey = this.#indexed.get(index.name) as Map<string, Set<StoredItem>>;
      const text = keyTextOf(item[index.partition]);
      const items = byKey.get(text);
      if (items) items.add(stored);
      else byKey.set(text, new Set([stored]));
    }
  }

  /** The items under a partition key, in order. @param choose undefined for a consistent read */
  inPartition(partitionKey: string, now: number, choose: ChooseState | undefined): FoundItem[] {
    const partition = this.#partitions.get(partitionKey);
    return partition ? this.#read(partition, now, choose) : [];
  }

  #read(partition: Partition, now: number, choose: ChooseState | undefined): FoundItem[] {
    const found: FoundItem[] = [];
    for (const stored of partition.sorted) {
      const item = stored.read(now, choose);
      if (item) found.push({ item, sort: stored.key.sort, key: stored.key });
    }
    return found;
  }

  /** The entries of an index under its partition key, in order. Each item is at a state of its own; an index never goes back. */
  inIndex(index: IndexSchema, partitionKey: string, now: number, choose: ChooseState): FoundItem[] {
    const stored = this.#indexed.get(index.name)?.get(partitionKey);
    if (!stored) return [];
    const found: FoundItem[] = [];
    for (const one of stored) {
      const states = one.statesIn(index.name, now);
      if (!states.some(({ item }) => entryUnder(index, item, partitionKey))) {
        stored.delete(one);
        continue;
      }
      const state = one.chosen(states, choose);
      if (states.length > 1) one.reach(index.name, state.version);
      const item = entryUnder(index, state.item, partitionKey);
      if (item) found.push({ item, sort: keyTextOf(item[index.sort]), key: one.key });
    }
    return found.sort((a, b) => compareText(a.sort, b.sort) || compareKeys(a.key, b.key));
  }

  /** Every item of a segment in the order of a scan, from behind a key. */
  *scan(
    segment: Segment,
    after: KeyText | undefined,
    now: number,
    choose: ChooseState | undefined,
  ): Generator<FoundItem> {
    this.#scanOrder ??= [...this.#partitions]
      .map(([text, partition]) => ({ hash: hashOf(text), text, partition }))
      .sort((a, b) => a.hash - b.hash || compareText(a.text, b.text));
    const from = after ? hashOf(after.partition) : 0;
    for (const { hash, text, partition } of this.#scanOrder) {
      if (hash < from || Math.floor((hash / 2 ** 32) * segment.total) !== segment.number) continue;
      if (after && hash === from && compareText(text, after.partition) < 0) continue;
      for (const found of this.#read(partition, now, choose)) {
        if (
          !after ||
          found.key.partition !== after.partition ||
          compareText(found.sort, after.sort) > 0
        )
          yield found;
      }
    }
  }

  /** Everything that is stored, for a check of the whole. */
  *all(): Generator<StoredItem> {
    for (const { sorted } of this.#partitions.values())
      for (const stored of sorted) if (stored.current) yield stored;
  }

  #lowerBound(sorted: readonly StoredItem[], sort: string): number {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareText((sorted[middle] as StoredItem).key.sort, sort) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export interface Segment {
  readonly number: number;
  readonly total: number;
}

/** The order of items whose sort keys in an index are the same. */
export const compareKeys = (one: KeyText, other: KeyText): number =>
  compareText(one.partition, other.partition) || compareText(one.sort, other.sort);

const entries = new WeakMap<Item, Map<string, Item>>();

/** What an index holds of an item; the same object for the same item, so that its size is counted once. */
export function entryIn(
  { name, partition, sort, projects }: IndexSchema,
  item: Item | undefined,
): Item | undefined {
  if (item?.[partition] === undefined || item[sort] === undefined) return undefined;
  const known = entries.get(item) ?? new Map<string, Item>();
  const before = known.get(name);
  if (before) return before;
  const entry = Object.fromEntries(
    Object.entries(item).filter(([attribute]) => projects.has(attribute)),
  );
  entries.set(item, known.set(name, entry));
  return entry;
}

function entryUnder(
  index: IndexSchema,
  item: Item | undefined,
  partitionKey: string,
): Item | undefined {
  const entry = entryIn(index, item);
  return keyTextOf(entry?.[index.partition]) === partitionKey ? entry : undefined;
}

/** An order of partition keys that has nothing to do with theirs (FNV-1a), as a scan's has. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
