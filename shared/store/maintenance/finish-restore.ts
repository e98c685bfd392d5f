import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { limits } from '../../limits.ts';
import { listApiKeys, revokeApiKey } from '../organizations/api-keys.ts';
import { type AuditAction, readAuditLog } from '../organizations/audit-log.ts';
import { listOrganizations, readSettings, replaceSettings } from '../organizations/organizations.ts';
import type { Table } from '../table/client.ts';
import { usagePrimaryKey } from '../table/primary-keys.ts';
import { eraseLead } from './erase-lead.ts';
import { assertOrigin, describeTable, RestoreError } from './restore-origin.ts';
import { cleanAsInOld, emptyPlan, planRestore, type RestorePlan } from './restore-plan.ts';

export interface RestoreOptions {
  /** The table that was in use until now, which is only read; undefined when it is lost. */
  readonly old: Table | undefined;
  /** Without `old`: ids of the API keys that go on; every other one ends. */
  readonly keptKeyIds: ReadonlySet<string>;
  /** As each organization's history says it. */
  readonly action: AuditAction;
  /** Told what was found before anything is written; by throwing it stops the restore, and nothing was changed. */
  readonly confirm?: (plan: RestorePlan) => Promise<void>;
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
  readonly keysOnlyInOld: RestorePlan['keysOnlyInOld'];
  readonly leadsMissingInOld: RestorePlan['missing'];
  readonly entriesDiffering: number;
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
  if (organizations.length === 0) throw new RestoreError(`Table ${table.name} holds no organization: is it the restored table?`);
  const { old } = options;
  const inOld = old ? await assertOrigin(table, old, organizations) : [];
  await assertKnown(table, organizations, options.keptKeyIds);
  const plan = old ? await planRestore(table, old, organizations, options.onProgress) : emptyPlan;
  await options.confirm?.(plan);
  // First: from here on no id is given out that a lead of the old table had.
  for (const id of organizations) if (old) await raiseLastLeadId(table, id, (await readCounters(old, id)).lastLeadId);

  let keysRevoked = 0;
  for (const id of organizations) keysRevoked += await endKeys(table, id, options);
  let entriesCleaned = 0;
  for (const key of plan.entriesToClean) if (old && (await cleanAsInOld(table, old, key))) entriesCleaned += 1;
  await eraseAgain(table, plan, options);
  const { id: restoredTableId } = await describeTable(table);
  for (const id of organizations) await goOnPast(table, id, old, { ...options.action, restoredTableId });
  return {
    organizations: organizations.length,
    keysRevoked,
    leadsErased: plan.erased.length,
    entriesCleaned,
    onlyInOld: inOld.filter((id) => !organizations.includes(id)),
    keysOnlyInOld: plan.keysOnlyInOld,
    leadsMissingInOld: plan.missing,
    entriesDiffering: plan.entriesDiffering,
  };
}

async function eraseAgain(table: Table, { erased }: RestorePlan, { action, onProgress }: RestoreOptions): Promise<void> {
  for (const { organizationId, leadId } of erased)
    await eraseLead(table, organizationId, leadId, { who: action.who, partOf: action.what, onProgress });
}

async function assertKnown(table: Table, organizations: readonly number[], keyIds: ReadonlySet<string>): Promise<void> {
  const unknown = new Set(keyIds);
  for (const id of organizations) for (const { keyId } of await listApiKeys(table, id)) unknown.delete(keyId);
  if (unknown.size > 0) throw new RestoreError(`No organization of table ${table.name} has the key ${[...unknown].join(', ')}.`);
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

/** No id is to name two people, and no version two settings: both go on past what the old table, or any table, can have given out. */
async function goOnPast(table: Table, organizationId: number, old: Table | undefined, action: AuditAction): Promise<void> {
  const known = await readCounters(table, organizationId);
  if (old) {
    const given = await readCounters(old, organizationId);
    if (known.settingsVersion <= given.settingsVersion) await renewSettings(table, organizationId, given.settingsVersion, action);
    return;
  }
  // A name says nothing: a backup of a table that was itself restored brings that restore's entry along, under any name.
  const entries = await readAuditLog(table, organizationId, Number.POSITIVE_INFINITY);
  if (entries.some(({ restoredTableId }) => restoredTableId === action.restoredTableId)) return; // done before
  await raiseLastLeadId(table, organizationId, Math.min(known.lastLeadId + leadIdMargin, limits.idMax));
  await renewSettings(table, organizationId, known.settingsVersion + versionMargin, action);
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
async function renewSettings(table: Table, organizationId: number, version: number, action: AuditAction): Promise<void> {
  for (;;) {
    const stored = await readSettings(table, organizationId);
    if (!stored) throw new RestoreError(`Organization ${organizationId} of table ${table.name} has no settings.`);
    const next = Math.max(stored.version, version) + 1;
    if ((await replaceSettings(table, stored, stored.settings, new Date(), action, next)) !== undefined) return;
  }
}
