import { type FieldValue, type Lead, presentLead, valueOf } from '../../../shared/leads/lead.ts';
import { presentEntry, type TimelineItem } from '../../../shared/leads/timeline.ts';
import { isBuiltIn } from '../../../shared/organization/built-in-fields.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { planErasures } from '../../../shared/store/erasure/erase-lead.ts';
import { readTimeline } from '../../../shared/store/leads/timeline.ts';
import { readAuditLog } from '../../../shared/store/organizations/audit-log.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { countOf, printable } from '../../cli/format.ts';
import { writeNewFile } from '../../cli/resumable-file.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { valueWithName } from '../named.ts';
import { existingLead, unknownLeadError } from './named-lead.ts';

interface LeadOptions {
  readonly lead: number;
}

/** `lead show` and `lead timeline`. */
export function leadShowCommands(lead: AdminCommand): void {
  lead
    .ofLead('show', 'print one lead with all its fields, archived or not')
    .notes(`
With --json, the command prints the lead as the API returns it. Without --json, it
prints inactive fields too, and sources that enquiries named and that are not active.`)
    .examples('--organization 1 --lead 5')
    .json('{"lead":{…the contract\'s Lead…},"archivedAt":null}')
    .run(show);
  lead
    .ofLead('timeline', 'print the timeline of a lead, oldest item first')
    .examples('--organization 1 --lead 5')
    .json('{"items":[…]} (infra/guides/commands.md, "Timeline items")')
    .run(timeline);
}

async function show(context: CommandContext, options: LeadOptions): Promise<void> {
  const { organization, lead } = await existingLead(context, options.lead);
  const { id, stageId, pipelineId, createdAt, updatedAt, archivedAt } = lead;
  const fields = organization.fields.map(({ key, active }): Detail => {
    const value = valueOf(lead.fields, key);
    const text = value === null ? undefined : valueWithName(organization, key, value);
    return [active ? key : `${key} (inactive)`, text];
  });
  const details: Detail[] = [
    ['lead', String(id)],
    ...fields,
    ['stage', valueWithName(organization, 'stage', stageId)],
    ['pipeline', valueWithName(organization, 'pipeline', pipelineId)],
    ['created at', createdAt],
    ['updated at', updatedAt],
    ['archived at', archivedAt],
  ];
  const entries = await readTimeline(context.table(), organization.id, id);
  for (const name of new Set(
    entries.map((entry) => 'submittedSource' in entry && entry.submittedSource),
  ))
    if (name) details.push(['submitted source', name]);
  const result = { lead: presentLead(organization, lead), archivedAt: archivedAt ?? null };
  context.print(result, detailLines(details));
}

async function timeline(context: CommandContext, { lead }: LeadOptions): Promise<void> {
  const { organization } = await existingLead(context, lead);
  const items = await timelineItems(context.table(), organization, lead);
  context.print(
    { items },
    items.flatMap((item) => linesOf(organization, item, websiteOf(item, items))),
  );
}

/** The timeline items, as lead timeline --json prints them. */
async function timelineItems(
  table: Table,
  organization: Organization,
  leadId: number,
): Promise<TimelineItem[]> {
  const entries = await readTimeline(table, organization.id, leadId);
  return entries.flatMap((entry) => presentEntry(entry, userNamesOf(organization)));
}

/** The acting user's name, or `user 7` if the settings no longer have them. */
export const userNamesOf =
  (organization: Organization) =>
  (userId: number): string =>
    organization.userById.get(userId)?.name ?? `user ${userId}`;

/** A name and its text. A detail without a text is not printed. */
type Detail = readonly [name: string, text: string | undefined];

/** Prints each detail on a line. Further lines of a text are indented, so that they visibly belong to it. */
const detailLines = (details: readonly Detail[]): string[] =>
  details.flatMap(([name, text]) => {
    const lines = text ? text.split(/\r\n|\r|\n/).map(printable) : [];
    return lines.length === 0 ? [] : [`${name}: ${lines.join('\n      ')}`];
  });

/** The label of the key with which a website sent an enquiry. Also for the item that says that the enquiry created the lead. */
const websiteOf = ({ at, keyId }: TimelineItem, items: readonly TimelineItem[]) =>
  items.find((item) => item.type === 'captured' && item.at === at && item.keyId === keyId)
    ?.keyLabel;

