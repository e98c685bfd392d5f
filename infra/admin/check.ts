import type { Command } from 'commander';
import { checkTable } from '../../shared/store/check/check-table.ts';
import { counted, type Desk, existingOrganization, parseId } from './context.ts';

/** `check`. */
export function checkCommand(program: Command, desk: Desk): void {
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
    .action((options: { organization?: number }) => check(desk, options.organization));
}

async function check(desk: Desk, organizationId: number | undefined): Promise<void> {
  const table = desk.table();
  if (organizationId !== undefined) await existingOrganization(table, organizationId);
  const { leads, violations } = await checkTable(table, {
    organizationId,
    onProgress: ({ leads, otherItems, violations }) => {
      const found = violations === 0 ? '' : `, ${counted(violations, 'violation')} so far`;
      desk.progress(`Checking: ${counted(leads, 'lead')} and ${counted(otherItems, 'other item')} read${found}`);
    },
  });
  if (violations.length > 0) desk.failed();
  desk.answer({ leads, violations }, () => {
    const checked = `${counted(leads, 'lead')}${organizationId === undefined ? '' : ` of organization ${organizationId}`} checked in table ${table.name}.`;
    if (violations.length === 0) return `No violations: ${checked}`;
    return [...violations, '', `${counted(violations.length, 'violation')}: ${checked}`].join('\n');
  });
}
