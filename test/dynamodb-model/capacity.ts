import type { Item } from './attribute-values.ts';
import type { Reply, Request } from './request.ts';
import { sizeOf } from './stored-item.ts';
import { entryOf, isIn, type Table } from './table.ts';
import type { IndexSchema } from './table-schema.ts';

/** Units that an operation cost at one table (developer guide, "Read and write operations"). */
export class Consumed {
  readonly table: Table;
  readUnits = 0;
  writeUnits = 0;
  readonly indexUnits = new Map<string, number>();
  readonly #isTransaction: boolean;

  constructor(table: Table, isTransaction = false) {
    this.table = table;
    this.#isTransaction = isTransaction;
  }

  /** @param bytes of all items that are counted as one */
  read(bytes: number, isConsistent: boolean): void {
    this.readUnits += readUnits(bytes) * (this.#isTransaction ? 2 : isConsistent ? 1 : 0.5);
  }

  readIndex(index: string, bytes: number): void {
    this.addIndex(index, readUnits(bytes) * 0.5);
  }

  addIndex(index: string, units: number): void {
    if (units > 0) this.indexUnits.set(index, (this.indexUnits.get(index) ?? 0) + units);
  }

  write({ table, indexes }: WriteCost): void {
    this.writeUnits += table * (this.#isTransaction ? 2 : 1);
    for (const [index, units] of indexes) this.addIndex(index, units);
  }

  /** As `ReturnConsumedCapacity` asks for it. A transaction's units are told apart: one that is repeated under its token only reads. */
  shown(): Record<string, unknown> {
    const ofIndexes = [...this.indexUnits.values()].reduce((sum, units) => sum + units, 0);
    const writeUnits = this.writeUnits + ofIndexes;
    const isRead = this.readUnits > 0;
    return {
      TableName: this.table.schema.name,
      CapacityUnits: this.readUnits + writeUnits,
      ...(this.#isTransaction && isRead && { ReadCapacityUnits: this.readUnits }),
      ...(this.#isTransaction && !isRead && { WriteCapacityUnits: writeUnits }),
    };
  }
}

/** The member of a reply that says what it cost, where the request asks for that. */
export function capacityOf(
  { ReturnConsumedCapacity }: Request,
  consumed: Consumed | readonly Consumed[],
): Reply {
  if (!ReturnConsumedCapacity || ReturnConsumedCapacity === 'NONE') return {};
  const ConsumedCapacity =
    consumed instanceof Consumed ? consumed.shown() : consumed.map((one) => one.shown());
  return { ConsumedCapacity };
}

export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));
const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024));

/** What a write costs, without the doubling of a transaction. */
export interface WriteCost {
  readonly table: number;
  readonly indexes: readonly (readonly [string, number])[];
}

/** A write costs the larger of the item before and after; an index, only when its entry changes, and twice when the entry moves. */
export function costOfWrite(
  { schema }: Table,
  before: Item | undefined,
  after: Item | undefined,
): WriteCost {
  const table = writeUnits(Math.max(sizeOf(before), sizeOf(after)));
  const indexes: [string, number][] = [];
  for (const index of schema.indexes) {
    const units = indexCost(index, before, after);
    if (units > 0) indexes.push([index.name, units]);
  }
  return { table, indexes };
}

function indexCost(index: IndexSchema, before: Item | undefined, after: Item | undefined): number {
  const was = before && isIn(index, before) ? entryOf(index, before) : undefined;
  const is = after && isIn(index, after) ? entryOf(index, after) : undefined;
  if (!was || !is) return was || is ? writeUnits(sizeOf(was ?? is)) : 0;
  const isSame = (name: string): boolean => textOf(was, name) === textOf(is, name);
  if (!isSame(index.partition) || !isSame(index.sort))
    return writeUnits(sizeOf(was)) + writeUnits(sizeOf(is));
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...names].every(isSame) ? 0 : writeUnits(Math.max(sizeOf(was), sizeOf(is)));
}

function textOf(item: Item, name: string): string | undefined {
  const value = item[name];
  return value === undefined ? undefined : (value.S ?? value.N ?? JSON.stringify(value));
}
