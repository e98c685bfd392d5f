import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { limits } from '../limits.ts';
import { listApiKeys, revokeApiKey } from './api-keys.ts';
import { batchGet } from './batch-get.ts';
import { kindOf } from './check/item-kind.ts';
import type { Table } from './client.ts';
import { eraseLead } from './erase-lead.ts';
import { type Deed, readHistory } from './history.ts';
import { listOrganizations, readSettings, replaceSettings } from './organizations.ts';
import { type PrimaryKey, usagePrimaryKey } from './primary-keys.ts';
import { partitionKeyPrefixes as prefix } from './table-definition.ts';
import { readTimeline } from './timeline.ts';

/** A table that cannot be what the command takes it for; nothing was changed. */
export class NotRestored extends Error {
  override readonly name = 'NotRestored';
}

export interface RestoreOptions {
  /** The table that was in use until now, which is only read; undefined when it is lost. */
  readonly old: Table | undefined;
  /** Without `old`: ids of the API keys that go on; every other one ends. */
  readonly keptKeyIds: ReadonlySet<string>;
  /** Names the restored table, so that a repeat knows its own entry of a history. */
  readonly deed: Deed;
  readonly onProgress?: (itemsRead: number) => void;
}

/** What a backup had brought back to life, and was ended again. */
export interface FinishedRestore {
  readonly organizations: number;
  readonly keysRevoked: number;
  readonly leadsErased: number;
  /** Timeline entries of other leads from which an erased person was taken again. */
  readonly entriesCleaned: number;
  /** Organizations that were made since the backup: only the old table has them. */
  readonly onlyInOld: readonly number[];
}

/**
 * Past the last lead id that a backup knows, where nothing tells which were given out since: requests (2.5 million in the 35 days that
 * point-in-time recovery reaches back, by the contract's limit), a raised limit, imports, an older backup. Ids are plenty.
 */
export const leadIdMargin = 100_000_000;
/** More versions than anybody applies in that time. */
const versionMargin = 10_000;

/**
 * Ends what a restored table brings back to life: API keys revoked since the backup, leads erased since, lead ids given out since, and a
 * settings version that functions know with other contents. Each step finds its own work, so it may be repeated after any failure.
 * @throws NotRestored
 */
export async function finishRestore(table: Table, options: RestoreOptions): Promise<FinishedRestore> {
  const organizations = (await listOrganizations(table)).map(({ id }) => id);
  if (organizations.length === 0) throw new NotRestored(`Table ${table.name} holds no organization: is it the restored table?`);
  const inOld = options.old ? await assertOlder(table, options.old) : [];
  await assertKnown(table, organizations, options.keptKeyIds);
  // First: from here on no id is given out that a lead of the old table had.
  for (const id of organizations)
    if (options.old) await raiseLastLeadId(table, id, (await readCounters(options.old, id)).lastLeadId);

  let keysRevoked = 0;
  for (const id of organizations) keysRevoked += await endKeys(table, id, options);
  const found = options.old ? await findErased(table, options.old, options.onProgress) : { erased: [], entriesCleaned: 0 };
  for (const { organizationId, leadId } of found.erased)
    await eraseLead(table, organizationId, leadId, {
      who: options.deed.who,
      partOf: options.deed.what,
      onProgress: options.onProgress,
    });
  for (const id of organizations) await goOnPast(table, id, options);
  return {
    organizations: organizations.length,
    keysRevoked,
    leadsErased: found.erased.length,
    entriesCleaned: found.entriesCleaned,
    onlyInOld: inOld.filter((id) => !organizations.includes(id)),
  };
}

/** The old table's organizations. Two tables taken for one another would lose what was written since the backup.
 *  @throws NotRestored */
async function assertOlder(table: Table, old: Table): Promise<number[]> {
  if (old.name === table.name) throw new NotRestored(`The restored table and the old one are both ${table.name}.`);
  const [ours, theirs] = [await createdAt(table), await createdAt(old)];
  if (ours < theirs) {
    throw new NotRestored(`Table ${table.name} is older than ${old.name}: a restored table is made anew. Are the two exchanged?`);
  }
  const organizations = (await listOrganizations(old)).map(({ id }) => id);
  if (organizations.length === 0)
    throw new NotRestored(`Table ${old.name} holds no organization: is it the table that was in use?`);
  return organizations;
}

/** @throws NotRestored for a table that is not there */
async function createdAt({ client, name }: Table): Promise<number> {
  try {
    const { Table: found } = await client.send(new DescribeTableCommand({ TableName: name }));
    return found?.CreationDateTime?.getTime() ?? 0;
  } catch (error) {
    if ((error as Error).name !== 'ResourceNotFoundException') throw error;
    throw new NotRestored(
      `There is no table ${name}: name the one that was in use until now, or leave --from out if it is lost.`,
    );
  }
}

async function assertKnown(table: Table, organizations: readonly number[], keyIds: ReadonlySet<string>): Promise<void> {
  const unknown = new Set(keyIds);
  for (const id of organizations) for (const { keyId } of await listApiKeys(table, id)) unknown.delete(keyId);
  if (unknown.size > 0) throw new NotRestored(`No organization of table ${table.name} has the key ${[...unknown].join(', ')}.`);
}

