import { emailOf, type Lead, phoneOf, valueOf } from '../../../shared/leads/lead.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { readLead } from '../../../shared/store/leads/leads.ts';
import type { FoundLeads } from '../../../shared/store/maintenance/read-leads.ts';
import { dateOf, formatColumns } from '../../cli/format.ts';
import { type CommandContext, CommandError, existingOrganization } from '../context.ts';

/** A lead as an administrator names it. */
export interface NamedLead {
  readonly organization: number;
  readonly lead: number;
}

export const unknownLeadError = ({ organization, lead }: NamedLead): CommandError =>
  new CommandError(`Organization ${organization} has no lead ${lead}.`);

/** @throws CommandError for an unknown organization or lead */
export async function existingLead(
  context: CommandContext,
  named: NamedLead,
): Promise<{ organization: Organization; lead: Lead }> {
  const organization = await existingOrganization(context.table(), named.organization);
  const lead = await readLead(context.table(), organization.id, named.lead);
  if (!lead) throw unknownLeadError(named);
  return { organization, lead };
}

const lists = { stage: 'stages', user: 'users', source: 'sources' } as const;

/** @throws CommandError for an ID that the organization does not have: a typo must not look like an empty list */
export function assertKnownId(
  organization: Organization,
  noun: keyof typeof lists,
  id: number | undefined,
): void {
  const items: readonly { id: number; name: string }[] = organization[lists[noun]];
  if (id === undefined || items.some((item) => item.id === id)) return;
  const known = items.map((item) => `${item.id} (${item.name})`).join(', ');
  throw new CommandError(
    `Organization ${organization.id} has no ${noun} ${id}: ${known === '' ? `it has no ${lists[noun]}` : `its ${lists[noun]} are ${known}`}.`,
  );
}

/** What tells a lead from others, and the ID that the other commands need. */
export const summaryOf = (lead: Lead) => ({
  leadId: lead.id,
  name: valueOf(lead.fields, 'name'),
  phone: phoneOf(lead),
  email: emailOf(lead),
  archived: lead.archivedAt !== undefined,
  createdAt: lead.createdAt,
  updatedAt: lead.updatedAt,
});

export function formatLeads(leads: readonly Lead[]): string {
  const rows = leads.map((lead): string[] => {
    const { leadId, name, phone, email, createdAt, archived } = summaryOf(lead);
    return [
      String(leadId),
      String(name),
      phone,
      email ?? '',
      dateOf(createdAt),
      archived ? 'archived' : 'live',
    ];
  });
  return formatColumns(['LEAD', 'NAME', 'PHONE', 'EMAIL', 'CREATED', 'STATE'], rows);
}

/** Prints leads as a list. @param ifNone what to say if there are none */
export function printLeads(
  context: CommandContext,
  { leads, more }: FoundLeads,
  ifNone: string,
): void {
  context.print({ items: leads.map(summaryOf), more }, () => {
    if (leads.length === 0) return ifNone;
    return `${formatLeads(leads)}${more ? '\n\nThere are more leads: use a higher --limit.' : ''}`;
  });
}
