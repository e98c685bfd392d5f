import type { Command } from 'commander';
import { type AuditEntry, readAuditLog } from '../../../shared/store/organizations/audit-log.ts';
import { formatColumns } from '../../cli/format.ts';
import { integerOption, parseId } from '../../cli/options.ts';
import { type CommandContext, existingOrganization } from '../context.ts';

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
A long command is logged when it begins: lead archive and restore of several
leads, erase, export, import and reassign, and restore finish. Its entry ends in
"begun" until the command is complete, then ENDED says when. An entry that still
says "begun" is of a command that is running or was interrupted: run it again.

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
    return formatColumns(['WHEN', 'ENDED', 'SETTINGS', 'WHAT', 'WHO'], items.map(rowOf), {
      WHAT: 80,
      WHO: 300,
    });
  });
}

function rowOf({
  at,
  endedAt = '',
  who,
  what,
  versionBefore,
  versionAfter,
  isBetween: isIntermediate,
}: AuditEntry): string[] {
  const versions = versionAfter === undefined ? '' : `${versionBefore ?? 'none'} → ${versionAfter}`;
  return [at, endedAt, versions, isIntermediate ? `${what} (intermediate step)` : what, who];
}