/** Revokes what was revoked in the old table, with its time; without one, every key that is not kept. @returns how many */
async function endKeys(table: Table, organizationId: number, { old, keptKeyIds }: RestoreOptions): Promise<number> {
  const live = (await listApiKeys(table, organizationId)).filter(({ revokedAt }) => revokedAt === null);
  const revokedAt = new Map((old ? await listApiKeys(old, organizationId) : []).map((key) => [key.keyId, key.revokedAt]));
  let ended = 0;
  for (const { keyId } of live) {
    const at = old ? revokedAt.get(keyId) : !keptKeyIds.has(keyId) && new Date().toISOString();
    if (!at) continue;
    await revokeApiKey(table, organizationId, keyId, new Date(at));
    ended += 1;
  }
  return ended;
}

interface FoundErased {
  readonly erased: readonly { readonly organizationId: number; readonly leadId: number }[];
  readonly entriesCleaned: number;
}

/**
 * Finds the leads that were erased since the backup, or were being erased at its moment: a lead goes no other way. Leads that were made in
 * the restored table stay. Timeline entries change by an erasure alone, of what a person sent to another lead, so one that differs is taken
 * over as it is in the old table.
 */
async function findErased(
  table: Table,
  old: Table,
  onProgress: (itemsRead: number) => void = () => undefined,
): Promise<FoundErased> {
  const erased = new Map<string, FoundErased['erased'][number]>();
  let entriesCleaned = 0;
  let itemsRead = 0;
  const restoredAt = await createdAt(table);

  const compare = async (items: readonly (Record<string, unknown> & PrimaryKey)[]): Promise<void> => {
    const before = await batchGet(old, items);
    for (const [at, item] of items.entries()) {
      const kind = kindOf(item);
      if (kind?.kind === 'timeline') {
        const entry = before[at];
        if (!entry || isDeepStrictEqual(entry, item)) continue;
        await table.client.send(new PutCommand({ TableName: table.name, Item: entry }));
        entriesCleaned += 1;
      } else if (kind?.kind === 'lead' || kind?.kind === 'erasure') {
        const { organizationId, leadId } = kind;
        const isGone =
          kind.kind === 'erasure' || (!before[at] && (await madeAt(table, organizationId, leadId, item)) < restoredAt);
        if (isGone) erased.set(`${organizationId} ${leadId}`, { organizationId, leadId });
      }
    }
  };

  const pages = paginateScan(
    { client: table.client },
    {
      TableName: table.name,
      FilterExpression: 'begins_with(pk, :leads) OR begins_with(pk, :timelines) OR begins_with(pk, :erasures)',
      ExpressionAttributeValues: { ':leads': prefix.lead, ':timelines': prefix.timeline, ':erasures': prefix.erasure },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [], ScannedCount = 0 } of pages) {
    const items = Items as (Record<string, unknown> & PrimaryKey)[];
    for (let at = 0; at < items.length; at += batchMax) await compare(items.slice(at, at + batchMax));
    itemsRead += ScannedCount;
    onProgress(itemsRead);
  }
  return { erased: [...erased.values()], entriesCleaned };
}

/** When a lead came into its table: an imported one has a `createdAt` of its own. */
async function madeAt(
  table: Table,
  organizationId: number,
  leadId: number,
  lead: Readonly<Record<string, unknown>>,
): Promise<number> {
  const imported = (await readTimeline(table, organizationId, leadId)).flatMap((entry) =>
    'importedAt' in entry ? [entry.importedAt] : [],
  );
  return Date.parse(imported[0] ?? String(lead.createdAt));
}

/** The most keys of one `BatchGetItem` (AWS: Service quotas). */
const batchMax = 100;

/** No id is to name two people, and no version two settings: both go on past what the old table, or any table, can have given out. */
async function goOnPast(table: Table, organizationId: number, { old, deed }: RestoreOptions): Promise<void> {
  const known = await readCounters(table, organizationId);
  if (old) {
    const given = await readCounters(old, organizationId);
    if (known.settingsVersion <= given.settingsVersion) await renewSettings(table, organizationId, given.settingsVersion, deed);
    return;
  }
  const [newest] = await readHistory(table, organizationId, 1);
  if (newest?.what === deed.what) return; // done before
  await raiseLastLeadId(table, organizationId, Math.min(known.lastLeadId + leadIdMargin, limits.idMax));
  await renewSettings(table, organizationId, known.settingsVersion + versionMargin, deed);
}

/** What a usage item counts; of an organization that is not there, nothing. */
async function readCounters(table: Table, organizationId: number): Promise<{ lastLeadId: number; settingsVersion: number }> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...usagePrimaryKey(organizationId) }, ConsistentRead: true }),
  );
  return { lastLeadId: Number(Item?.lastLeadId ?? 0), settingsVersion: Number(Item?.settingsVersion ?? 0) };
}

async function raiseLastLeadId(table: Table, organizationId: number, used: number): Promise<void> {
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: usagePrimaryKey(organizationId),
        UpdateExpression: 'SET lastLeadId = :used',
        ConditionExpression: 'lastLeadId < :used',
        ExpressionAttributeValues: { ':used': used },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error; // It is past them already.
  }
}

/** The same settings under a version past one, and the restore in the organization's history. */
async function renewSettings(table: Table, organizationId: number, version: number, deed: Deed): Promise<void> {
  for (;;) {
    const stored = await readSettings(table, organizationId);
    if (!stored) throw new NotRestored(`Organization ${organizationId} of table ${table.name} has no settings.`);
    const next = Math.max(stored.version, version) + 1;
    if ((await replaceSettings(table, stored, stored.settings, new Date(), deed, next)) !== undefined) return;
  }
}
