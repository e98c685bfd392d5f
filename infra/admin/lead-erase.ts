import { type Command, InvalidArgumentError } from 'commander';
import { readLead } from '../../shared/store/leads/leads.ts';
import { type Erased, eraseLead, planErasure } from '../../shared/store/maintenance/erase-lead.ts';
import { confirmed } from './confirm.ts';
import { type CommandContext, CommandError, countOf, existingOrganization, parseId, printable } from './context.ts';

interface EraseOptions {
  organization: number;
  lead: number;
  maxItems: number;
  dryRun?: boolean;
  yes?: boolean;
}

/** A person is named on a few timelines. More than this many items must be allowed by number. */
const otherEntriesMax = 1000;

/** DynamoDB keeps point-in-time recovery for so long (AWS: Point-in-time recovery for DynamoDB). */
const backupDays = 35;

/** `lead erase`. */
export function leadEraseCommand(lead: Command, context: CommandContext): void {
  lead
    .command('erase')
    .description("remove a lead and the person's data for good, wherever it lies")
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .requiredOption('--lead <ID>', "lead's id", parseId)
    .option('--dry-run', 'only say what would be removed and changed')
    .option('--max-items <N>', 'refuse to change more timeline items of other leads', parseCount, otherEntriesMax)
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
Removes the lead, its timeline, what is remembered of its captures and imports,
and the lead's phones and emails on other leads' timelines: those of phone and
email, now and before, not what fields of your own hold besides, such as a
guardian's phone. Reads the whole table twice: first to count what would change,
then to change it. After a kill, run it again. Other leads whose fields name
the person are listed and left as they are. Files are not touched: one that still names the
person makes the lead again when it is imported again. Backups keep the person
for up to ${backupDays} days.

Examples:
  npm run admin -- lead erase --organization 1 --lead 5 --dry-run
  npm run admin -- lead erase --organization 1 --lead 5`,
    )
    .action((options: EraseOptions) => erase(context, options));
}

async function erase(context: CommandContext, options: EraseOptions): Promise<void> {
  const { organization: organizationId, lead: leadId, maxItems, dryRun = false, yes = false } = options;
  const table = context.table();
  await existingOrganization(table, organizationId);
  const plan = await planErasure(table, organizationId, leadId, (items) =>
    context.progress(`Counting what would change: ${countOf(items, 'item')} read`),
  );
  if (!plan) throw new CommandError(`Organization ${organizationId} has no lead ${leadId}.`);
  if (dryRun) {
    context.print({ leadId, dryRun, ...plan }, () => planReport(organizationId, leadId, plan));
    return;
  }
  if (plan.otherEntries > maxItems) {
    throw new CommandError(
      `Erasing lead ${leadId} would change ${otherItems(plan)}, more than ${countOf(maxItems, 'item')}: ` +
        'check that its phones and emails are its own, then add --max-items with that number. Nothing was changed.',
    );
  }
  const lead = await readLead(table, organizationId, leadId);
  if (lead && !yes) {
    context.note(`Erasing changes ${otherItems(plan)}.`);
    await confirmed(
      `Lead ${leadId} of organization ${organizationId} (${printable(String(lead.fields.name))}) will be gone for good.`,
      String(leadId),
    );
  }
  const erased = await eraseLead(table, organizationId, leadId, {
    who: await context.callerIdentity(),
    onProgress: (items) => context.progress(`Erasing: ${countOf(items, 'item')} read`),
  });
  if (!erased) throw new CommandError(`Organization ${organizationId} has no lead ${leadId}.`);
  const backupsUntil = new Date(Date.now() + backupDays * 86_400_000).toISOString();
  context.print({ leadId, ...erased, backupsUntil }, () => report(organizationId, leadId, erased, backupsUntil));
}

const otherItems = ({ otherEntries, otherLeads }: Erased): string =>
  `${countOf(otherEntries, 'timeline item')} of ${countOf(otherLeads, 'other lead')}`;

const mentionLines = ({ mentions }: Erased): string[] => {
  const named = mentions.map(({ leadId, fields }) => `${leadId} (${fields.join(', ')})`).join(', ');
  return mentions.length === 0
    ? []
    : [`Other leads name the person's phone or email in their own fields; judge those yourself: ${named}.`];
};

function planReport(organizationId: number, leadId: number, plan: Erased): string {
  const { timelineEntries, idempotencyRecords, importedRows } = plan;
  return [
    `Lead ${leadId} of organization ${organizationId} would be erased, with ${countOf(timelineEntries, 'timeline item')}, ` +
      `${countOf(idempotencyRecords, 'idempotency record')}, ${countOf(importedRows, 'imported row')}; ` +
      `the person would be taken out of ${otherItems(plan)}. Nothing was changed.`,
    ...mentionLines(plan),
  ].join('\n');
}

function report(organizationId: number, leadId: number, erased: Erased, backupsUntil: string): string {
  const { timelineEntries, idempotencyRecords, importedRows } = erased;
  return [
    `Lead ${leadId} of organization ${organizationId} is erased, with ${countOf(timelineEntries, 'timeline item')}, ` +
      `${countOf(idempotencyRecords, 'idempotency record')}, ${countOf(importedRows, 'imported row')}; ` +
      `the person was taken out of ${otherItems(erased)}.`,
    ...mentionLines(erased),
    `Point-in-time recovery still holds the person until ${backupsUntil.slice(0, 10)}, on-demand backups and exported files until they are deleted. ` +
      'A restore from before now brings the person back until restore finish ends that.',
  ].join('\n');
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return count;
}
