import type { Lead } from '../../../shared/leads/lead.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { readLead } from '../../../shared/store/leads/leads.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import type { CommandContext } from '../context.ts';

export const unknownLeadError = (
  { organizationId }: { readonly organizationId: number },
  leadId: number,
): CommandError => new CommandError(`Organization ${organizationId} has no lead ${leadId}.`);

/** @throws CommandError if the organization or lead is unknown */
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
 * Changes each lead, in the order given.
 * @param change throws a CommandError to refuse a lead
 * @returns the results of the changed leads, and a sentence for each refusal
 */
export async function eachLead<Result>(
  context: Pick<CommandContext, 'progress'>,
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
