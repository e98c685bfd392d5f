import type { Table } from '../table/client.ts';
import type { Item, Stored } from '../table/items.ts';
import { kindOf } from '../table/primary-keys.ts';
import { type Condition, deletion, put, writeItem } from '../table/writes.ts';

export interface LeadReference {
  readonly organizationId: number;
  readonly leadId: number;
}

export const nameOf = ({ organizationId, leadId }: LeadReference): string =>
  `${organizationId} ${leadId}`;

/** Of anything that names a lead, only that. */
export const referenceOf = ({ organizationId, leadId }: LeadReference): LeadReference => ({
  organizationId,
  leadId,
});

/** A restored table in which parts of transactions are completed or removed, and how many items that took. */
export class MendedTable {
  readonly table: Table;
  /** The table that was in use until now; undefined if it is lost. */
  readonly old: Table | undefined;
  /** When the restored table was made, in epoch milliseconds. */
  readonly restoredAt: number;
  completed = 0;
  removed = 0;
  /** The leads whose items these are, each once. */
  readonly #leads = new Map<string, LeadReference>();

  constructor(table: Table, old: Table | undefined, restoredAt: number) {
    this.table = table;
    this.old = old;
    this.restoredAt = restoredAt;
  }

  get leads(): LeadReference[] {
    return [...this.#leads.values()];
  }

  /** @param condition the item is written only if the stored one fulfils it @returns whether it was written */
  async put(item: Stored<Item>, condition?: Condition): Promise<boolean> {
    if (!(await writeItem(this.table, put(item, condition)))) return false;
    this.completed += 1;
    this.#addLeadOf(item);
    return true;
  }

  /** @param condition the item is removed only if the stored one fulfils it */
  async remove(item: Stored<Item>, condition?: Condition): Promise<void> {
    if (!(await writeItem(this.table, deletion(item, condition)))) return;
    this.removed += 1;
    this.#addLeadOf(item);
  }

  #addLeadOf(item: Stored<Item>): void {
    const { organizationId, leadId }: Item = { ...item, ...kindOf(item) };
    if (typeof organizationId !== 'number' || typeof leadId !== 'number') return;
    this.#leads.set(nameOf({ organizationId, leadId }), { organizationId, leadId });
  }
}
