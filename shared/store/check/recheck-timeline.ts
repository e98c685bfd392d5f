import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { damagedAttributes } from '../../leads/erasure/erasure.ts';
import type { OrganizationTable } from '../table/client.ts';
import type { Item } from '../table/items.ts';
import {
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
  settingsPrimaryKey,
  timelinePartitionKey,
} from '../table/primary-keys.ts';
import { isStoredDateTime } from './lead-issues.ts';
import { readUntilStable } from './read-together.ts';
import { organizationIn, type Violations } from './recheck.ts';

const openings = ['lead_created', 'captured_new'];
export const entryTypes = [
  ...openings,
  'captured',
  'lead_updated',
  'note_added',
  'archived',
  'restored',
];
export const isOpening = ({ type }: Item): boolean =>
  typeof type === 'string' && openings.includes(type);

/** A lead must have one opening entry. Entries are only added, the first one with the lead, so one consistent read proves it. */
export async function recheckOpening(
  { table, organizationId }: OrganizationTable,
  leadId: number,
): Violations {
  const sortKeys: string[] = [];
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :timeline',
      ProjectionExpression: 'sk, #type',
      ExpressionAttributeNames: { '#type': 'type' },
      ExpressionAttributeValues: { ':timeline': timelinePartitionKey(organizationId, leadId) },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages)
    sortKeys.push(...Items.filter(isOpening).map(({ sk }) => String(sk)));
  if (sortKeys.length === 1) return [];
  const [lead] = await readUntilStable(table, [leadPrimaryKey(organizationId, leadId)]);
  if (!lead) return [];
  const has = sortKeys.length === 0 ? 'no opening entry' : `${sortKeys.length} opening entries`;
  const which = sortKeys.length === 0 ? `(${openings.join(' or ')})` : `(${sortKeys.join(', ')})`;
  return [
    `Lead ${leadId} of organization ${organizationId} has ${has} ${which} on its timeline ${timelinePartitionKey(organizationId, leadId)}.`,
  ];
}

/** What is wrong with an entry in itself. @param userIds undefined if the organization has no settings */
export function entryIssues(
  entry: Item,
  sk: string,
  userIds: ReadonlySet<number> | undefined,
): string[] {
  const { type, at, actorId } = entry;
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
  const [entry, lead, settings] = await readUntilStable(table, [
    key,
    leadPrimaryKey(organizationId, leadId),
    settingsPrimaryKey(organizationId),
  ]);
  if (!entry) return [];
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
