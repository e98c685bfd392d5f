import { identitiesAmong } from '../../../shared/leads/erasure/person-search.ts';
import {
  type Erased,
  eraseLeads,
  planErasures,
  unfinishedErasures,
} from '../../../shared/store/erasure/erase-lead.ts';
import { readLead } from '../../../shared/store/leads/leads.ts';
import { inactiveLeads } from '../../../shared/store/leads/read-leads.ts';
import type { OrganizationTable } from '../../../shared/store/table/client.ts';
import { bytesPerReadUnit } from '../../../shared/store/table/consumed-capacity.ts';
import { describedTable } from '../../cli/aws.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf, dateOf, firstOf, printable } from '../../cli/format.ts';
import { integerOption, parseIds } from '../../cli/options.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { parseTime } from '../options.ts';
import { unknownLeadError } from './named-lead.ts';

interface EraseOptions {
  readonly lead?: readonly number[];
  /** Epoch milliseconds. */
  readonly inactiveSince?: number;
  readonly archived?: boolean;
  readonly max: number;
  readonly maxItems: number;
  readonly dryRun?: boolean;
}

/** A person is usually named on few timelines, so changing more items than this needs --max-items. */
const maxItemsDefault = 1000;
/** More inactive leads than this need --max, because a wrong date could select all leads. */
const maxDefault = 100;
const countMax = 999_999_999;

/** How long DynamoDB keeps point-in-time recovery (AWS: Point-in-time recovery for DynamoDB). */
const backupDays = 35;

export function leadEraseCommand(lead: AdminCommand): void {
  lead
    .ofOrganization(
      'erase',
      "remove leads, and their people's data wherever it is stored, for good",
    )
    .option('--lead <ID>', 'lead ID; separate several with commas', parseIds)
    .option(
      '--inactive-since <DATE>',
      'every lead that has not changed, and has no timeline item, since this date or date-time',
      parseTime,
    )
    .option('--archived', 'with --inactive-since: only archived leads')
    .option(
      '--max <N>',
      'with --inactive-since: maximum number of leads',
      integerOption(1, countMax),
      maxDefault,
    )
    .option('--dry-run', 'print what would be removed and changed, and change nothing')
    .option(
      '--max-items <N>',
      'maximum number of timeline items of other leads to change, for all leads together',
      integerOption(0, countMax),
      maxItemsDefault,
    )
    .withReadRate()
    .option('--yes', 'do not ask for confirmation')
    .notes(eraseHelp)
    .examples('--organization 1 --lead 5,8,13 --dry-run')
    .needs('--archived', '--inactive-since <DATE>')
    .needs('--max', '--inactive-since <DATE>')
    .refuse(
      (options: EraseOptions) =>
        (options.lead === undefined) === (options.inactiveSince === undefined) &&
        "give either '--lead' or '--inactive-since'",
    )
    .json(eraseJson)
    .run(erase);
}

const eraseHelp = `
Removes the lead, its timeline, its idempotency records and imported rows, and the
person's phones and emails from other leads' timelines. Other leads whose own fields
name the person, such as a guardian's phone, are listed and not changed: decide about
them yourself.

Searches for whole phones and emails that the lead has or had, and that no other lead
has now, also where addresses, forms, HTML, JSON or quoted-printable encode them. One that
an enquiry only submitted, or that a custom field has, may be another person's, such as a
guardian's, and is not searched for. An enquiry on another lead that submitted one of the
person's is erased whole.

--dry-run names the phones and emails, those of custom fields too, and each item of another
lead that would change. Read them before you erase: one that the lead had by mistake is
somebody else's.

A person who writes again, even during the erasure, gets a new lead, which is left alone.
Until it is complete, lead import --keep-ids refuses the erased lead's ID. Files and
backups are not touched: importing a file with the person creates the lead again.
Point-in-time recovery keeps the person for 35 days, the option backup up to a year.

Reads the whole table twice, however many leads it erases. If the command is interrupted,
run it again; --inactive-since completes interrupted erasures too. A job for retention
is in infra/guides/commands.md, "Retention".`;

const eraseJson =
  '{"leadId","timelineEntries","idempotencyRecords","importedRows","otherEntries","otherLeads","mentions":[{"leadId","fields"}],"changes":[{"leadId","id"}],"phones","emails","backupsUntil"}; a dry run has "dryRun":true instead of "backupsUntil"; several leads and --inactive-since: {"items":[…]}';

