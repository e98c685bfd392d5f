import {
  emailOf,
  type FieldValue,
  type Lead,
  phoneOf,
  presentLead,
  valueOf,
} from '../../../shared/leads/lead.ts';
import { fieldKinds } from '../../../shared/organization/field-kinds.ts';
import type { NamedItem } from '../../../shared/organization/named.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { readLead } from '../../../shared/store/leads/leads.ts';
import type { FoundLeads } from '../../../shared/store/maintenance/read-leads.ts';
import { CommandError } from '../../cli/command.ts';
import { dateOf, formatColumns, printable } from '../../cli/format.ts';
import { type CommandContext, existingOrganization } from '../context.ts';

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

/** Leads as a table for people, with the names of their stages and owners. */
export function formatLeads(organization: Organization, leads: readonly Lead[]): string {
  const rows = leads.map((lead) => {
    const { name, phone, email, stage, owner } = presentLead(organization, lead);
    const place = [stage?.name ?? String(lead.stageId), owner?.name ?? ''];
    const state = lead.archivedAt === undefined ? 'live' : 'archived';
    return [String(lead.id), name, phone, email ?? '', ...place, dateOf(lead.createdAt), state];
  });
  const headings = ['LEAD', 'NAME', 'PHONE', 'EMAIL', 'STAGE', 'OWNER', 'CREATED', 'STATE'];
  return formatColumns(headings, rows);
}

/** Prints leads as a list. @param ifNone the sentence for an empty list */
export function printLeads(
  context: CommandContext,
  organization: Organization,
  { leads, more }: FoundLeads,
  ifNone: string,
): void {
  context.print({ items: leads.map(summaryOf), more }, () => {
    if (leads.length === 0) return ifNone;
    const rest = more ? '\n\nThere are more leads: use a higher --limit.' : '';
    return `${formatLeads(organization, leads)}${rest}`;
  });
}

/** A name and its text. One without a text is not printed. */
export type Detail = readonly [name: string, text: string | undefined];

/** Prints each detail on a line. The further lines of a text are indented, so that they stay within their detail. */
export const detailLines = (details: readonly Detail[]): string[] =>
  details.flatMap(([name, text]) =>
    text
      ? [
          `${name}: ${text
            .split(/\r\n|\r|\n/)
            .map(printable)
            .join('\n      ')}`,
        ]
      : [],
  );

/** A value, followed by the name if the value is an ID; `empty` for null. */
export function valueWithName(
  organization: Organization,
  field: string,
  value: FieldValue | null,
): string {
  if (value === null) return 'empty';
  if (typeof value === 'object') return value.join(', ');
  const name = itemsNamedBy(organization, field).find(({ id }) => id === value)?.name;
  return name === undefined ? String(value) : `${value} (${name})`;
}

/** The items whose IDs are values of a field; none if its values are no IDs. */
function itemsNamedBy(organization: Organization, field: string): readonly NamedItem[] {
  const type = organization.fieldByKey.get(field)?.type;
  if (type === undefined && field === 'stage') return organization.stages;
  if (type === undefined && field === 'pipeline') return organization.pipelines;
  const references = type === undefined ? null : fieldKinds[type].references;
  return references === null ? [] : organization[references];
}
