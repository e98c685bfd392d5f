import type { Command } from 'commander';
import { type Lead, presentLead, valueOf } from '../../../shared/leads/lead.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { parseId } from '../../cli/options.ts';
import type { CommandContext } from '../context.ts';
import { existingLead, type NamedLead } from './summary.ts';
import { indented, valueWithName } from './value-text.ts';

export function leadShowCommand(lead: Command, context: CommandContext): void {
  lead
    .command('show')
    .description('print one lead with all its fields, archived or not')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .requiredOption('--lead <ID>', 'lead ID', parseId)
    .addHelpText(
      'after',
      `
With --json, the lead is as the API returns it. Without, inactive fields are
printed too.

Examples:
  npm run admin -- lead show --organization 1 --lead 5
  npm run --silent admin -- lead show --organization 1 --lead 5 --json`,
    )
    .action((options: NamedLead) => show(context, options));
}

async function show(context: CommandContext, options: NamedLead): Promise<void> {
  const { organization, lead } = await existingLead(context, options);
  const { archivedAt = null } = lead;
  context.print({ lead: presentLead(organization, lead), archivedAt }, () =>
    leadLines(organization, lead).join('\n'),
  );
}

function leadLines(organization: Organization, lead: Lead): string[] {
  const display = (field: string, id: number) => valueWithName(organization, field, id);
  const fields = organization.fields.flatMap(({ key, active }): [string, string][] => {
    const value = valueOf(lead.fields, key);
    if (value === null) return [];
    return [[active ? key : `${key} (inactive)`, valueWithName(organization, key, value)]];
  });
  const lines: [name: string, value: string | undefined][] = [
    ['lead', String(lead.id)],
    ...fields,
    ['stage', display('stage', lead.stageId)],
    ['pipeline', display('pipeline', lead.pipelineId)],
    ['created at', lead.createdAt],
    ['updated at', lead.updatedAt],
    ['archived at', lead.archivedAt],
  ];
  return lines.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${indented(value)}`],
  );
}
