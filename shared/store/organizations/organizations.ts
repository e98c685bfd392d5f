import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { type Organization, organizationFrom } from '../../organization/organization.ts';
import type { Settings } from '../../organization/settings-types.ts';
import type { Table } from '../table/client.ts';
import { directoryPartitionKey, directoryPrimaryKey, settingsPrimaryKey, usagePrimaryKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { type TransactItem, transact } from '../table/transact.ts';
import { type AuditAction, type AuditEntry, auditEntryPut, keepSettings } from './audit-log.ts';

/** An organization's settings as they lie in the table. */
export interface StoredSettings {
  readonly settings: Settings;
  /** Grows by one with each apply, by more after a restore. */
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly appliedAt: string;
  /** Grows by one with each API key: a user who is about to be dropped must not become a key's creator meanwhile. */
  readonly keysCreated: number;
}

/** Reads an organization's settings; undefined for an unknown organization. One consistent read of the whole document. */
export async function readSettings(table: Table, organizationId: number): Promise<StoredSettings | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: settingsPrimaryKey(organizationId), ConsistentRead: true }),
  );
  return (
    Item && {
      settings: Item.settings as Settings,
      version: Item.version as number,
      appliedAt: Item.appliedAt as string,
      keysCreated: Item.keysCreated as number,
    }
  );
}

/** An organization as the rules use it; undefined for an unknown one. One consistent read. */
export async function loadOrganization(table: Table, organizationId: number): Promise<Organization | undefined> {
  const stored = await readSettings(table, organizationId);
  return stored && organizationFrom(stored.settings, stored.version);
}

/**
 * Puts settings in the place of those that were read (undefined: of none), tells admission of the new version and the directory of
 * the name, keeps those before for an undo and adds to the history, in one transaction of up to six items. What the usage item counts is
 * left alone.
 * @returns the version written; undefined when the settings, or the organization's API keys, are no longer as they were read.
 * @throws StillContended when another transaction is in the way for too long.
 */
export async function replaceSettings(
  table: Table,
  before: StoredSettings | undefined,
  settings: Settings,
  now: Date,
  action: AuditAction & Pick<AuditEntry, 'isBetween'>,
  version = (before?.version ?? 0) + 1,
): Promise<number | undefined> {
  const versions = { ...(before && { versionBefore: before.version }), versionAfter: version };
  const items = [
    ...(before ? keepSettings(table, before.settings, before.version) : []),
    auditEntryPut(table, settings.id, { at: now.toISOString(), ...action, ...versions }),
    putSettings(table, before, settings, version, now),
    tellAdmission(table, settings.id, version),
    putDirectory(table, settings),
  ];
  const result = await retryOnConflict(async () => {
    const { outcome } = await transact(table, items);
    return outcome === 'conflict' ? conflict : outcome;
  });
  return result === 'written' ? version : undefined;
}

function putSettings(
  table: Table,
  before: StoredSettings | undefined,
  settings: Settings,
  version: number,
  now: Date,
): TransactItem {
  const keysCreated = before?.keysCreated ?? 0;
  return {
    Put: {
      TableName: table.name,
      Item: { ...settingsPrimaryKey(settings.id), version, settings, appliedAt: now.toISOString(), keysCreated },
      ...(before
        ? {
            ConditionExpression: '#version = :before AND keysCreated = :keysCreated',
            ExpressionAttributeNames: { '#version': 'version' },
            ExpressionAttributeValues: { ':before': before.version, ':keysCreated': keysCreated },
          }
        : { ConditionExpression: 'attribute_not_exists(pk)' }),
    },
  };
}

/** Creates the usage item of a new organization; of an older one, the tokens taken and the leads numbered stay as they are. */
function tellAdmission(table: Table, organizationId: number, version: number): TransactItem {
  const counters = ['lastLeadId', 'used', 'windowEndsAt'];
  return {
    Update: {
      TableName: table.name,
      Key: usagePrimaryKey(organizationId),
      UpdateExpression: `SET settingsVersion = :version, ${counters.map((name) => `#${name} = if_not_exists(#${name}, :zero)`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(counters.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: { ':version': version, ':zero': 0 },
    },
  };
}

const putDirectory = (table: Table, { id, name }: Settings): TransactItem => ({
  Put: { TableName: table.name, Item: { ...directoryPrimaryKey(id), name } },
});

/** Every organization of the table, by id. Consistent; a read unit for about a hundred. */
export async function listOrganizations(table: Table): Promise<{ id: number; name: string }[]> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :directory',
      ExpressionAttributeValues: { ':directory': directoryPartitionKey },
      ConsistentRead: true,
    },
  );
  const organizations: { id: number; name: string }[] = [];
  for await (const { Items = [] } of pages)
    organizations.push(...Items.map(({ sk, name }) => ({ id: Number(sk), name: String(name) })));
  return organizations;
}

/** Part of a transaction: the settings are still those that were read, and count one API key more. */
export const countApiKey = (table: Table, organizationId: number, version: number): TransactItem => ({
  Update: {
    TableName: table.name,
    Key: settingsPrimaryKey(organizationId),
    UpdateExpression: 'ADD keysCreated :one',
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': version, ':one': 1 },
  },
});
