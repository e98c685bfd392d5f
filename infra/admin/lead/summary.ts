import { emailOf, type Lead, phoneOf, valueOf } from '../../../shared/leads/lead.ts';
import { dateOf, formatColumns } from '../../cli/format.ts';
import { type CommandContext, CommandError } from '../context.ts';

/** A lead as an administrator names it. */
export interface NamedLead {
  readonly organization: number;
  readonly lead: number;
}

export const unknownLeadError = ({ organization, lead }: NamedLead): CommandError =>
  new CommandError(`Organization ${organization} has no lead ${lead}.`);

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
  { leads, more }: { readonly leads: readonly Lead[]; readonly more: boolean },
  ifNone: string,
): void {
  context.print({ items: leads.map(summaryOf), more }, () => {
    if (leads.length === 0) return ifNone;
    return `${formatLeads(leads)}${more ? '\n\nThere are more leads: use a higher --limit.' : ''}`;
  });
}
