import { reserveLeadIds } from '../../../shared/store/maintenance/import-leads.ts';
import type { Table } from '../../../shared/store/table/client.ts';

const blockSize = 100;

/** Lead ids from the organization's sequence, fetched in blocks. What is left of a block when the import ends is never given again. */
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
