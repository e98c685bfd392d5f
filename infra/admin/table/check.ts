import { checkTable } from '../../../shared/store/check/check-table.ts';
import { countOf } from '../../cli/format.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';

export function checkCommand(program: AdminCommand): void {
  program
    .command('check')
    .description('verify that the items of the table are consistent; status 1 if any are not')
    .withReadRate()
    .notes(`
You can run it while the service is in use: a suspicious item is reported only
if it is still wrong two seconds later. With --organization, it still reads the
whole table: 1,000 read units per second are 8 MB per second.`)
    .examples('--rate 300')
    .withOrganization(false)
    .json('{"leads":N,"violations":[…]}')
    .run(check);
}

async function check(
  context: CommandContext,
  { organization: organizationId }: { readonly organization?: number },
): Promise<void> {
  const table = context.pacedTable();
  if (organizationId !== undefined) await context.organization();
  const { leads, violations } = await checkTable(table, {
    organizationId,
    onProgress: ({ leads, otherItems }) =>
      context.progress(
        `Checking: ${countOf(leads, 'lead')} and ${countOf(otherItems, 'other item')} read`,
      ),
  });
  if (violations.length > 0) context.exitWithFailure();
  const ofOrganization = organizationId === undefined ? '' : ` of organization ${organizationId}`;
  const checked = `${countOf(leads, 'lead')}${ofOrganization} checked in table ${table.name}.`;
  const lines =
    violations.length === 0
      ? [`No violations: ${checked}`]
      : [...violations, '', `${countOf(violations.length, 'violation')}: ${checked}`];
  context.print({ leads, violations }, lines);
}
