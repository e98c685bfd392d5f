import { reserveLeadIds } from '../../../shared/store/maintenance/import-leads.ts';
import type { Table } from '../../../shared/store/table/client.ts';

const blockSize = 100;

/** Lead IDs from the organization's sequence, reserved in blocks. The rest of the last block is never used. */
export class ImportedIds {
  readonly #table: Table;
  readonly #organizationId: number;
  #free: number[] = [];
  #fetching: Promise<void> | undefined;

  constructor(table: Table, organizationId: number) {
    this.#table = table;
    this.#organizationId = organizationId;
  }

  async next(): Promise<number> {
    for (;;) {
      const id = this.#free.shift();
      if (id !== undefined) return id;
      this.#fetching ??= this.#fetch().finally(() => {
        this.#fetching = undefined;
      });
      await this.#fetching;
    }
  }

  async #fetch(): Promise<void> {
    const first = await reserveLeadIds(this.#table, this.#organizationId, blockSize);
    this.#free = Array.from({ length: blockSize }, (_, index) => first + index);
  }
}
