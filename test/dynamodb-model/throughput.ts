import type { ThrottlingReason } from './errors.ts';
import type { Table } from './table.ts';
import type { Units } from './units.ts';

/** What one partition gives in a second (developer guide, "Service, account, and table quotas": partition throughput). */
const unitsPerSecond = { read: 3000, write: 1000 } as const;

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

  /** Takes units from all partitions or from none. A partition that has anything left may be overdrawn. @returns why nothing was taken */
  take({ schema }: Table, all: readonly Units[], now: number): ThrottlingReason | undefined {
    const allowances = all.map(({ operation, index, key }) =>
      this.#allowance(
        `${operation} ${schema.name} ${index} ${key}`,
        unitsPerSecond[operation],
        now,
      ),
    );
    const short = all[allowances.findIndex(({ units }) => units <= 0)];
    if (short) {
      const { operation, index } = short;
      const kind = `${index ? 'Index' : 'Table'}${operation === 'read' ? 'Read' : 'Write'}`;
      return {
        reason: `${kind}KeyRangeThroughputExceeded`,
        resource: `arn:aws:dynamodb:ap-south-1:000000000000:table/${schema.name}${index && `/index/${index}`}`,
      };
    }
    for (const [at, allowance] of allowances.entries()) allowance.units -= all[at]?.units ?? 0;
    return undefined;
  }

  #allowance(name: string, perSecond: number, now: number): Allowance {
    const { units, since } = this.#allowances.get(name) ?? { units: perSecond, since: now };
    const refilled = Math.min(perSecond, units + ((now - since) * perSecond) / 1000);
    const allowance = { units: refilled, since: now };
    this.#allowances.set(name, allowance);
    return allowance;
  }
}
