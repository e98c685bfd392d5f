import { readAuditLog } from '../../../shared/store/organizations/audit-log.ts';
import { listOrganizations } from '../../../shared/store/organizations/organizations.ts';
import type { CliCommand } from '../../cli/command.ts';
import { formatColumns } from '../../cli/format.ts';
import { integerOption } from '../../cli/options.ts';
import type { CommandContext } from '../context.ts';
import { organizationCommand } from '../options.ts';

export function organizationListCommand(organization: CliCommand, context: CommandContext): void {
  organization
    .command('list')
    .description('list the organizations of the table')
    .examples('')
    .action(() => list(context));
}

async function list(context: CommandContext): Promise<void> {
  const table = context.table();
  const items = await listOrganizations(table);
  const rows = items.map(({ id, name }) => [String(id), name]);
  const none = `Table ${table.name} has no organizations: create one with organization apply.`;
  context.print({ items }, rows.length === 0 ? none : formatColumns(['ID', 'NAME'], rows));
}

const entriesMax = 10_000;
const entriesDefault = 50;

export function organizationHistoryCommand(
  organization: CliCommand,
  context: CommandContext,
): void {
  organizationCommand(
    organization,
    'history',
    'print the audit log: who changed what and when, newest first',
  )
    .option(
      '--limit <N>',
      `maximum number of entries, 1 to ${entriesMax}`,
      integerOption(1, entriesMax),
      entriesDefault,
    )
    .notes(`
An entry that ends in "begun" belongs to a long command that is running or was
interrupted: run an interrupted one again. ENDED is when a long command completed.`)
    .examples('--organization 1')
    .action((_id, { limit }: { limit: number }) => history(context, limit));
}

async function history(context: CommandContext, limit: number): Promise<void> {
  const { id: organizationId } = await context.organization();
  const items = await readAuditLog(context.table(), organizationId, limit);
  const rows = items.map(
    ({ at, endedAt = '', who, what, versionBefore, versionAfter, ...entry }) => [
      at,
      endedAt,
      versionAfter === undefined ? '' : `${versionBefore ?? 'none'} → ${versionAfter}`,
      entry.isBetween ? `${what} (intermediate step)` : what,
      who,
    ],
  );
  const headings = ['WHEN', 'ENDED', 'SETTINGS', 'WHAT', 'WHO'];
  context.print({ items }, formatColumns(headings, rows, { WHAT: 80, WHO: 300 }));
}
