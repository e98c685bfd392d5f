import { readLead } from '../../../shared/store/leads/leads.ts';
import {
  type Erased,
  eraseLeads,
  planErasures,
  unfinishedErasures,
} from '../../../shared/store/maintenance/erase-lead.ts';
import { inactiveLeads } from '../../../shared/store/maintenance/read-leads.ts';
import type { OrganizationTable } from '../../../shared/store/table/client.ts';
import { type CliCommand, CommandError } from '../../cli/command.ts';
import { confirmed } from '../../cli/confirm.ts';
import { countOf, dateOf, printable } from '../../cli/format.ts';
import { integerOption, parseIds } from '../../cli/options.ts';
import { type CommandContext, existingOrganization } from '../context.ts';
import { organizationCommand, parseTime, readRateOption } from '../options.ts';
import { unknownLeadError } from './summary.ts';

interface EraseOptions {
  organization: number;
  lead?: number[];
  inactiveSince?: number;
  archived?: boolean;
  max: number;
  maxItems: number;
  rate?: number;
  dryRun?: boolean;
  yes?: boolean;
}

/** A person is named on a few timelines only: changing more items than this needs --max-items. */
const maxItemsDefault = 1000;
/** More inactive leads than this need --max: a wrong date could name them all. */
const maxDefault = 100;

/** How long DynamoDB keeps point-in-time recovery (AWS: Point-in-time recovery for DynamoDB). */
const backupDays = 35;

export function leadEraseCommand(lead: CliCommand, context: CommandContext): void {
  organizationCommand(
    lead,
    'erase',
    "remove leads, and their people's data wherever it is stored, for good",
  )
    .option('--lead <ID>', 'lead ID; separate several with commas', parseIds)
    .option(
      '--inactive-since <DATE>',
      'every lead without a timeline item at or after this date or date-time',
      parseTime,
    )
    .option('--archived', 'with --inactive-since: only archived leads')
    .option(
      '--max <N>',
      'with --inactive-since: maximum number of leads',
      integerOption(1, 999_999_999),
      maxDefault,
    )
    .option('--dry-run', 'print what would be removed and changed, and change nothing')
    .option(
      '--max-items <N>',
      'maximum number of timeline items of other leads to change, for all leads together',
      integerOption(0, 999_999_999),
      maxItemsDefault,
    )
    .addOption(readRateOption())
    .option('--yes', 'do not ask for confirmation')
    .notes(eraseHelp)
    .needs('--archived', '--inactive-since <DATE>')
    .needs('--max', '--inactive-since <DATE>')
    .action((options: EraseOptions, command: CliCommand) => {
      if ((options.lead === undefined) === (options.inactiveSince === undefined))
        command.error("error: give either '--lead' or '--inactive-since'");
      return erase(context, options);
    });
}

const eraseHelp = `
Removes each lead, its timeline and the records of its captures and imports, and
its phones and emails from the timelines of other leads. Other leads whose own
fields contain the phone or email are listed and not changed.

--dry-run names the phones and emails, and each item of another lead that would
change. Read them before you erase.

--inactive-since also completes erasures of the organization that were interrupted.

Reads the whole table twice, however many leads it erases. If the command is
interrupted, run it again. Exported files are not changed, and point-in-time recovery
keeps the person for ${backupDays} days. The rules are in infra/guides/commands.md, "Erase".

Examples:
  npm run admin -- lead erase --organization 1 --lead 5 --dry-run
  npm run admin -- lead erase --organization 1 --lead 5,8,13
  npm run admin -- lead erase --organization 1 --inactive-since 2024-01-01 --archived --dry-run`;

async function erase(context: CommandContext, options: EraseOptions): Promise<void> {
  const { organization: organizationId, dryRun = false } = options;
  const own = { table: context.pacedTable(options.rate), organizationId };
  await existingOrganization(own.table, organizationId);
  const leadIds = options.lead ?? (await selectInactive(context, own, options));
  const progress = (begin: string, read: string) => ({
    onBegun: (leads: number) => context.progress(`${begin}: ${leads} of ${leadIds.length}`),
    onProgress: (items: number) => context.progress(`${read}: ${countOf(items, 'item')} read`),
  });
  const plans = await planErasures(
    own,
    leadIds,
    progress('Reading the leads', 'Counting the changes'),
  );
  const unknown = leadIds.filter((leadId) => !plans.has(leadId));
  const noLead = unknown.map((leadId) =>
    unknownLeadError({ organization: organizationId, lead: leadId }),
  );
  if (leadIds.length === 1 && noLead[0]) throw noLead[0];
  let outcome = plans;
  if (!dryRun && plans.size > 0) {
    await confirmErasure(context, options, plans);
    const who = await context.callerIdentity();
    outcome = await eraseLeads(own, [...plans.keys()], {
      who,
      ...progress('Removing the leads', 'Erasing'),
    });
  }
  print(context, options, leadIds, outcome);
  if (noLead.length > 0) context.exitWithFailure();
  for (const { message } of noLead) context.note(message);
}

/** The leads of --inactive-since, and those whose erasure was interrupted. @throws CommandError for too many */
async function selectInactive(
  context: CommandContext,
  own: OrganizationTable,
  { inactiveSince = 0, archived = false, max }: EraseOptions,
): Promise<number[]> {
  const before = new Date(inactiveSince).toISOString();
  const leadIds: number[] = [];
  for await (const leadId of inactiveLeads(own, before, { onlyArchived: archived })) {
    leadIds.push(leadId);
    context.progress(`Looking for inactive leads: ${leadIds.length} so far`);
  }
  if (leadIds.length > max)
    throw new CommandError(
      `${countOf(leadIds.length, `${archived ? 'archived ' : ''}lead`)} of organization ${own.organizationId} ` +
        `${leadIds.length === 1 ? 'has' : 'have'} no timeline item since ${before}, more than ${max}: check the date, then set --max to that number. Nothing was changed.`,
    );
  return [...leadIds, ...(await unfinishedErasures(own))];
}

