import type { Command } from 'commander';
import { listOrganizations } from '../../../shared/store/organizations/organizations.ts';
import { formatColumns } from '../../cli/format.ts';
import type { CommandContext } from '../context.ts';
import { organizationApplyCommand } from './apply.ts';
import { organizationHistoryCommand } from './history.ts';
import { organizationInitCommands } from './init.ts';
import { organizationShowCommands } from './show.ts';
import { organizationUndoCommand } from './undo.ts';

export function organizationCommands(program: Command, context: CommandContext): void {
  const organization = program
    .command('organization')
    .description(
      'begin, apply, show and list organization settings, compare their versions, and undo an apply',
    )
    .addHelpText(
      'after',
      '\nExample:\n  npm run admin -- organization apply northwind.json --dry-run',
    );
  organizationInitCommands(organization, context);
  organizationApplyCommand(organization, context);
  organizationShowCommands(organization, context);
  organization
    .command('list')
    .description('list the organizations of the table')
    .addHelpText('after', '\nExample:\n  npm run admin -- organization list')
    .action(() => list(context));
  organizationHistoryCommand(organization, context);
  organizationUndoCommand(organization, context);
}

async function list(context: CommandContext): Promise<void> {
  const table = context.table();
  const items = await listOrganizations(table);
  context.print({ items }, () => {
    if (items.length === 0)
      return `Table ${table.name} has no organizations: create one with organization apply.`;
    return formatColumns(
      ['ID', 'NAME'],
      items.map(({ id, name }) => [String(id), name]),
    );
  });
}
