import type { CommandContext } from '../../../infra/admin/context.ts';
import type { ReadRow } from '../../../infra/admin/import/rows.ts';
import type { Scope } from '../../../shared/contract/endpoints.ts';
import type { ImportRow } from '../../../shared/leads/transfer/import-row.ts';
import { openTable, type Table } from '../../../shared/store/table/client.ts';
import type { HeldKey } from './checker/history.ts';
import type { SettingsVariant } from './organizations.ts';

export { openTable };

/** A row of a file of leads: fields by key, and what else it tells of the lead. */
export interface LeadRow extends Readonly<Record<string, string | number | undefined>> {
  readonly note?: string;
  readonly stage?: string;
  /** The lead's, which a file of exported leads may keep. */
  readonly id?: number;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** Of a row of an export, which may refer to what is not active. */
  readonly mark?: string;
}

export interface FileOfLeads {
  readonly rows: readonly LeadRow[];
  /** Whether leads get the ids of their rows. @default false */
  readonly keepIds?: boolean;
  /** @default 100 */
  readonly leadsPerSecond?: number;
}

export interface KeyOrder {
  readonly type: 'application' | 'website-form';
  readonly scopes?: readonly Scope[];
  /** @default a user who is always active */
  readonly createdBy?: number;
  readonly expiresAt?: string;
  readonly label?: string;
}

interface OneLead {
  readonly leadId: number;
}

interface Own {
  readonly organizationId: number;
  readonly table: Table;
  /** Whether the environment does not name the table: that of an engine behind a proxy. @default false */
  readonly isElsewhere?: boolean;
}

/**
 * An administrator's commands, without what they print and ask, by the names that a history has for them. The process of a simulated
 * administrator evaluates this module, and of all others those that its commands need: to evaluate all takes ten milliseconds.
 */
export const commands = {
  async 'settings apply'({ table, organizationId }: Own, wanted: SettingsVariant | SettingsFile) {
    const { settingsFile } = await import('./organizations.ts');
    const { parseSettingsFile } = await import('../../../shared/organization/settings.ts');
    const { applySettings } = await import('../../../shared/store/organizations/apply-settings.ts');
    const file = 'file' in wanted ? wanted.file : settingsFile(organizationId, wanted);
    return applySettings(table, parseSettingsFile(JSON.stringify(file)).settings);
  },
  /** Back to the settings before the last apply; undefined when there are none. */
  async 'settings undo'({ table, organizationId }: Own) {
    const { readSettings } = await import('../../../shared/store/organizations/organizations.ts');
    const { applySettings } = await import('../../../shared/store/organizations/apply-settings.ts');
    const log = await import('../../../shared/store/organizations/audit-log.ts');
    const stored = await readSettings(table, organizationId);
    if (!stored) return undefined;
    const entries = await log.readAuditLog(table, organizationId, { limit: 100 });
    const [version] = log.versionsBefore(entries, stored.version);
    if (version === undefined) return undefined;
    const kept = await log.readKeptSettings(table, organizationId, version);
    return kept && applySettings(table, kept, { expectedVersion: stored.version });
  },
  async 'key create'({ table, organizationId }: Own, order: KeyOrder): Promise<HeldKey> {
    const { idIn } = await import('./organizations.ts');
    const { createApiKey } = await import('../../../shared/store/organizations/api-keys.ts');
    const createdBy = idIn(organizationId, 7);
    const request = { label: 'simulated', createdBy, ...order, organizationId, now: new Date() };
    const created = await createApiKey(table, request);
    return { ...created, organizationId, expiresAt: Date.parse(created.expiresAt) };
  },
  async 'key revoke'({ table, organizationId }: Own, { keyId }: { readonly keyId: string }) {
    const { revokeApiKey } = await import('../../../shared/store/organizations/api-keys.ts');
    return revokeApiKey(table, organizationId, keyId, { at: new Date() });
  },
  archive: (own: Own, { leadId }: OneLead) => setArchived(own, leadId, true),
  restore: (own: Own, { leadId }: OneLead) => setArchived(own, leadId, false),
  async erase(own: Own, { leadId }: OneLead) {
    const { eraseLeads } = await import('../../../shared/store/erasure/erase-lead.ts');
    return (await eraseLeads(own, [leadId], { who: 'simulated' })).get(leadId);
  },
  /** What an erasure would remove. */
  async 'plan of an erasure'(own: Own, { leadId }: OneLead) {
    const { planErasures } = await import('../../../shared/store/erasure/erase-lead.ts');
    return (await planErasures(own, [leadId], {})).get(leadId);
  },
  import: (own: Own, file: FileOfLeads) => importFile(own, file),
  /** With `--update`: changes the leads that have the phone or email of a row. */
  'import update': (own: Own, file: FileOfLeads) => importFile(own, file, true),
  /** With `--undo`. @returns the IDs of the leads that rows made, by what became of them */
  async 'import undo'(own: Own, { rows }: FileOfLeads) {
    const { rowDigest } = await import('../../../infra/admin/import/decide.ts');
    const undo = await import('../../../shared/store/transfer/undo-import.ts');
    const digests = fileRows(rows).map(({ sent }) => rowDigest(sent));
    const undone = { removed: [] as number[], kept: [] as number[], erasing: [] as number[] };
    for (const lead of await undo.importedFrom(own, digests))
      undone[await undo.undoImportedLead(own, lead, 'simulated')].push(lead.leadId);
    return undone;
  },
  /** All leads as an export walks them. */
  async export({ table, organizationId }: Own) {
    const { scanLeadsAscending } = await import('../../../shared/store/leads/read-leads.ts');
    return all(scanLeadsAscending(table, organizationId));
  },
  async timelines({ table, organizationId }: Own) {
    const { scanTimelines } = await import('../../../shared/store/leads/read-leads.ts');
    return all(scanTimelines(table, organizationId));
  },
  /** Gives the leads of a user to another one. @returns the IDs of those that changed their owner */
  async reassign(own: Own, { ownerId, newOwnerId }: Reassignment) {
    const leads = await import('../../../shared/store/leads/reassign-leads.ts');
    const { tableForOneWrite } = await import('../../../infra/admin/one-write.ts');
    const context = await contextOf(own);
    const owned = { organizationId: own.organizationId, ownerId };
    const reassigned: number[] = [];
    const { leadIds } = await leads.ownedLeads(context.pacedTable(), owned, () => undefined);
    for (const leadId of leadIds) {
      const table = tableForOneWrite(context.table());
      const { userById } = await context.organization();
      if (!userById.get(newOwnerId)?.active) throw new Error(`User ${newOwnerId} is inactive.`);
      if (await leads.reassignLead(table, owned, leadId, { newOwnerId, by: 'simulated' }))
        reassigned.push(leadId);
    }
    return reassigned;
  },
  /** Changes a lead as a row says. @returns what became of it: `updated`, `alreadyThere` or `refused` */
  async edit(own: Own, { leadId, row }: OneLead & { readonly row: LeadRow }) {
    const { updateByRow } = await import('../../../infra/admin/import/update.ts');
    const context = await contextOf(own);
    const lead = { organizationId: own.organizationId, leadId, by: 'simulated' };
    const [fileRow] = fileRows([row]);
    const organization = () => context.organization();
    return fileRow && (await updateByRow(context.table(), lead, fileRow, organization))?.outcome;
  },
  async check({ table }: Own) {
    const { checkTable } = await import('../../../shared/store/check/check-table.ts');
    return checkTable(table);
  },
  async 'restore finish'({ table }: Own, { oldName, keptKeyIds }: RestoredFrom) {
    const { finishRestore } = await import('../../../shared/store/restore/finish-restore.ts');
    return finishRestore(table, {
      old: oldName === undefined ? undefined : { ...table, name: oldName },
      keptKeyIds: new Set(keptKeyIds),
      action: { who: 'simulated', what: 'restore finish' },
    });
  },
} as const;

