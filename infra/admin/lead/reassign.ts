import type { Organization } from '../../../shared/organization/organization.ts';
import {
  type OwnedLeads,
  ownedLeads,
  reassignLead,
} from '../../../shared/store/leads/reassign-leads.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { namedId, valueWithName } from '../named.ts';
import { tableForOneWrite } from '../one-write.ts';

interface ReassignOptions {
  readonly from: string;
  readonly to: readonly string[];
  readonly stage?: string;
  readonly dryRun?: boolean;
}

export function leadReassignCommand(lead: AdminCommand): void {
  lead
    .ofOrganization(
      'reassign',
      "give a user's leads to other users in turn, such as when the user leaves",
    )
    .requiredOption('--from <USER>', 'current owner, named by ID or name')
    .requiredOption(
      '--to <USER>',
      'new owner, named by ID or name; separate several with commas',
      (text, before: readonly string[] = []) => [...before, ...text.split(',')],
    )
    .option('--stage <STAGE>', 'only leads in this stage, named by ID or name')
    .option('--dry-run', 'print how many leads would be reassigned, and change nothing')
    .option('--yes', 'do not ask for confirmation')
    .withReadRate()
    .notes(`
Archived leads are reassigned too, so that the user can be removed from the
settings. Reads every lead of the organization once: one read unit per 4 KB. If
the command is interrupted, run it again: it continues with the leads that are left.`)
    .examples("--organization 1 --from 'Asha Rao' --to 2,3 --dry-run")
    .json('{"reassigned":12}')
    .run(reassign);
}

async function reassign(context: CommandContext, options: ReassignOptions): Promise<void> {
  const { dryRun = false } = options;
  const organization = await context.organization();
  const handover = readHandover(organization, options);
  const { ownerId: from, to } = handover;
  const { leadIds, archived } = await ownedLeads(context.pacedTable(), handover, (leads) =>
    context.progress(`Searching: ${countOf(leads, 'lead')} read`),
  );
  const count = leadIds.length;
  const plan = planOf(organization, handover, { count, archived });
  if (dryRun || count === 0) {
    return context.print({ reassigned: count }, plan, dryRun ? ['Nothing was changed.'] : []);
  }
  await context.confirm(plan, String(from));
  const reassigned = await context.audited(
    `lead reassign from ${from} to ${to.join(', ')}`,
    () => giveByRotation(context, handover, leadIds),
    (leads) => countOf(leads, 'lead'),
  );
  const skipped = count - reassigned;
  const others =
    skipped === 0 ? '' : ` Another request changed ${countOf(skipped, 'lead')} meanwhile.`;
  context.print({ reassigned }, `${countOf(reassigned, 'lead')} reassigned.${others}`);
  if (organization.userById.get(from)?.active)
    context.note(
      `User ${nameOf(organization, from)} is active and can get new leads: deactivate the user in the settings file.`,
    );
}

/** Which leads go from which user to which users. */
interface Handover extends OwnedLeads {
  readonly to: readonly number[];
}

/** @throws CommandError if a user does not exist, or cannot own the leads */
function readHandover(organization: Organization, options: ReassignOptions): Handover {
  const ownerId = namedId(organization, 'user', options.from);
  const to = new Set(options.to.map((named) => namedId(organization, 'user', named, 'active')));
  if (to.has(ownerId))
    throw new CommandError(`User ${ownerId} already owns these leads: name other users with --to.`);
  for (const userId of to) assertActive(organization, userId);
  const stageId = namedId(organization, 'stage', options.stage);
  return { organizationId: organization.id, ownerId, stageId, to: [...to] };
}

function assertActive(organization: Organization, userId: number): void {
  if (organization.userById.get(userId)?.active) return;
  throw new CommandError(
    `User ${nameOf(organization, userId)} is inactive and cannot be given leads: name active users with --to.`,
  );
}

const nameOf = (organization: Organization, userId: number): string =>
  valueWithName(organization, 'assigned_to', userId);

/** The plan, with a line for each new owner. */
function planOf(
  organization: Organization,
  { ownerId, to, stageId }: Handover,
  { count, archived }: { readonly count: number; readonly archived: number },
): string {
  const inStage = stageId === undefined ? '' : ` in stage ${stageId}`;
  const who = `User ${nameOf(organization, ownerId)}`;
  if (count === 0) return `${who} has no leads${inStage}: nothing to do.`;
  const ofThem = archived === 0 ? '' : `, ${countOf(archived, 'archived lead')} among them`;
  const shares = to.map((userId, position) => {
    const share = Math.ceil((count - position) / to.length);
    return `\n  ${countOf(share, 'lead')} to user ${nameOf(organization, userId)}`;
  });
  return `${who} has ${countOf(count, 'lead')}${inStage}${ofThem}:${shares.join('')}`;
}

/** Gives each lead to the next user, one lead after the other, which leaves capacity for live traffic. @returns how many leads changed */
async function giveByRotation(
  context: CommandContext,
  { to, ...owned }: Handover,
  leadIds: readonly number[],
): Promise<number> {
  const by = await context.callerIdentity();
  let reassigned = 0;
  for (const [position, leadId] of leadIds.entries()) {
    const newOwnerId = to[position % to.length] ?? 0;
    const table = tableForOneWrite(context.table());
    assertActive(await context.organization(), newOwnerId);
    if (await reassignLead(table, owned, leadId, { newOwnerId, by })) reassigned += 1;
    context.progress(`${reassigned} of ${countOf(leadIds.length, 'lead')} reassigned`);
  }
  return reassigned;
}
