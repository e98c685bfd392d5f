import type { Rotation } from '../../../shared/leads/assignment.ts';
import { nextOwners } from '../../../shared/store/leads/rotation.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { TickBatch } from './tick-batch.ts';

/** Chooses owners by rotation, with one write for all rows of a rotation that ask in the same moment. */
export class OwnerRotations {
  readonly #organizationId: number;
  readonly #batches = new Map<string, TickBatch<Table, number>>();

  constructor(organizationId: number) {
    this.#organizationId = organizationId;
  }

  /** @param table the first row's serves the rows that ask with it */
  next(table: Table, rotation: Rotation): Promise<number> {
    const name = JSON.stringify([rotation.rule, rotation.userIds]);
    const batch =
      this.#batches.get(name) ??
      new TickBatch((tables) =>
        nextOwners(tables[0] ?? table, this.#organizationId, rotation, tables.length),
      );
    this.#batches.set(name, batch);
    return batch.add(table);
  }
}
