import type { Item } from './attribute-values.ts';
import type { Consumed, WriteCost } from './capacity.ts';
import type { ThrottlingReason } from './errors.ts';
import type { Table } from './table.ts';
import { keyTextOf } from './table-schema.ts';

/** What one partition gives in a second (developer guide, "Service, account, and table quotas": partition throughput). */
const writeUnitsPerSecond = 1000;
const readUnitsPerSecond = 3000;

/** Units of one partition key, of the table or of an index (`''` is the table). */
interface TakenUnits {
  readonly operation: 'read' | 'write';
  readonly index: string;
  readonly key: string;
  readonly units: number;
}

interface Allowance {
  units: number;
  since: number;
}

/**
 * Units of each partition key of a table and of its indexes, second by second. A key alone on its partition, as adaptive capacity isolates
 * a busy one, has a partition's throughput to itself. An index whose partition is short pushes back on the table's writes.
 */
export class Throughput {
  readonly #allowances = new Map<string, Allowance>();
  readonly #resource: string;

  constructor(resource: string) {
    this.#resource = resource;
  }

  /** Takes what a write costs, from all partitions or from none. @returns why it may not be taken */
  takeWrite(
    table: Table,
    key: string,
    items: readonly (Item | undefined)[],
    { table: units, indexes }: WriteCost,
    now: number,
  ): ThrottlingReason | undefined {
    const parts: TakenUnits[] = [{ operation: 'write', index: '', key, units }];
    for (const [name, ofIndex] of indexes) {
      const index = table.schema.indexes.find((one) => one.name === name);
      const keys = new Set(
        items.flatMap((item) =>
          item && index && item[index.partition] ? [keyTextOf(item[index.partition])] : [],
        ),
      );
      for (const text of keys)
        parts.push({ operation: 'write', index: name, key: text, units: ofIndex / keys.size });
    }
    return this.#take(table, parts, now);
  }

  takeRead(
    consumed: Consumed,
    key: string,
    index: string,
    now: number,
  ): ThrottlingReason | undefined {
    const { table } = consumed;
    const units = index ? (consumed.indexUnits.get(index) ?? 0) : consumed.readUnits;
    return this.#take(table, [{ operation: 'read', index, key, units }], now);
  }

  /** A request passes while anything is left, and may overdraw it. */
  #take(table: Table, parts: readonly TakenUnits[], now: number): ThrottlingReason | undefined {
    const allowances = parts.map(({ operation, index, key }) => {
      const perSecond = operation === 'read' ? readUnitsPerSecond : writeUnitsPerSecond;
      return this.#allowance(`${operation} ${table.schema.name} ${index} ${key}`, perSecond, now);
    });
    for (const [at, { index, operation }] of parts.entries()) {
      if ((allowances[at]?.units ?? 0) <= 0)
        return this.#reason(table, index, operation === 'read' ? 'Read' : 'Write');
    }
    for (const [at, taken] of parts.entries()) {
      const allowance = allowances[at];
      if (allowance) allowance.units -= taken.units;
    }
    return undefined;
  }

  #allowance(name: string, perSecond: number, now: number): Allowance {
    const known = this.#allowances.get(name);
    if (!known) {
      const fresh = { units: perSecond, since: now };
      this.#allowances.set(name, fresh);
      return fresh;
    }
    known.units = Math.min(perSecond, known.units + ((now - known.since) * perSecond) / 1000);
    known.since = now;
    return known;
  }

  #reason({ schema }: Table, index: string, operation: 'Read' | 'Write'): ThrottlingReason {
    return {
      reason: `${index ? 'Index' : 'Table'}${operation}KeyRangeThroughputExceeded`,
      resource: `${this.#resource}:table/${schema.name}${index && `/index/${index}`}`,
    };
  }
}
