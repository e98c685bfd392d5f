import { type FieldValue, presentLead, valueOf } from '../../../shared/leads/lead.ts';
import { presentEntry, type TimelineItem } from '../../../shared/leads/timeline.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { readTimeline } from '../../../shared/store/leads/timeline.ts';
import type { CliCommand } from '../../cli/command.ts';
import { printable } from '../../cli/format.ts';
import type { CommandContext } from '../context.ts';
import { leadCommand } from '../options.ts';
import { existingLead, valueWithName } from './named-lead.ts';

/** `lead show` and `lead timeline`. */
export function leadShowCommands(lead: CliCommand, context: CommandContext): void {
  leadCommand(lead, 'show', 'print one lead with all its fields, archived or not')
    .notes(`
With --json, the command prints the lead as the API returns it. Without --json, it
prints inactive fields too.`)
    .examples('--organization 1 --lead 5')
    .action((_id, options: { lead: number }) => show(context, options.lead));
  leadCommand(lead, 'timeline', 'print the timeline of a lead, oldest item first')
    .examples('--organization 1 --lead 5')
    .action((_id, options: { lead: number }) => timeline(context, options.lead));
}

async function show(context: CommandContext, leadId: number): Promise<void> {
  const { organization, lead } = await existingLead(context, leadId);
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
  const result = { lead: presentLead(organization, lead), archivedAt: archivedAt ?? null };
  context.print(result, detailLines(details));
}

async function timeline(context: CommandContext, leadId: number): Promise<void> {
  const { organization } = await existingLead(context, leadId);
  const entries = await readTimeline(context.table(), organization.id, leadId);
  const items = entries.flatMap((entry) => presentEntry(entry, userNamesOf(organization)));
  context.print(
    { items },
    items.flatMap((item) => linesOf(organization, item)),
  );
}

/** The name of a user who acted; a user who is no longer in the settings has none. */
export const userNamesOf =
  (organization: Organization) =>
  (userId: number): string =>
    organization.userById.get(userId)?.name ?? `user ${userId}`;

/** A name and its text. One without a text is not printed. */
type Detail = readonly [name: string, text: string | undefined];

/** Prints each detail on a line. The further lines of a text are indented, so that they stay within their detail. */
const detailLines = (details: readonly Detail[]): string[] =>
  details.flatMap(([name, text]) => {
    const lines = text ? text.split(/\r\n|\r|\n/).map(printable) : [];
    return lines.length === 0 ? [] : [`${name}: ${lines.join('\n      ')}`];
  });

/** One timeline item as text: a line with the time, the type and the actor, then a line per detail. */
const linesOf = (organization: Organization, item: TimelineItem): string[] => [
  `${item.at}  ${item.type}  by ${printable(item.actor.name)}`,
  ...detailLines(detailsOf(organization, item)).map((line) => `    ${line}`),
];

/** In the order of CaptureAttribution (contract, section 2). */
const attributionNames = [
  ...['pageUrl', 'pageTitle', 'referrer'],
  ...['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'],
  'formName',
];

/** Details have a fixed order, because DynamoDB returns the attributes of a map in any order. */
function detailsOf(organization: Organization, item: TimelineItem): Detail[] {
  const { keyId, keyLabel, archived, filled, kept = [], changes = [], attribution = {} } = item;
  const display = (field: string, value: FieldValue | null): string =>
    valueWithName(organization, field, value);
  // Stage and pipeline are not fields and come last.
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
    ...attributionNames.map((name): Detail => [name, attribution[name]]),
  ];
}
