import type { Item } from './attribute-values.ts';
import type { Consumed, WriteCost } from './capacity.ts';
import type { ThrottlingReason } from './errors.ts';
import type { Table } from './table.ts';
import { keyTextOf } from './table-schema.ts';

/** What one partition gives in a second (developer guide, "Service, account, and table quotas": partition throughput). */
export const writeUnitsPerSecond = 1000;
export const readUnitsPerSecond = 3000;

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
    const parts: [string, string, number][] = [[`write ${table.schema.name} ${key}`, '', units]];
    for (const [name, ofIndex] of indexes) {
      const index = table.schema.indexes.find((one) => one.name === name);
      const keys = new Set(
        items.flatMap((item) =>
          item && index && item[index.partition.name]
            ? [keyTextOf(item[index.partition.name] ?? {})]
            : [],
        ),
      );
      for (const text of keys)
        parts.push([`write ${table.schema.name} ${name} ${text}`, name, ofIndex / keys.size]);
    }
    return this.#take(parts, writeUnitsPerSecond, now, (index) =>
      this.#reason(table, index, 'Write'),
    );
  }

  takeRead(
    consumed: Consumed,
    key: string,
    index: string,
    now: number,
  ): ThrottlingReason | undefined {
    const { table } = consumed;
    const units = index ? (consumed.indexUnits.get(index) ?? 0) : consumed.readUnits;
    const parts: [string, string, number][] = [
      [`read ${table.schema.name} ${index} ${key}`, index, units],
    ];
    return this.#take(parts, readUnitsPerSecond, now, () => this.#reason(table, index, 'Read'));
  }

  /** A request passes while anything is left, and may overdraw it. */
  #take(
    parts: readonly (readonly [string, string, number])[],
    perSecond: number,
    now: number,
    reason: (index: string) => ThrottlingReason,
  ): ThrottlingReason | undefined {
    for (const [name, index] of parts)
      if (this.#allowance(name, perSecond, now).units <= 0) return reason(index);
    for (const [name, , units] of parts) this.#allowance(name, perSecond, now).units -= units;
    return undefined;
  }

  #allowance(name: string, perSecond: number, now: number): Allowance {
    const known = this.#allowances.get(name);
    if (!known) {
      const fresh = { units: perSecond, since: now };
      this.#allowances.set(name, fresh);
      if (this.#allowances.size > keptMax) this.#forget(perSecond, now);
      return fresh;
    }
    known.units = Math.min(perSecond, known.units + ((now - known.since) * perSecond) / 1000);
    known.since = now;
    return known;
  }

  /** Partitions that were quiet for seconds have all their units again. */
  #forget(perSecond: number, now: number): void {
    for (const [name, { units, since }] of this.#allowances) {
      if (units + ((now - since) * perSecond) / 1000 >= perSecond) this.#allowances.delete(name);
    }
  }

  #reason({ schema }: Table, index: string, operation: 'Read' | 'Write'): ThrottlingReason {
    return {
      reason: `${index ? 'Index' : 'Table'}${operation}KeyRangeThroughputExceeded`,
      resource: `${this.#resource}:table/${schema.name}${index && `/index/${index}`}`,
    };
  }
}

const keptMax = 50_000;
