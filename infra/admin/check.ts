import type { Command } from 'commander';
import { checkTable } from '../../shared/store/check/check-table.ts';
import { type CommandContext, countOf, existingOrganization, parseId } from './context.ts';

/** `check`. */
export function checkCommand(program: Command, context: CommandContext): void {
  program
    .command('check')
    .description('read the table and check that everything in it agrees; status 1 if anything does not')
    .option('--organization <ID>', "only this organization's items", parseId)
    .addHelpText(
      'after',
      '\nIt may run while the service does: what looks wrong is read again, in one\ntransaction, before it is reported. With --organization the whole table is read\n' +
        "all the same, but only what is this organization's is sent and checked.\n" +
        '\nExamples:\n  npm run admin -- check\n  npm run --silent admin -- check --organization 1 --json',
    )
    .action((options: { organization?: number }) => check(context, options.organization));
}

async function check(context: CommandContext, organizationId: number | undefined): Promise<void> {
  const table = context.table();
  if (organizationId !== undefined) await existingOrganization(table, organizationId);
  const { leads, violations } = await checkTable(table, {
    organizationId,
    onProgress: ({ leads, otherItems, violations }) => {
      const found = violations === 0 ? '' : `, ${countOf(violations, 'violation')} so far`;
      context.progress(`Checking: ${countOf(leads, 'lead')} and ${countOf(otherItems, 'other item')} read${found}`);
    },
  });
  if (violations.length > 0) context.exitWithFailure();
  context.print({ leads, violations }, () => {
    const checked = `${countOf(leads, 'lead')}${organizationId === undefined ? '' : ` of organization ${organizationId}`} checked in table ${table.name}.`;
    if (violations.length === 0) return `No violations: ${checked}`;
    return [...violations, '', `${countOf(violations.length, 'violation')}: ${checked}`].join('\n');
  });
}
