import type { Item } from './attribute-values.ts';
import { sizeOf } from './stored-item.ts';
import { entryOf, type Table } from './table.ts';
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

  /** As `ReturnConsumedCapacity` asks for it. */
  shown(detail: 'TOTAL' | 'INDEXES'): Record<string, unknown> {
    const ofTable = this.readUnits + this.writeUnits;
    const ofIndexes = [...this.indexUnits.values()].reduce((sum, units) => sum + units, 0);
    const shown = {
      TableName: this.table.schema.name,
      CapacityUnits: ofTable + ofIndexes,
      ...(this.#isTransaction && this.#split(ofIndexes)),
    };
    if (detail === 'TOTAL') return shown;
    const indexes = [...this.indexUnits].map(([index, units]) => [index, { CapacityUnits: units }]);
    return {
      ...shown,
      Table: { CapacityUnits: ofTable, ...(this.#isTransaction && this.#split(0)) },
      ...(indexes.length > 0 && { GlobalSecondaryIndexes: Object.fromEntries(indexes) }),
    };
  }

  /** A transaction's units are told apart: one that is repeated under its token only reads. */
  #split(ofIndexes: number): Record<string, number> {
    return this.readUnits > 0
      ? { ReadCapacityUnits: this.readUnits }
      : { WriteCapacityUnits: this.writeUnits + ofIndexes };
  }
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
  const [old, fresh] = [isIn(index, before), isIn(index, after)];
  if (!old && !fresh) return 0;
  if (!old || !fresh) return writeUnits(sizeOf(entryOf(index, (fresh ?? old) as Item)));
  const isSame = (name: string) => textOf(old, name) === textOf(fresh, name);
  const stays = isSame(index.partition.name) && (!index.sort || isSame(index.sort.name));
  const [was, is] = [entryOf(index, old), entryOf(index, fresh)];
  if (!stays) return writeUnits(sizeOf(was)) + writeUnits(sizeOf(is));
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...names].every(isSame) ? 0 : writeUnits(Math.max(sizeOf(was), sizeOf(is)));
}

/** The item, if the index has an entry for it. */
function isIn(index: IndexSchema, item: Item | undefined): Item | undefined {
  if (!item?.[index.partition.name]) return undefined;
  return index.sort && !item[index.sort.name] ? undefined : item;
}

function textOf(item: Item, name: string): string | undefined {
  const value = item[name];
  return value === undefined ? undefined : (value.S ?? value.N ?? JSON.stringify(value));
}
