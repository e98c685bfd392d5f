import { importRows } from '../../../infra/admin/import/run.ts';
import { parseSettingsFile } from '../../../shared/organization/settings.ts';
import { checkTable } from '../../../shared/store/check/check-table.ts';
import { setArchived } from '../../../shared/store/leads/archive.ts';
import { eraseLeads, planErasures } from '../../../shared/store/maintenance/erase-lead.ts';
import { scanLeadsAscending, scanTimelines } from '../../../shared/store/maintenance/read-leads.ts';
import { ownedLeads, reassignLead } from '../../../shared/store/maintenance/reassign-leads.ts';
import { finishRestore } from '../../../shared/store/maintenance/restore/finish-restore.ts';
import { createApiKey, revokeApiKey } from '../../../shared/store/organizations/api-keys.ts';
import { applySettings } from '../../../shared/store/organizations/apply-settings.ts';
import {
  readAuditLog,
  readKeptSettings,
  versionsBefore,
} from '../../../shared/store/organizations/audit-log.ts';
import {
  loadOrganization,
  readSettings,
} from '../../../shared/store/organizations/organizations.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import type { Administration } from '../../simulation/administration.ts';

/** The commands' own functions, on a table of a real engine. */
export const administration = (table: Table): Administration =>
  ({
    applySettings,
    checkTable,
    createApiKey,
    eraseLeads,
    finishRestore,
    importRows,
    loadOrganization,
    ownedLeads,
    openTable: () => table,
    parseSettingsFile,
    planErasures,
    readAuditLog,
    readKeptSettings,
    readSettings,
    reassignLead,
    revokeApiKey,
    scanLeadsAscending,
    scanTimelines,
    setArchived,
    versionsBefore,
  }) satisfies Record<keyof Administration, unknown> as Administration;
