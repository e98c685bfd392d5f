import { isDeepStrictEqual } from 'node:util';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { damagedAttributes } from '../../leads/erasure/erasure.ts';
import {
  type Explained,
  explainedBy,
  TimelineReplay,
  unexplainedParts,
} from '../../leads/timeline-replay.ts';
import type { OrganizationTable } from '../table/client.ts';
import type { Item, TimelineEntryItem } from '../table/items.ts';
import {
  erasurePrimaryKey,
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
  settingsPrimaryKey,
  timelinePartitionKey,
} from '../table/primary-keys.ts';
import { conflict } from '../table/retry.ts';
import { leadIn, ttlIssue } from './lead-issues.ts';
import { readTogether, readUntilStable, untilStable } from './read-together.ts';
import { organizationIn, type Violations } from './recheck.ts';
import { futureIssues, isStoredDateTime } from './times.ts';

const openingTypes = ['lead_created', 'captured_new'];
const entryTypes = [
  ...openingTypes,
  'captured',
  'lead_updated',
  'note_added',
  'archived',
  'restored',
];
/** A lead must have one opening entry, and be as its timeline says. Entries are written with the lead: what is wrong stays wrong. */
export async function recheckTimeline(own: OrganizationTable, leadId: number): Violations {
  const { table, organizationId } = own;
  const leadKey = leadPrimaryKey(organizationId, leadId);
  return untilStable(async () => {
    const before = await readTogether(table, [leadKey]);
    if (before === conflict) return conflict;
    const [item] = before;
    if (!item) return [];
    const { replay, openings } = await replayTimeline(own, leadId);
    const after = await readTogether(table, [leadKey]);
    if (after === conflict || !isDeepStrictEqual(before, after)) return conflict;
    const whose = `Lead ${leadId} of organization ${organizationId}`;
    const timeline = timelinePartitionKey(organizationId, leadId);
    if (openings.length !== 1) {
      const has = openings.length === 0 ? 'no opening entry' : `${openings.length} opening entries`;
      const which = openings.length === 0 ? openingTypes.join(' or ') : openings.join(', ');
      return [`${whose} has ${has} (${which}) on its timeline ${timeline}.`];
    }
    const lead = explainedBy(leadIn(organizationId, leadId, item));
    return unexplainedParts(lead, replay.explained).map(
      (part) => `${whose} ${unexplained[part](lead, replay.explained)}.`,
    );
  });
}

/** What to say of a part of a lead that its timeline does not explain. */
const unexplained: Readonly<
  Record<keyof Explained, (lead: Explained, timeline: Explained) => string>
> = {
  createdAt: (lead, timeline) =>
    `was created at ${lead.createdAt}, but its timeline begins at ${timeline.createdAt}`,
  change: (lead, timeline) =>
    `has the ${lead.change}, but by its timeline it must have the ${timeline.change}: an entry is missing, or the lead was changed without one`,
  archivedAt: (lead, timeline) =>
    `${archived(lead)}, but by its timeline it ${archived(timeline)}: npm run admin -- lead archive or restore sets it right`,
  valuesDigest: () =>
    'has a stage, pipeline or field that its timeline does not explain: it was changed without an entry. Compare it with a backup',
};
const archived = ({ archivedAt }: Explained): string =>
  archivedAt === '' ? 'is not archived' : `is archived since ${archivedAt}`;

async function replayTimeline(
  { table, organizationId }: OrganizationTable,
  leadId: number,
): Promise<{ replay: TimelineReplay; openings: string[] }> {
  const replay = new TimelineReplay();
  const openings: string[] = [];
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :timeline',
      ExpressionAttributeValues: { ':timeline': timelinePartitionKey(organizationId, leadId) },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) {
    for (const entry of Items as TimelineEntryItem[]) {
      replay.add(entry);
      if (openingTypes.includes(entry.type)) openings.push(entry.sk);
    }
  }
  return { replay, openings };
}

/** What is wrong with an entry in itself. @param userIds undefined if the organization has no settings */
export function entryIssues(
  entry: Item,
  sk: string,
  userIds: ReadonlySet<number> | undefined,
): string[] {
  const { type, at, actorId, importedAt, ttl } = entry;
  return [
    ...(typeof type === 'string' && entryTypes.includes(type)
      ? []
      : [`has the type ${JSON.stringify(type)}, which is none of ${entryTypes.join(', ')}`]),
    ...(isStoredDateTime(at) && sk.startsWith(`${at}#`)
      ? []
      : [`has the time ${JSON.stringify(at)}, which is not that of its key`]),
    ...(actorId === null || !userIds || (typeof actorId === 'number' && userIds.has(actorId))
      ? []
      : [`was made by user ${JSON.stringify(actorId)}, whom the organization does not have`]),
    ...futureIssues({ time: at, importedAt }),
    ...(ttl === undefined ? [] : [ttlIssue]),
    ...damagedAttributes(entry).map(
      (name) => `has a damaged ${name}: an erasure wrote [erased] between its characters`,
    ),
  ];
}

export async function recheckEntry(
  { table, organizationId }: OrganizationTable,
  key: PrimaryKey,
  leadId: number,
): Violations {
  const [entry, lead, settings, erasure] = await readUntilStable(table, [
    key,
    leadPrimaryKey(organizationId, leadId),
    settingsPrimaryKey(organizationId),
    erasurePrimaryKey(organizationId, leadId),
  ]);
  if (!entry || (!lead && erasure)) return []; // An erasure is reported by itself, and removes the timeline.
  if (!lead)
    return [
      `The timeline ${key.pk} has entries, but organization ${organizationId} has no lead ${leadId}.`,
    ];
  const organization = organizationIn(settings);
  const userIds = organization && new Set(organization.userById.keys());
  return entryIssues(entry, key.sk, userIds).map(
    (issue) => `The timeline entry ${keyText(key)} ${issue}.`,
  );
}
