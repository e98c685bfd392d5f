import type { FieldValue, Lead } from '../../../shared/leads/lead.ts';
import { fieldKinds } from '../../../shared/organization/field-kinds.ts';
import type { NamedItem } from '../../../shared/organization/named.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { readLead } from '../../../shared/store/leads/leads.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import type { CommandContext } from '../context.ts';

export const unknownLeadError = (context: CommandContext, leadId: number): CommandError =>
  new CommandError(`Organization ${context.organizationId} has no lead ${leadId}.`);

/** @throws CommandError for an unknown organization or lead */
export async function existingLead(
  context: CommandContext,
  leadId: number,
): Promise<{ organization: Organization; lead: Lead }> {
  const organization = await context.organization();
  const lead = await readLead(context.table(), organization.id, leadId);
  if (!lead) throw unknownLeadError(context, leadId);
  return { organization, lead };
}

/**
 * Does something to each lead, in the order given.
 * @param change throws CommandError for a lead that it refuses
 * @returns the results of the others, and a sentence for each refusal
 */
export async function eachLead<Result>(
  context: CommandContext,
  leadIds: readonly number[],
  change: (leadId: number) => Promise<Result>,
): Promise<{ readonly items: readonly Result[]; readonly refusals: readonly string[] }> {
  const items: Result[] = [];
  const refusals: string[] = [];
  for (const leadId of leadIds) {
    context.progress(`${items.length} of ${countOf(leadIds.length, 'lead')}`);
    try {
      items.push(await change(leadId));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      refusals.push(error.message);
    }
  }
  return { items, refusals };
}

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
  // No field can have one of these keys: settings files reserve both.
  if (field === 'stage') return organization.stages;
  if (field === 'pipeline') return organization.pipelines;
  const type = organization.fieldByKey.get(field)?.type;
  const references = type === undefined ? null : fieldKinds[type].references;
  return references === null ? [] : organization[references];
}
