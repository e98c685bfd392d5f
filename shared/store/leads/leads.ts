import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type FieldValues, type Lead, ownerIdOf, sourceIdOf } from '../../leads/lead.ts';
import { fieldsBytes } from '../../leads/lead-size.ts';
import { limits } from '../../limits.ts';
import type { Table } from '../table/client.ts';
import { leadPrimaryKey, ownerIndexKey, sourceIndexKey, stageIndexKey, updateIndexKey } from '../table/primary-keys.ts';
import { putIfAbsent, type TransactItem } from '../table/transact.ts';

/** The attributes of a lead's item beside its primary key. */
type LeadAttributes = Readonly<Record<string, unknown>>;

/** A lead's attributes, the index attributes derived from it included. */
function attributesOf(lead: Lead): LeadAttributes {
  const { version, fields, stageId, pipelineId, createdAt, updatedAt, archivedAt } = lead;
  const own = { version, fields, stageId, pipelineId, createdAt, updatedAt };
  const largeKb = largeKbOf(fields);
  return { ...own, ...(largeKb && { largeKb }), ...(archivedAt !== undefined && { archivedAt }), ...indexAttributesOf(lead) };
}

/** In steps, so that an edit of a large lead seldom costs its index entries; undefined below the first. */
function largeKbOf(fields: FieldValues): number | undefined {
  const steps = Math.ceil((fieldsBytes(fields) + keysMaxBytes) / limits.largeLeadBytes);
  return steps > 1 ? (steps * limits.largeLeadBytes) / 1000 : undefined;
}
/** Room for a lead's keys, index attributes and times. */
const keysMaxBytes = 1000;

export type IndexAttribute = 'stageKey' | 'ownerKey' | 'sourceKey' | 'updateKey';

/** The index attributes that a lead has by what it is: archived leads have none and so leave the indexes. */
export function indexAttributesOf(lead: Lead): Partial<Record<IndexAttribute, string>> {
  const { organizationId, stageId, archivedAt } = lead;
  if (archivedAt !== undefined) return {};
  const ownerId = ownerIdOf(lead);
  const sourceId = sourceIdOf(lead);
  return {
    stageKey: stageIndexKey(organizationId, stageId),
    updateKey: updateIndexKey(organizationId),
    ...(ownerId !== null && { ownerKey: ownerIndexKey(organizationId, ownerId) }),
    ...(sourceId !== null && { sourceKey: sourceIndexKey(organizationId, sourceId) }),
  };
}

/** A lead from its item. */
export function leadFrom(organizationId: number, item: Readonly<Record<string, unknown>>): Lead {
  return {
    id: Number(item.sk),
    organizationId,
    version: item.version as number,
    fields: item.fields as FieldValues,
    stageId: item.stageId as number,
    pipelineId: item.pipelineId as number,
    createdAt: item.createdAt as string,
    updatedAt: item.updatedAt as string,
    ...(typeof item.archivedAt === 'string' && { archivedAt: item.archivedAt }),
  };
}

/** Reads a lead, archived ones too. One consistent read. */
export async function readLead(table: Table, organizationId: number, leadId: number): Promise<Lead | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: leadPrimaryKey(organizationId, leadId), ConsistentRead: true }),
  );
  return Item && leadFrom(organizationId, Item);
}

/** Part of a transaction: a new lead. */
export const putLead = (table: Table, lead: Lead): TransactItem =>
  putIfAbsent(table, { ...leadPrimaryKey(lead.organizationId, lead.id), ...attributesOf(lead) });

const atVersion = { ConditionExpression: '#version = :before', ExpressionAttributeNames: { '#version': 'version' } };

/** Part of a transaction: the lead is still as it was read. */
export const checkLead = (table: Table, lead: Lead): TransactItem => ({
  ConditionCheck: {
    TableName: table.name,
    Key: leadPrimaryKey(lead.organizationId, lead.id),
    ...atVersion,
    ExpressionAttributeValues: { ':before': lead.version },
  },
});

/**
 * Part of a transaction: the lead as it was read becomes the changed one. Only attributes that differ are written,
 * so that an index costs nothing unless its key changes and attributes of a later release stay as they are.
 */
export function leadUpdateItem(table: Table, before: Lead, after: Lead): TransactItem {
  const old = attributesOf(before);
  const next: LeadAttributes = { ...attributesOf(after), version: before.version + 1 };
  const changed = Object.keys(next).filter((name) => JSON.stringify(next[name]) !== JSON.stringify(old[name]));
  const gone = Object.keys(old).filter((name) => !(name in next));
  const sets = changed.map((name) => `#${name} = :${name}`);
  const removes = gone.map((name) => `#${name}`);
  return {
    Update: {
      TableName: table.name,
      Key: leadPrimaryKey(before.organizationId, before.id),
      UpdateExpression: `SET ${sets.join(', ')}${removes.length > 0 ? ` REMOVE ${removes.join(', ')}` : ''}`,
      ConditionExpression: atVersion.ConditionExpression,
      ExpressionAttributeNames: Object.fromEntries([...changed, ...gone].map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(changed.map((name) => [`:${name}`, next[name]])),
        ':before': before.version,
      },
    },
  };
}

/** Part of a transaction: there is such a lead. */
export const checkLeadExists = (table: Table, organizationId: number, leadId: number): TransactItem => ({
  ConditionCheck: {
    TableName: table.name,
    Key: leadPrimaryKey(organizationId, leadId),
    ConditionExpression: 'attribute_exists(pk)',
  },
});

/** Part of a transaction: there is such a lead, and its last change was before this time. A lead that was changed since is brought back. */
export const checkChangedBefore = (table: Table, organizationId: number, leadId: number, at: string): TransactItem => ({
  ConditionCheck: {
    TableName: table.name,
    Key: leadPrimaryKey(organizationId, leadId),
    ConditionExpression: 'updatedAt < :at',
    ExpressionAttributeValues: { ':at': at },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});
