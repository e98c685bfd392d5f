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

/** Reduces anything that names a lead to the reference alone. */
export const referenceOf = ({ organizationId, leadId }: LeadReference): LeadReference => ({
  organizationId,
  leadId,
});

/** A restored table whose partial transactions are completed or removed. Counts the items that this takes. */
export class MendedTable {
  readonly table: Table;
  /** The table that was in use until now; undefined if it is lost. */
  readonly old: Table | undefined;
  /** When the restored table was created, in epoch milliseconds. */
  readonly restoredAt: number;
  completed = 0;
  removed = 0;
  /** The leads to which these items belong, each once. */
  readonly #leads = new Map<string, LeadReference>();

  constructor(table: Table, old: Table | undefined, restoredAt: number) {
    this.table = table;
    this.old = old;
    this.restoredAt = restoredAt;
  }

  get leads(): LeadReference[] {
    return [...this.#leads.values()];
  }

  /** @param condition must hold for the stored item @returns whether the item was written */
  async put(item: Stored<Item>, condition?: Condition): Promise<boolean> {
    if (!(await writeItem(this.table, put(item, condition)))) return false;
    this.completed += 1;
    this.#addLeadOf(item);
    return true;
  }

  /** @param condition must hold for the stored item */
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