type Outcome = ReadonlyMap<number, Erased>;

/** @throws CommandError when the erasure would change too many items, or is not confirmed */
async function confirmErasure(
  context: CommandContext,
  { organization, maxItems, yes = false }: EraseOptions,
  plans: Outcome,
): Promise<void> {
  const leadIds = [...plans.keys()];
  const [onlyId] = leadIds;
  const isOne = leadIds.length === 1 && onlyId !== undefined;
  const which = isOne ? `lead ${onlyId}` : countOf(leadIds.length, 'lead');
  const changed = changedItems(plans);
  if (changed.entries > maxItems) {
    throw new CommandError(
      `Erasing ${which} would change ${textOf(changed)}, more than ${countOf(maxItems, 'item')}: ` +
        'check that the phones and emails belong to these people only, then set --max-items to that number. Nothing was changed.',
    );
  }
  if (yes) return;
  const lead = isOne ? await readLead(context.table(), organization, onlyId) : undefined;
  if (isOne && !lead) return; // an erasure that was confirmed before it was interrupted
  context.note(`Erasing changes ${textOf(changed)}.`);
  const name = lead ? ` (${printable(String(lead.fields.name))})` : '';
  await confirmed(
    isOne
      ? `Lead ${onlyId} of organization ${organization}${name} will be removed for good.`
      : `${which} of organization ${organization} will be removed for good: ${leadIds.slice(0, 20).join(', ')}${leadIds.length > 20 ? ', …' : ''}.`,
    String(isOne ? onlyId : leadIds.length),
  );
}

interface ChangedItems {
  readonly entries: number;
  readonly leads: number;
}

/** The items of other leads, each once, although several people can be in one. */
function changedItems(plans: Outcome): ChangedItems {
  const changes = [...plans.values()].flatMap((plan) => plan.changes);
  return {
    entries: new Set(changes.map(({ leadId, id }) => `${leadId} ${id}`)).size,
    leads: new Set(changes.map(({ leadId }) => leadId)).size,
  };
}

const textOf = ({ entries, leads }: ChangedItems): string =>
  `${countOf(entries, 'timeline item')} of ${countOf(leads, 'other lead')}`;
const otherItems = ({ otherEntries, otherLeads }: Erased): string =>
  textOf({ entries: otherEntries, leads: otherLeads });

const ownItems = ({ timelineEntries, idempotencyRecords, importedRows }: Erased): string =>
  `${countOf(timelineEntries, 'timeline record')}, ${countOf(idempotencyRecords, 'idempotency record')} and ${countOf(importedRows, 'imported row')}`;

/** One lead as an object, several as a list. */
function print(
  context: CommandContext,
  { organization, lead, dryRun = false }: EraseOptions,
  leadIds: readonly number[],
  outcome: Outcome,
): void {
  const backupsUntil = new Date(Date.now() + backupDays * 86_400_000).toISOString();
  const more = dryRun ? { dryRun } : { backupsUntil };
  const items = [...outcome].map(([leadId, erased]) => ({ leadId, ...erased, ...more }));
  const lines = (): string[] => {
    if (outcome.size === 0)
      return [
        lead ? 'No lead was erased.' : `No lead of organization ${organization} is inactive.`,
      ];
    const reports = [...outcome].flatMap(([leadId, one]) =>
      dryRun ? planReport(organization, leadId, one) : report(organization, leadId, one),
    );
    return dryRun ? reports : [...reports, afterwards(backupsUntil)];
  };
  const isOne = lead !== undefined && leadIds.length === 1;
  context.print(isOne ? items[0] : { items }, () => lines().join('\n'));
}

function mentionLines({ mentions }: Erased): string[] {
  if (mentions.length === 0) return [];
  const leads = mentions.map(({ leadId, fields }) => `${leadId} (${fields.join(', ')})`).join(', ');
  return [
    `Other leads have the person's phone or email in their own fields. Review them: ${leads}.`,
  ];
}

/** The only output that names a person: an administrator must see whose data would go. */
const planReport = (organization: number, leadId: number, plan: Erased): string[] => [
  `Lead ${leadId} of organization ${organization} would be erased, with ${ownItems(plan)}. ` +
    `The person would be removed from ${otherItems(plan)}. Nothing was changed.`,
  `The person's phones: ${plan.phones.join(', ') || 'none'}. Emails: ${plan.emails.map(printable).join(', ') || 'none'}.`,
  ...changeLines(plan),
  ...mentionLines(plan),
];

/** The items of other leads that would change, a line for each lead. */
const changeLines = ({ changes }: Erased): string[] =>
  [...Map.groupBy(changes, ({ leadId }) => leadId)].map(
    ([leadId, items]) =>
      `Lead ${leadId} would change in ${countOf(items.length, 'timeline item')}: ${items.map(({ id }) => id).join(', ')}.`,
  );

const report = (organization: number, leadId: number, erased: Erased): string[] => [
  `Erased lead ${leadId} of organization ${organization}, with ${ownItems(erased)}. ` +
    `The person was removed from ${otherItems(erased)}.`,
  ...mentionLines(erased),
];

const afterwards = (backupsUntil: string): string =>
  `Point-in-time recovery keeps the erased data until ${dateOf(backupsUntil)}; on-demand backups and exported files keep it until you delete them. ` +
  'If you restore an older backup, run restore finish to erase it again.';