/** One timeline item as text: a line with the time, the type and who did it, then a line per detail. */
function linesOf(organization: Organization, item: TimelineItem, website?: string): string[] {
  const { name } = item.actor;
  const who = website === undefined ? name : `website (${website}), with the key of ${name}`;
  return [
    `${item.at}  ${item.type}  by ${printable(who)}`,
    ...detailLines(detailsOf(organization, item)).map((line) => `    ${line}`),
  ];
}

/** Puts details into a fixed order, because DynamoDB returns the attributes of a map in any order. */
function detailsOf(organization: Organization, item: TimelineItem): Detail[] {
  const { keyId, keyLabel, archived, filled, kept = [], changes = [], attribution = {} } = item;
  const display = (field: string, value: FieldValue | null): string =>
    valueWithName(organization, field, value);
  // Stage and pipeline are not fields, so they come last.
  const formOrder = [...organization.fields.map(({ key }) => key), 'stage', 'pipeline'];
  const inFormOrder = changes.toSorted(
    (a, b) => formOrder.indexOf(a.field) - formOrder.indexOf(b.field),
  );
  return [
    ['run by', item.by],
    ['via', item.via],
    ['imported at', item.importedAt],
    ['API key', keyLabel === undefined ? keyId : `${keyId} (${keyLabel})`],
    ['request', item.requestId],
    ['source', item.source],
    ['submitted source', item.submittedSource],
    ['archived', archived && 'yes: the capture did not change the lead'],
    ['filled', filled?.join(', ')],
    ...kept.map(
      ({ field, current, submitted }): Detail => [
        'kept',
        `${field}: ${display(field, current)}; submitted: ${display(field, submitted)}`,
      ],
    ),
    ...inFormOrder.map(
      ({ field, from, to }): Detail => [field, `${display(field, from)} → ${display(field, to)}`],
    ),
    ['notes', item.notes],
    ['text', item.text],
    ...Object.entries(attribution).sort(),
  ];
}

interface DossierOptions extends LeadOptions {
  readonly out?: string;
}

export function leadDossierCommand(lead: AdminCommand): void {
  lead
    .ofLead('dossier', "write everything stored about a lead's person")
    .option('--out <FILE>', 'file to write (default: stdout)')
    .withReadRate()
    .notes(`
It also lists what lead erase would find on other leads: read that before you
answer the person, because it may be about somebody else. It reads the whole table
once, but no backups, exported files or logs. Only you may read the file.`)
    .examples('--organization 1 --lead 5 --out lead-5.json')
    .json(
      '{"lead":{…},"timeline":[…],"auditLog":[…],"idempotencyRecords":N,"importedRows":N,"mentions":[{"leadId","fields"}],"otherItems":[{"leadId","id"}]}',
    )
    .run(dossier);
}

async function dossier(context: CommandContext, options: DossierOptions): Promise<void> {
  const { lead: leadId, out: file } = options;
  const { organization, lead } = await existingLead(context, leadId);
  const document = await dossierOf(context.pacedTable(), organization, lead, (items) =>
    context.progress(`Reading: ${countOf(items, 'item')}`),
  );
  const text = JSON.stringify(document, null, 2);
  if (file !== undefined) await writeNewFile(file, async () => `${text}\n`);
  const written = `Wrote everything stored about lead ${leadId} to ${file}.`;
  context.print(document, file === undefined ? text : written);
}

/** Everything that is stored about a lead's person. Reads the whole table once. @throws CommandError if the lead is erased meanwhile */
export async function dossierOf(
  table: Table,
  organization: Organization,
  lead: Lead,
  onProgress: (items: number) => void = () => undefined,
): Promise<object> {
  const scope = { table, organizationId: organization.id };
  const plans = await planErasures(scope, [lead.id], { onProgress });
  const found = plans.get(lead.id);
  if (!found) throw unknownLeadError(scope, lead.id);
  const auditLog = await readAuditLog(table, organization.id, { leadId: lead.id });
  const { idempotencyRecords, importedRows, mentions, changes } = found;
  return {
    lead: wholeLead(organization, lead),
    timeline: await timelineItems(table, organization, lead.id),
    auditLog: auditLog.toReversed(),
    idempotencyRecords,
    importedRows,
    mentions,
    otherItems: changes,
  };
}

/** The lead as the API returns it, with what the API omits: values of inactive fields, and when the lead was archived. */
function wholeLead(organization: Organization, lead: Lead): object {
  const others = Object.entries(lead.fields).filter(([fieldKey]) => !isBuiltIn(fieldKey));
  const { archivedAt = null } = lead;
  return { ...presentLead(organization, lead), fields: Object.fromEntries(others), archivedAt };
}
