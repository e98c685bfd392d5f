import { isDeepStrictEqual } from 'node:util';
import type { Lead } from '../../leads/lead.ts';
import type { Table } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { Item, LeadItem } from '../table/items.ts';
import {
  leadPrimaryKey,
  ownerIndexKey,
  sourceIndexKey,
  stageIndexKey,
  updateIndexKey,
} from '../table/primary-keys.ts';
import {
  type Condition,
  check,
  exists,
  hasVersion,
  putIfAbsent,
  type Write,
} from '../table/writes.ts';

/** The attributes of a lead's item besides its primary key, including the index attributes. */
function attributesOf(lead: Lead): Item {
  const { id: _, organizationId: __, ...attributes } = lead;
  return { ...attributes, ...indexAttributesOf(lead) };
}

type IndexAttribute = 'stageKey' | 'ownerKey' | 'sourceKey' | 'updateKey';

/** The index attributes of a lead. Archived leads have none, so no index contains them. */
export function indexAttributesOf(lead: Lead): Partial<Record<IndexAttribute, string>> {
  const { organizationId, stageId, archivedAt, fields } = lead;
  if (archivedAt !== undefined) return {};
  const { assigned_to: ownerId, source: sourceId } = fields;
  return {
    stageKey: stageIndexKey(organizationId, stageId),
    updateKey: updateIndexKey(organizationId),
    ...(ownerId !== undefined && { ownerKey: ownerIndexKey(organizationId, ownerId) }),
    ...(sourceId !== undefined && { sourceKey: sourceIndexKey(organizationId, sourceId) }),
  };
}

export function leadFrom(organizationId: number, item: Item): Lead {
  const { sk, version, fields, stageId, pipelineId, createdAt, updatedAt, archivedAt } =
    item as LeadItem;
  return {
    id: Number(sk),
    organizationId,
    version,
    fields,
    stageId,
    pipelineId,
    createdAt,
    updatedAt,
    ...(archivedAt !== undefined && { archivedAt }),
  };
}

/** Reads a lead, archived or not. One consistent read. */
export async function readLead(
  table: Table,
  organizationId: number,
  leadId: number,
): Promise<Lead | undefined> {
  const item = await getItem(table, leadPrimaryKey(organizationId, leadId));
  return item && leadFrom(organizationId, item);
}

/** Part of a transaction: a new lead. */
export const putLead = (lead: Lead): Write =>
  putIfAbsent({ ...leadPrimaryKey(lead.organizationId, lead.id), ...attributesOf(lead) });

/** Part of a transaction: counts a timeline entry in the lead's version, and changes nothing else in the lead. No index has the version. */
const countEntry = (organizationId: number, leadId: number, condition: Condition): Write => ({
  Update: {
    Key: leadPrimaryKey(organizationId, leadId),
    UpdateExpression: 'ADD #version :one',
    ...condition,
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ':one': 1 },
  },
});

/** Part of a transaction that adds a timeline entry. It fails if the lead has changed since it was read. */
export const countEntryOf = ({ organizationId, id, version }: Lead): Write =>
  countEntry(organizationId, id, hasVersion(version));

/**
 * Part of a transaction that adds a timeline entry at this time. It fails and returns the lead, unless the lead's last change is earlier.
 */
export const countEntryAt = (organizationId: number, leadId: number, at: string): Write =>
  countEntry(organizationId, leadId, {
    ConditionExpression: 'updatedAt < :at',
    ExpressionAttributeValues: { ':at': at },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });

/**
 * Part of a transaction: writes a changed lead, if it has not changed since it was read. Writes only attributes that differ, so that an
 * index costs nothing unless its key changes.
 */
export function leadUpdateItem(before: Lead, after: Lead): Write {
  const old = attributesOf(before);
  const next: Item = { ...attributesOf(after), version: before.version + 1 };
  const changed = Object.keys(next).filter((name) => !isDeepStrictEqual(next[name], old[name]));
  const gone = Object.keys(old).filter((name) => !(name in next));
  const sets = changed.map((name) => `#${name} = :${name}`);
  const removes = gone.map((name) => `#${name}`);
  const asRead = hasVersion(before.version);
  return {
    Update: {
      Key: leadPrimaryKey(before.organizationId, before.id),
      UpdateExpression: `SET ${sets.join(', ')}${removes.length > 0 ? ` REMOVE ${removes.join(', ')}` : ''}`,
      ...asRead,
      ExpressionAttributeNames: Object.fromEntries(
        [...changed, ...gone].map((name) => [`#${name}`, name]),
      ),
      ExpressionAttributeValues: {
        ...Object.fromEntries(changed.map((name) => [`:${name}`, next[name]])),
        ...asRead.ExpressionAttributeValues,
      },
    },
  };
}

/** Part of a transaction: checks that the lead exists. */
export const checkLeadExists = (organizationId: number, leadId: number): Write =>
  check(leadPrimaryKey(organizationId, leadId), exists);