async function erase(context: CommandContext, options: EraseOptions): Promise<void> {
  const { dryRun = false } = options;
  const { id: organizationId } = await context.organization();
  const scope = { table: context.pacedTable(), organizationId };
  const leadIds = options.lead ?? (await selectInactive(context, scope, options));
  const progress = (verb: string) => ({
    onBegun: (leads: number) => context.progress(`${verb}: ${leads} of ${leadIds.length}`),
    onProgress: (items: number) => context.progress(`${verb}: ${countOf(items, 'item')} read`),
  });
  let size: string | undefined = await tableSize(context);
  const plans = await planErasures(scope, leadIds, {
    ...progress('Reading the leads'),
    onBegun: (leads) => {
      if (leads === 0 || size === undefined) return;
      context.note(`Reading the whole table ${dryRun ? 'once' : 'twice'}: about ${size}.`);
      size = undefined;
    },
  });
  const refusals = leadIds
    .filter((leadId) => !plans.has(leadId))
    .map((leadId) => unknownLeadError(context, leadId).message);
  if (leadIds.length === 1 && refusals[0]) throw new CommandError(refusals[0]);
  let outcome = plans;
  if (!dryRun && plans.size > 0) {
    await confirmErasure(context, options, plans);
    const who = await context.callerIdentity();
    const inactiveSince = sinceOf(options);
    outcome = await eraseLeads(scope, [...plans.keys()], {
      who,
      inactiveSince,
      ...progress('Erasing the leads'),
    });
  }
  const backupsUntil = new Date(Date.now() + backupDays * 86_400_000).toISOString();
  const more = dryRun ? { dryRun } : { backupsUntil };
  const items = [...outcome].map(([leadId, erased]) => ({ leadId, ...erased, ...more }));
  const isOne = options.lead?.length === 1;
  const report = [...reportOf(organizationId, outcome, options, backupsUntil)];
  if (dryRun) report.push(...(await notSearched(context, outcome)));
  context.print(isOne ? items[0] : { items }, report);
  context.refuse(refusals);
}

/** The size of the table, as DynamoDB counts it every six hours. An engine may not count bytes. */
async function tableSize(context: CommandContext): Promise<string> {
  const { client, name } = context.table();
  const { ItemCount = 0, TableSizeBytes = 0 } = (await describedTable(client, name)) ?? {};
  const units = Math.ceil(TableSizeBytes / bytesPerReadUnit);
  return `${countOf(ItemCount, 'item')}${units > 0 ? ` and ${countOf(units, 'read unit')}` : ''}`;
}

const sinceOf = ({ inactiveSince }: Pick<EraseOptions, 'inactiveSince'>): string | undefined =>
  inactiveSince === undefined ? undefined : new Date(inactiveSince).toISOString();

/** The leads of --inactive-since, and leads whose erasure was interrupted. @throws CommandError if there are too many */
async function selectInactive(
  context: CommandContext,
  scope: OrganizationTable,
  { archived = false, max, ...options }: EraseOptions,
): Promise<number[]> {
  const before = sinceOf(options) ?? '';
  const leadIds: number[] = [];
  for await (const leadId of inactiveLeads(scope, before, { onlyArchived: archived })) {
    leadIds.push(leadId);
    context.progress(`Looking for inactive leads: ${leadIds.length} so far`);
  }
  if (leadIds.length > max)
    throw new CommandError(
      `${countOf(leadIds.length, `${archived ? 'archived ' : ''}lead`)} of organization ${scope.organizationId} ` +
        `${leadIds.length === 1 ? 'has' : 'have'} not changed since ${before}, more than ${max}: check the date, then set --max to that number. Nothing was changed.`,
    );
  return [...leadIds, ...(await unfinishedErasures(scope))];
}

type Outcome = ReadonlyMap<number, Erased>;

