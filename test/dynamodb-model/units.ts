import { isDeepStrictEqual } from 'node:util';
import type { Item } from './attribute-values.ts';
import type { Reply, Request } from './request.ts';
import { sizeOf } from './stored-item.ts';
import { entryIn, type Table } from './table.ts';
import { type IndexSchema, keyTextOf } from './table-schema.ts';

/** What an operation costs at one partition key of a table or of an index (developer guide, "Read and write operations"). */
export interface Units {
  readonly operation: 'read' | 'write';
  /** `''` for the table itself. */
  readonly index: string;
  readonly key: string;
  readonly units: number;
}

/** @param bytes of all items that are counted as one */
export const unitsOfRead = (
  bytes: number,
  { key = '', index = '', isConsistent = false },
): Units => {
  const units = Math.max(1, Math.ceil(bytes / 4096)) * (isConsistent ? 1 : 0.5);
  return { operation: 'read', index, key, units };
};

/** A write costs the larger of the item before and after; an index, only when its entry changes, and twice when the entry moves. */
export const unitsOfWrite = (
  { schema }: Table,
  key: string,
  before: Item | undefined,
  after: Item | undefined,
): Units[] => [
  written('', key, Math.max(sizeOf(before), sizeOf(after))),
  ...schema.indexes.flatMap((index) => unitsOfEntry(index, before, after)),
];

const written = (index: string, key: string, bytes: number): Units => ({
  operation: 'write',
  index,
  key,
  units: Math.max(1, Math.ceil(bytes / 1024)),
});

function unitsOfEntry(
  index: IndexSchema,
  before: Item | undefined,
  after: Item | undefined,
): Units[] {
  const [was, is] = [entryIn(index, before), entryIn(index, after)];
  if (isDeepStrictEqual(was, is)) return [];
  const at = (entry: Item, bytes = sizeOf(entry)): Units =>
    written(index.name, keyTextOf(entry[index.partition]), bytes);
  const stays =
    was &&
    is &&
    [index.partition, index.sort].every((name) => keyTextOf(was[name]) === keyTextOf(is[name]));
  if (stays) return [at(is, Math.max(sizeOf(was), sizeOf(is)))];
  return [was, is].flatMap((entry) => (entry ? [at(entry)] : []));
}

/** In a transaction, the table's units count twice. */
export const doubled = (all: readonly Units[]): Units[] =>
  all.map((one) => (one.index === '' ? { ...one, units: one.units * 2 } : one));

/** `ConsumedCapacity` of a reply, if the request asks for it. */
export const capacityOf = (request: Request, { schema }: Table, units: readonly Units[]): Reply =>
  asksForCapacity(request)
    ? { ConsumedCapacity: { TableName: schema.name, CapacityUnits: sumOf(units) } }
    : {};

/** The same for several tables. For a transaction it says whether the units are reads or writes: one repeated under its token only reads. */
export function capacitiesOf(
  request: Request,
  all: readonly (readonly [Table, readonly Units[]])[],
): Reply {
  if (!asksForCapacity(request)) return {};
  const byTable = Map.groupBy(all, ([table]) => table);
  const ConsumedCapacity = [...byTable].map(([{ schema }, parts]) => {
    const units = parts.flatMap(([, own]) => own);
    const kind = units[0]?.operation === 'read' ? 'ReadCapacityUnits' : 'WriteCapacityUnits';
    const sum = sumOf(units);
    return {
      TableName: schema.name,
      CapacityUnits: sum,
      ...(request.TransactItems && { [kind]: sum }),
    };
  });
  return { ConsumedCapacity };
}

const asksForCapacity = ({ ReturnConsumedCapacity = 'NONE' }: Request): boolean =>
  ReturnConsumedCapacity !== 'NONE';
const sumOf = (all: readonly Units[]): number => all.reduce((sum, { units }) => sum + units, 0);
