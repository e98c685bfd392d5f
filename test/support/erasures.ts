import {
  type Erased,
  type EraseOptions,
  eraseLeads,
} from '../../shared/store/maintenance/erase-lead.ts';
import type { Table } from '../../shared/store/table/client.ts';

/** Erases one lead. */
export const eraseLead = async (
  table: Table,
  organizationId: number,
  leadId: number,
  options: EraseOptions,
): Promise<Erased | undefined> =>
  (await eraseLeads({ table, organizationId }, [leadId], options)).get(leadId);
