import type { Command } from 'commander';
import type { FieldValue } from '../../../shared/leads/lead.ts';
import {
  type FieldChange,
  presentEntry,
  type TimelineItem,
} from '../../../shared/leads/timeline.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { readTimeline } from '../../../shared/store/leads/timeline.ts';
import { printable } from '../../cli/format.ts';
import { parseId } from '../../cli/options.ts';
import type { CommandContext } from '../context.ts';
import { existingLead, type NamedLead } from './summary.ts';
import { indented, valueWithName } from './value-text.ts';

export function leadTimelineCommand(lead: Command, context: CommandContext): void {
  lead
    .command('timeline')
    .description('print the timeline of a lead, oldest item first')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .requiredOption('--lead <ID>', 'lead ID', parseId)
    .addHelpText('after', '\nExample:\n  npm run admin -- lead timeline --organization 1 --lead 5')
    .action((options: NamedLead) => timeline(context, options));
}

async function timeline(context: CommandContext, options: NamedLead): Promise<void> {
  const { organization } = await existingLead(context, options);
  const entries = await readTimeline(context.table(), organization.id, options.lead);
  const items = entries.flatMap((entry) => presentEntry(entry, userNamesOf(organization)));
  context.print({ items }, () => items.map((item) => timelineLines(organization, item)).join('\n'));
}

/** The name of a user who acted; a user who is no longer in the settings has none. */
export const userNamesOf =
  (organization: Organization) =>
  (userId: number): string =>
    organization.userById.get(userId)?.name ?? `user ${userId}`;

/** In the order of CaptureAttribution (contract, section 2). */
const attributionNames = [
  ...['pageUrl', 'pageTitle', 'referrer'],
  ...['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'],
  'formName',
];

/**
 * One timeline item as text: a line with the time, the type and the actor, then a line per detail. Details have a fixed order, because
 * DynamoDB returns the attributes of a map in any order; empty ones are left out.
 */
function timelineLines(organization: Organization, item: TimelineItem): string {
  const { keyId, keyLabel, archived, filled, kept = [], changes = [], attribution = {} } = item;
  const display = (field: string, value: FieldValue | null): string =>
    valueWithName(organization, field, value);
  const lines: [name: string, value: string | undefined][] = [
    ['via', item.via],
    ['imported at', item.importedAt],
    ['API key', keyLabel === undefined ? keyId : `${keyId} (${keyLabel})`],
    ['source', item.source],
    ['archived', archived && 'yes: the capture did not change the lead'],
    ['filled', filled?.join(', ')],
    ...kept.map(({ field, current, submitted }): [string, string] => [
      'kept',
      `${field}: ${display(field, current)}; submitted: ${display(field, submitted)}`,
    ]),
    ...inFormOrder(organization, changes).map(({ field, from, to }): [string, string] => [
      field,
      `${display(field, from)} → ${display(field, to)}`,
    ]),
    ['notes', item.notes],
    ['text', item.text],
    ...attributionNames.map((name): [string, string | undefined] => [name, attribution[name]]),
  ];
  return [
    `${item.at}  ${item.type}  by ${printable(item.actor.name)}`,
    ...lines.flatMap(([name, value]) => (value ? [`    ${name}: ${indented(value)}`] : [])),
  ].join('\n');
}

/** Stage and pipeline are not fields and come last. */
function inFormOrder(
  organization: Organization,
  changes: readonly FieldChange[],
): readonly FieldChange[] {
  const keys = [...organization.fields.map(({ key }) => key), 'stage', 'pipeline'];
  return changes.toSorted((a, b) => keys.indexOf(a.field) - keys.indexOf(b.field));
}
