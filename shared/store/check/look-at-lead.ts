import type { Lead } from '../../leads/lead.ts';
import {
  type Explained,
  explainedBy,
  isOpening,
  TimelineReplay,
  unexplainedParts,
} from '../../leads/timeline-replay.ts';
import {
  type Organization,
  organizationFrom,
  settingsFrom,
} from '../../organization/organization.ts';
import { readTimelineItems } from '../leads/timeline.ts';
import type { OrganizationTable } from '../table/client.ts';
import type { Item, SettingsItem, TimelineEntryItem } from '../table/items.ts';
import {
  emailPrimaryKey,
  erasurePrimaryKey,
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
  phonePrimaryKey,
  settingsPrimaryKey,
  timelinePartitionKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { readWith } from '../table/read-together.ts';
import { futureIssues, isStoredDateTime, ttlIssue } from './item-issues.ts';
import { type IdentityKind, identityOf, leadIn, leadIssues } from './lead-issues.ts';

/** Settings were checked when they were applied; the check relies on their types. */
export function organizationIn(settingsItem: Item | undefined): Organization | undefined {
  const stored = settingsItem as SettingsItem | undefined;
  return stored && organizationFrom(settingsFrom(stored.settings), stored.version);
}

/** The last lead id that was assigned; undefined if the usage item does not say. */
export const lastLeadIdIn = (usageItem: Item | undefined): number | undefined =>
  typeof usageItem?.lastLeadId === 'number' ? usageItem.lastLeadId : undefined;

/** @returns what is wrong with a lead, the items of its phone and email, and its timeline, as sentences */
export async function lookAtLead(scope: OrganizationTable, leadId: number): Promise<string[]> {
  const { organizationId } = scope;
  const { item, settings, usage, erasure, identities, timeline } = await readWhole(scope, leadId);
  const timelineKey = timelinePartitionKey(organizationId, leadId);
  if (!item) {
    // An erasure is reported by itself, and removes the timeline.
    return timeline.length === 0 || erasure
      ? []
      : [
          `The timeline ${timelineKey} has entries, but organization ${organizationId} has no lead ${leadId}.`,
        ];
  }
  const lead = leadIn(organizationId, leadId, item);
  const subject = `Lead ${leadId} of organization ${organizationId}`;
  const organization = organizationIn(settings);
  const issues = [...leadIssues(lead, item, organization, lastLeadIdIn(usage))];
  for (const { kind, value, key, item: holder } of identities)
    if (holder?.leadId !== leadId)
      issues.push(
        `${subject} has the ${kind} ${value}, but the item ${keyText(key)} ${holder ? `names lead ${holder.leadId}` : 'is not there'}.`,
      );
  for (const issue of timelineIssues(timeline, timelineKey, explainedBy(lead)))
    issues.push(`${subject} ${issue}.`);
  for (const entry of timeline)
    for (const issue of entryIssues(entry, organization))
      issues.push(`The timeline entry ${keyText(entry)} ${issue}.`);
  return issues;
}

/** A lead's phone or email as it is compared, and the key of its item. */
interface Identity {
  readonly kind: IdentityKind;
  readonly value: string;
  readonly key: PrimaryKey;
}

/** Reads a lead and everything that must agree with it as of one moment. */
async function readWhole(scope: OrganizationTable, leadId: number) {
  const { table, organizationId } = scope;
  let timeline: TimelineEntryItem[] = [];
  let identities: Identity[] = [];
  const [item, settings, usage, erasure, ...items] = await readWith(
    table,
    leadPrimaryKey(organizationId, leadId),
    async (before) => {
      timeline = await readTimelineItems(scope, leadId);
      identities = before ? identitiesIn(leadIn(organizationId, leadId, before)) : [];
      return [
        settingsPrimaryKey(organizationId),
        usagePrimaryKey(organizationId),
        erasurePrimaryKey(organizationId, leadId),
        ...identities.map(({ key }) => key),
      ];
    },
  );
  const withItems = identities.map((identity, index) => ({ ...identity, item: items[index] }));
  return { item, settings, usage, erasure, timeline, identities: withItems };
}

const identitiesIn = (lead: Lead): Identity[] =>
  (['phone', 'email'] as const).flatMap((kind) => {
    const value = identityOf(lead, kind);
    if (value === undefined) return [];
    const keyOf = kind === 'phone' ? phonePrimaryKey : emailPrimaryKey;
    return [{ kind, value, key: keyOf(lead.organizationId, value) }];
  });

/** A lead must have one opening entry, and be as its timeline says. */
function* timelineIssues(
  timeline: readonly TimelineEntryItem[],
  timelineKey: string,
  lead: Explained,
): Generator<string> {
  const openings = timeline.filter(isOpening);
  if (openings.length !== 1) {
    const keys = openings.map(({ sk }) => sk).join(', ') || 'lead_created or captured_new';
    return yield `has ${openings.length} opening entries (${keys}) on its timeline ${timelineKey}`;
  }
  const replay = new TimelineReplay();
  for (const entry of timeline) replay.add(entry);
  for (const part of unexplainedParts(lead, replay.explained))
    yield unexplained[part](lead, replay.explained);
}

const isMissing = 'an entry is missing, or the lead was changed without one';
/** What to say of a part of a lead that its timeline does not explain. */
const unexplained: Readonly<
  Record<keyof Explained, (lead: Explained, timeline: Explained) => string>
> = {
  version: (lead, timeline) =>
    `has the version ${lead.version}, but its timeline ends at version ${timeline.version}: ${isMissing}`,
  createdAt: (lead, timeline) =>
    `was created at ${lead.createdAt}, but its timeline begins at ${timeline.createdAt}`,
  updatedAt: (lead, timeline) =>
    `was updated at ${lead.updatedAt}, but by its timeline at ${timeline.updatedAt}: ${isMissing}`,
  archivedAt: (lead, timeline) =>
    `${archived(lead)}, but by its timeline it ${archived(timeline)}: npm run admin -- lead archive or restore sets it right`,
  valuesDigest: () =>
    'has a stage, pipeline or field that its timeline does not explain: it was changed without an entry. Compare it with a backup',
};
const archived = ({ archivedAt }: Explained): string =>
  archivedAt === '' ? 'is not archived' : `is archived since ${archivedAt}`;

/** What is wrong with an entry in itself. @param organization undefined if it has no settings: then the actor is not checked */
export function* entryIssues(
  entry: Item,
  organization: Organization | undefined,
): Generator<string> {
  const { sk, at, actorId, importedAt, ttl } = entry;
  if (!isStoredDateTime(at) || !String(sk).startsWith(`${at}#`))
    yield `has the time ${JSON.stringify(at)}, which is not that of its key`;
  if (actorId !== null && organization && !isUser(actorId, organization))
    yield `was made by user ${JSON.stringify(actorId)}, whom the organization does not have`;
  yield* futureIssues({ time: at, importedAt });
  if (ttl !== undefined) yield ttlIssue;
}

export const isUser = (id: unknown, { userById }: Organization): boolean =>
  typeof id === 'number' && userById.has(id);
