import { type Lead, presentLead, valueOf } from '../../../shared/leads/lead.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import type { CliCommand } from '../../cli/command.ts';
import type { CommandContext } from '../context.ts';
import { leadCommand } from '../options.ts';
import {
  type Detail,
  detailLines,
  existingLead,
  type NamedLead,
  valueWithName,
} from './summary.ts';

export function leadShowCommand(lead: CliCommand, context: CommandContext): void {
  leadCommand(lead, 'show', 'print one lead with all its fields, archived or not')
    .notes(`
With --json, the command prints the lead as the API returns it. Without --json, it
prints inactive fields too.

Examples:
  npm run admin -- lead show --organization 1 --lead 5
  npm run --silent admin -- lead show --organization 1 --lead 5 --json`)
    .action((options: NamedLead) => show(context, options));
}

async function show(context: CommandContext, options: NamedLead): Promise<void> {
  const { organization, lead } = await existingLead(context, options);
  const { archivedAt = null } = lead;
  context.print({ lead: presentLead(organization, lead), archivedAt }, () =>
    detailLines(detailsOf(organization, lead)).join('\n'),
  );
}

function detailsOf(organization: Organization, lead: Lead): Detail[] {
  const fields = organization.fields.map(({ key, active }): Detail => {
    const value = valueOf(lead.fields, key);
    const text = value === null ? undefined : valueWithName(organization, key, value);
    return [active ? key : `${key} (inactive)`, text];
  });
  return [
    ['lead', String(lead.id)],
    ...fields,
    ['stage', valueWithName(organization, 'stage', lead.stageId)],
    ['pipeline', valueWithName(organization, 'pipeline', lead.pipelineId)],
    ['created at', lead.createdAt],
    ['updated at', lead.updatedAt],
    ['archived at', lead.archivedAt],
  ];
}