/** The command's own context, with the time-outs and the clock that commands have. */
async function contextOf({
  table,
  organizationId,
  isElsewhere = false,
}: Own): Promise<Pick<CommandContext, 'organization' | 'pacedTable' | 'table'>> {
  const { CommandContext, existingOrganization } = await import('../../../infra/admin/context.ts');
  const organization = () => existingOrganization(table, organizationId);
  if (isElsewhere) return { organization, pacedTable: () => table, table: () => table };
  const { CliCommand } = await import('../../../infra/cli/command.ts');
  const io = {
    environment: { LEADS_TABLE: table.name },
    stdout: () => undefined,
    stderr: () => undefined,
    hasTerminal: false,
    localFolder: '',
  };
  const command = new CliCommand('simulated').setOptionValue('organization', organizationId);
  return CommandContext.of(io, command);
}

async function importFile(own: Own, file: FileOfLeads, updates = false) {
  const { importRows } = await import('../../../infra/admin/import/write.ts');
  const context = await contextOf(own);
  return importRows(context.table(), {
    rows: fileRows(file.rows),
    organizationId: own.organizationId,
    organization: () => context.organization(),
    keepIds: file.keepIds ?? false,
    dryRun: false,
    leadsPerSecond: file.leadsPerSecond ?? 100,
    updates,
    by: 'simulated',
    erasing: new Set(),
    onWritten: () => undefined,
  });
}

async function setArchived({ table, organizationId }: Own, leadId: number, archived: boolean) {
  const archive = await import('../../../shared/store/leads/archive.ts');
  return archive.setArchived(table, organizationId, leadId, { archived });
}

interface SettingsFile {
  readonly file: object;
}

interface Reassignment {
  readonly ownerId: number;
  readonly newOwnerId: number;
}

interface RestoredFrom {
  /** Of the table that was in use; undefined if it is lost. */
  readonly oldName: string | undefined;
  readonly keptKeyIds: readonly string[];
}

export type AdministratorCommand = keyof typeof commands;
export type CommandOptions<Name extends AdministratorCommand> =
  Parameters<(typeof commands)[Name]> extends [Own, infer Options] ? Options : object;
export type CommandResult<Name extends AdministratorCommand> = Awaited<
  ReturnType<(typeof commands)[Name]>
>;

/** Runs a command on a table. */
export function runCommand<Name extends AdministratorCommand>(
  own: Own,
  name: Name,
  options: CommandOptions<Name>,
): Promise<CommandResult<Name>> {
  const run = commands[name] as (own: Own, options: CommandOptions<Name>) => unknown;
  return run(own, options) as Promise<CommandResult<Name>>;
}

async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(...page);
  return found;
}

function fileRows(rows: readonly LeadRow[]): ReadRow[] {
  return rows.map((original, at) => {
    const { note, stage, id, createdAt, updatedAt, mark, ...fields } = original;
    const read = {
      fields: fields as ImportRow['fields'],
      properties: {
        ...(note !== undefined && { note }),
        ...(stage !== undefined && { stage }),
        ...(mark !== undefined && { mark, leadId: 1 }),
        ...(id !== undefined && { leadId: id }),
        ...(createdAt !== undefined && { createdAt }),
        ...(updatedAt !== undefined && { updatedAt }),
      },
    };
    const columnOf: ReadRow['columnOf'] = (label) => ({ label, hint: '' });
    return { number: at + 1, original, sent: read, read, columnOf };
  });
}