/** @throws CommandError if the erasure would change too many items, or is not confirmed */
async function confirmErasure(
  context: CommandContext,
  { maxItems }: EraseOptions,
  plans: Outcome,
): Promise<void> {
  const leadIds = [...plans.keys()];
  const [firstId = 0, ...others] = leadIds;
  const isOne = others.length === 0;
  const which = isOne ? `lead ${firstId}` : countOf(leadIds.length, 'lead');
  // Counts each item once, although it can name several people.
  const changes = [...plans.values()].flatMap((plan) => plan.changes);
  const otherEntries = new Set(changes.map(({ leadId, id }) => `${leadId} ${id}`)).size;
  const otherLeads = new Set(changes.map(({ leadId }) => leadId)).size;
  const changed = otherItems({ otherEntries, otherLeads });
  if (otherEntries > maxItems) {
    throw new CommandError(
      `Erasing ${which} would change ${changed}, more than ${countOf(maxItems, 'item')}: ` +
        'check that the phones and emails belong to these people only, then set --max-items to that number. Nothing was changed.',
    );
  }
  if (context.isConfirmed) return;
  const lead = isOne && (await readLead(context.table(), context.organizationId, firstId));
  if (isOne && !lead) return; // the erasure was confirmed before it was interrupted
  context.note(`Erasing changes ${changed}.`);
  const named = lead ? printable(lead.fields.name) : firstOf(leadIds);
  await context.confirm(
    `Erasing removes ${which} of organization ${context.organizationId} (${named}) for good.`,
    String(isOne ? firstId : leadIds.length),
  );
}

const otherItems = (erased: Pick<Erased, 'otherEntries' | 'otherLeads'>): string =>
  `${countOf(erased.otherEntries, 'timeline item')} of ${countOf(erased.otherLeads, 'other lead')}`;

/**
 * Sentences about the phones and emails in custom fields. They may belong to a guardian or an agent whom other leads name too. An erasure
 * would remove that person's data from those leads, and whole enquiries that they sent.
 */
async function notSearched(context: CommandContext, outcome: Outcome): Promise<string[]> {
  const { fieldByKey } = await context.organization();
  const lines: string[] = [];
  for (const [leadId, { phones, emails }] of outcome) {
    const lead = await readLead(context.table(), context.organizationId, leadId);
    const named = Object.entries(lead?.fields ?? {}).flatMap(([fieldKey, value]) => {
      const type = fieldByKey.get(fieldKey)?.type;
      if ((type !== 'phone' && type !== 'email') || typeof value !== 'string') return [];
      const isSearched = identitiesAmong([value]).some((identity) =>
        [...phones, ...emails].includes(identity),
      );
      return isSearched ? [] : [`${fieldKey} ${printable(value)}`];
    });
    if (named.length > 0)
      lines.push(
        `Lead ${leadId} has in custom fields, which may name somebody else and are not searched for: ${named.join(', ')}.`,
      );
  }
  return lines;
}

function* reportOf(
  organizationId: number,
  outcome: Outcome,
  { lead, dryRun = false }: EraseOptions,
  backupsUntil: string,
): Generator<string> {
  for (const [leadId, erased] of outcome) yield* leadReport(leadId, erased, dryRun);
  if (outcome.size === 0)
    yield lead ? 'No lead was erased.' : `No lead of organization ${organizationId} is inactive.`;
  else if (dryRun) yield 'Nothing was changed.';
  else
    yield `Point-in-time recovery keeps the erased data until ${dateOf(backupsUntil)}; on-demand backups and exported files keep it until you delete them. If you restore an older backup, run restore finish to erase it again.`;
}

/** The report on a lead. Only a dry run's report names the person, because an administrator must see whose data would be removed. */
function* leadReport(leadId: number, erased: Erased, dryRun: boolean): Generator<string> {
  const { timelineEntries, idempotencyRecords, importedRows, phones, emails, mentions } = erased;
  const would = dryRun ? 'would be' : 'was';
  yield `Lead ${leadId} ${would} erased, with ${countOf(timelineEntries, 'timeline record')}, ${countOf(idempotencyRecords, 'idempotency record')} and ${countOf(importedRows, 'imported row')}. ` +
    `The person ${would} removed from ${otherItems(erased)}.`;
  if (dryRun) {
    yield `The person's phones: ${phones.join(', ') || 'none'}. Emails: ${emails.map(printable).join(', ') || 'none'}.`;
    for (const [otherId, items] of Map.groupBy(erased.changes, (change) => change.leadId))
      yield `Lead ${otherId} would change in ${countOf(items.length, 'timeline item')}: ${items.map(({ id }) => id).join(', ')}.`;
  }
  const named = mentions.map((mention) => `${mention.leadId} (${mention.fields.join(', ')})`);
  if (named.length > 0)
    yield `Other leads have the person's phone or email in their own fields. Review them: ${named.join(', ')}.`;
}
