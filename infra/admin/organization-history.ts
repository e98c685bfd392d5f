import type { Command } from 'commander';
import { type AuditEntry, readAuditLog } from '../../shared/store/organizations/audit-log.ts';
import { integerOption } from '../cli/integer-option.ts';
import { type CommandContext, existingOrganization, parseId } from './context.ts';
import { formatColumns } from './format.ts';

const limitDefault = 50;
const limitMax = 10_000;

/** `organization history` prints the audit log. */
export function organizationHistoryCommand(organization: Command, context: CommandContext): void {
  organization
    .command('history')
    .description('print the audit log: who changed what and when, newest first')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .option(
      '--limit <N>',
      `maximum number of entries, 1 to ${limitMax}`,
      integerOption(1, limitMax),
      limitDefault,
    )
    .addHelpText(
      'after',
      `
Exports and imports are logged when they begin. If no entry has the number of
leads, the export or import is still running or was interrupted.

Example:
  npm run admin -- organization history --organization 1`,
    )
    .action((options: { organization: number; limit: number }) =>
      history(context, options.organization, options.limit),
    );
}

async function history(
  context: CommandContext,
  organizationId: number,
  limit: number,
): Promise<void> {
  await existingOrganization(context.table(), organizationId);
  const items = await readAuditLog(context.table(), organizationId, limit);
  context.print({ items }, () => {
    if (items.length === 0)
      return `The audit log of organization ${organizationId} is empty: it begins with the next change.`;
    return formatColumns(['WHEN', 'SETTINGS', 'WHAT', 'WHO'], items.map(rowOf), {
      WHAT: 80,
      WHO: 300,
    });
  });
}

function rowOf({
  at,
  who,
  what,
  versionBefore,
  versionAfter,
  isBetween: isIntermediate,
}: AuditEntry): string[] {
  const versions = versionAfter === undefined ? '' : `${versionBefore ?? 'none'} → ${versionAfter}`;
  return [at, versions, isIntermediate ? `${what} (intermediate step)` : what, who];
}
