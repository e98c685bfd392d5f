import {
  type AuditAction,
  addAuditEntry,
  completeAuditEntry,
} from '../../../shared/store/organizations/audit-log.ts';
import { listOrganizations } from '../../../shared/store/organizations/organizations.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import type { PrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { countOf } from '../../cli/format.ts';

/** The entries of a `restore finish` in the audit logs of the restored table: those of one that was interrupted still say that it has begun. */
export class RestoreAudit {
  readonly table: Table;
  readonly action: AuditAction;
  readonly #entries: PrimaryKey[] = [];

  constructor(table: Table, who: string) {
    this.table = table;
    this.action = { who, what: `restore finish ${table.name}` };
  }

  /** Adds an entry for each organization. It has no `restoredTableId`: only that of the new settings version says that lead IDs were skipped. */
  async begin(): Promise<void> {
    const { who, what } = this.action;
    for (const { id } of await listOrganizations(this.table))
      this.#entries.push(await addAuditEntry(this.table, id, { who, what: `${what} begun` }));
  }

  async complete(violations: number): Promise<void> {
    for (const entry of this.#entries)
      await completeAuditEntry(
        this.table,
        entry,
        `${this.action.what}, ${countOf(violations, 'violation')}`,
      );
  }
}
