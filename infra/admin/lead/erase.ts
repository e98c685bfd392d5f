import { readLead } from '../../../shared/store/leads/leads.ts';
import {
  type Erased,
  eraseLead,
  planErasure,
} from '../../../shared/store/maintenance/erase-lead.ts';
import { type CliCommand, CommandError } from '../../cli/command.ts';
import { confirmed } from '../../cli/confirm.ts';
import { countOf, dateOf, printable } from '../../cli/format.ts';
import { integerOption } from '../../cli/options.ts';
import { type CommandContext, existingOrganization } from '../context.ts';
import { leadCommand, readRateOption } from '../options.ts';
import { type NamedLead, unknownLeadError } from './summary.ts';

interface EraseOptions extends NamedLead {
  maxItems: number;
  rate?: number;
  dryRun?: boolean;
  yes?: boolean;
}

/** A person is named on a few timelines only: changing more items than this needs --max-items. */
const maxItemsDefault = 1000;

/** How long DynamoDB keeps point-in-time recovery (AWS: Point-in-time recovery for DynamoDB). */
const backupDays = 35;

export function leadEraseCommand(lead: CliCommand, context: CommandContext): void {
  leadCommand(lead, 'erase', "remove a lead, and the person's data wherever it is stored, for good")
    .option('--dry-run', 'print what would be removed and changed, and change nothing')
    .option(
      '--max-items <N>',
      'maximum number of timeline items of other leads to change',
      integerOption(0, 999_999_999),
      maxItemsDefault,
    )
    .addOption(readRateOption())
    .option('--yes', 'do not ask for confirmation')
    .notes(eraseHelp)
    .action((options: EraseOptions) => erase(context, options));
}

const eraseHelp = `
Removes the lead, its timeline and the records of its captures and imports.
Removes the lead's phones and emails, current and former, from the timelines of
other leads. Those that another lead has now are that lead's, and stay. A phone or
email that an enquiry only submitted, and the lead never had, is not searched for,
nor are values of custom fields, such as a guardian's phone. Other leads whose own
fields contain the phone or email are listed and not changed.

--dry-run names the phones and emails, and each item of another lead that would
change. Read them before you erase.

Reads the whole table twice, paced so that live traffic is not throttled: 1,000
read units per second are 4 MB. If the command is interrupted, run it again.

Files are not changed: importing a file that has the person creates the lead
again. Backups keep the person for up to ${backupDays} days.

Examples:
  npm run admin -- lead erase --organization 1 --lead 5 --dry-run
  npm run admin -- lead erase --organization 1 --lead 5`;

async function erase(context: CommandContext, options: EraseOptions): Promise<void> {
  const { organization: organizationId, lead: leadId, dryRun = false } = options;
  const table = context.pacedTable(options.rate);
  await existingOrganization(table, organizationId);
  const plan = await planErasure(table, organizationId, leadId, (items) =>
    context.progress(`Counting the changes: ${countOf(items, 'item')} read`),
  );
  if (!plan) throw unknownLeadError(options);
  if (dryRun) {
    context.print({ leadId, dryRun, ...plan }, () => planReport(options, plan));
    return;
  }
  await confirmErasure(context, options, plan);
  const erased = await eraseLead(table, organizationId, leadId, {
    who: await context.callerIdentity(),
    onProgress: (items) => context.progress(`Erasing: ${countOf(items, 'item')} read`),
  });
  if (!erased) throw unknownLeadError(options);
  const backupsUntil = new Date(Date.now() + backupDays * 86_400_000).toISOString();
  context.print({ leadId, ...erased, backupsUntil }, () => report(options, erased, backupsUntil));
}

/** @throws CommandError when the erasure would change too many items, or is not confirmed */
async function confirmErasure(
  context: CommandContext,
  options: EraseOptions,
  plan: Erased,
): Promise<void> {
  const { organization: organizationId, lead: leadId, maxItems, yes = false } = options;
  if (plan.otherEntries > maxItems) {
    throw new CommandError(
      `Erasing lead ${leadId} would change ${otherItems(plan)}, more than ${countOf(maxItems, 'item')}: ` +
        'check that its phones and emails belong to this person only, then set --max-items to that number. Nothing was changed.',
    );
  }
  const lead = await readLead(context.table(), organizationId, leadId);
  if (!lead || yes) return;
  context.note(`Erasing changes ${otherItems(plan)}.`);
  const name = printable(String(lead.fields.name));
  await confirmed(
    `Lead ${leadId} of organization ${organizationId} (${name}) will be removed for good.`,
    String(leadId),
  );
}

const otherItems = ({ otherEntries, otherLeads }: Erased): string =>
  `${countOf(otherEntries, 'timeline item')} of ${countOf(otherLeads, 'other lead')}`;

const ownItems = ({ timelineEntries, idempotencyRecords, importedRows }: Erased): string =>
  `${countOf(timelineEntries, 'timeline record')}, ${countOf(idempotencyRecords, 'idempotency record')} and ${countOf(importedRows, 'imported row')}`;

function mentionLines({ mentions }: Erased): string[] {
  if (mentions.length === 0) return [];
  const leads = mentions.map(({ leadId, fields }) => `${leadId} (${fields.join(', ')})`).join(', ');
  return [
    `Other leads have the person's phone or email in their own fields. Review them: ${leads}.`,
  ];
}

/** The only output that names a person: an administrator must see whose data would go. */
const planReport = ({ organization, lead }: NamedLead, plan: Erased): string =>
  [
    `Lead ${lead} of organization ${organization} would be erased, with ${ownItems(plan)}. ` +
      `The person would be removed from ${otherItems(plan)}. Nothing was changed.`,
    `The person's phones: ${plan.phones.join(', ') || 'none'}. Emails: ${plan.emails.map(printable).join(', ') || 'none'}.`,
    ...changeLines(plan),
    ...mentionLines(plan),
  ].join('\n');

/** The items of other leads that would change, a line for each lead. */
const changeLines = ({ changes }: Erased): string[] =>
  [...Map.groupBy(changes, ({ leadId }) => leadId)].map(
    ([leadId, items]) =>
      `Lead ${leadId} would change in ${countOf(items.length, 'timeline item')}: ${items.map(({ id }) => id).join(', ')}.`,
  );

const report = ({ organization, lead }: NamedLead, erased: Erased, backupsUntil: string): string =>
  [
    `Erased lead ${lead} of organization ${organization}, with ${ownItems(erased)}. ` +
      `The person was removed from ${otherItems(erased)}.`,
    ...mentionLines(erased),
    `Point-in-time recovery keeps the person until ${dateOf(backupsUntil)}; on-demand backups and exported files keep the person until you delete them. ` +
      'If you restore an older backup, run restore finish to erase the person again.',
  ].join('\n');
