import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { limits } from '../../limits.ts';
import { listApiKeys, revokeApiKey } from '../organizations/api-keys.ts';
import { type AuditAction, readAuditLog } from '../organizations/audit-log.ts';
import {
  listOrganizations,
  readSettings,
  replaceSettings,
} from '../organizations/organizations.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { UsageItem } from '../table/items.ts';
import { usagePrimaryKey } from '../table/primary-keys.ts';
import { eraseLead } from './erase-lead.ts';
import { assertOrigin, describeTable, RestoreError } from './restore-origin.ts';
import { cleanAsInOld, planRestore, planWithoutOld, type RestorePlan } from './restore-plan.ts';
import { activeBetween, readActivity } from './table-activity.ts';

export interface RestoreOptions {
  /** The table that was in use until now, which is only read; undefined if it is lost. */
  readonly old: Table | undefined;
  /** Without `old`: the ids of the API keys to keep; all others are revoked. */
  readonly keptKeyIds: ReadonlySet<string>;
  /** For each organization's audit log. */
  readonly action: AuditAction;
  /** Called with the differences before anything is written. If it throws, nothing is changed. */
  readonly confirm?: (plan: RestorePlan) => Promise<void>;
  /** Called just before the first change. */
  readonly onBegin?: () => Promise<void>;
  readonly onProgress?: (itemsRead: number) => void;
}

/** What was revoked, erased or cleaned again, and what only the old table has. */
export interface FinishedRestore {
  readonly organizations: number;
  readonly keysRevoked: number;
  readonly leadsErased: number;
  /** Timeline entries of other leads from which an erased person was removed again. */
  readonly entriesCleaned: number;
  /** Organizations that were created since the backup. */
  readonly onlyInOld: readonly number[];
  readonly keysOnlyInOld: RestorePlan['keysOnlyInOld'];
  readonly leadsMissingInOld: RestorePlan['missing'];
  readonly entriesDiffering: number;
}

/**
 * How many lead ids to skip after the last one of the backup if nothing tells which were assigned since: by requests (2.5 million in the 35
 * days of point-in-time recovery, by the contract's limit), under a raised limit, by imports, since an older backup. There are ids enough.
 */
export const leadIdMargin = 100_000_000;
/** More versions than anyone applies in that time. */
const versionMargin = 10_000;

/**
 * Revokes and erases again the API keys and leads that a backup brought back. Skips lead ids that would be assigned
 * again, and settings versions that functions have cached with other contents. Each step finds what is left to do, so the command may be
 * repeated after any failure.
 * @throws RestoreError
 */
export async function finishRestore(
  table: Table,
  options: RestoreOptions,
): Promise<FinishedRestore> {
  const organizations = (await listOrganizations(table)).map(({ id }) => id);
  if (organizations.length === 0)
    throw new RestoreError(`Table ${table.name} has no organization: is it the restored table?`);
  const { old } = options;
  const inOld = old ? await assertOrigin(table, old, organizations) : [];
  await assertKeysExist(table, organizations, options.keptKeyIds);
  const activity = old && (await readActivity(old, inOld));
  const plan = old
    ? await planRestore(table, old, organizations, options.onProgress)
    : await planWithoutOld(table, organizations);
  await options.confirm?.(plan);
  await options.onBegin?.();
  // First: from here on no id of a lead of the old table is assigned.
  for (const id of organizations)
    if (old) await raiseLastLeadId(table, id, (await readCounters(old, id)).lastLeadId);

  let keysRevoked = 0;
  for (const id of organizations) keysRevoked += await revokeAgain(table, id, options);
  let entriesCleaned = 0;
  for (const key of plan.entriesToClean)
    if (old && (await cleanAsInOld(table, old, key))) entriesCleaned += 1;
  await eraseAgain(table, plan, options);
  const renewal = await renewalOf(table, options.action);
  for (const id of organizations) await skipAssigned({ table, organizationId: id }, old, renewal);
  if (old && activity) assertUnused(old, activeBetween(activity, await readActivity(old, inOld)));
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

/** @throws RestoreError if the organizations used the old table meanwhile */
function assertUnused(old: Table, organizationIds: readonly number[]): void {
  if (organizationIds.length > 0) throw inUseError(old, organizationIds);
}

/** What was written to the old table after it was compared would be lost. */
const inUseError = (old: Table, organizationIds: readonly number[]): RestoreError =>
  new RestoreError(
    `Table ${old.name} was in use during the restore (organization ${organizationIds.join(', ')}): stop all requests with service stop --stack NAME, wait ten seconds, then run this command again.`,
  );

/** The action that stores new settings versions. */
async function renewalOf(table: Table, { who, what }: AuditAction): Promise<AuditAction> {
  const { id: restoredTableId } = await describeTable(table);
  return { who, what: `${what}: new settings version`, restoredTableId };
}

async function eraseAgain(
  table: Table,
  { erased }: RestorePlan,
  { action, onProgress }: RestoreOptions,
): Promise<void> {
  for (const { organizationId, leadId } of erased)
    await eraseLead(table, organizationId, leadId, {
      who: action.who,
      partOf: action.what,
      onProgress,
    });
}

async function assertKeysExist(
  table: Table,
  organizations: readonly number[],
  keyIds: ReadonlySet<string>,
): Promise<void> {
  const unknown = new Set(keyIds);
  for (const id of organizations)
    for (const { keyId } of await listApiKeys(table, id)) unknown.delete(keyId);
  if (unknown.size > 0)
    throw new RestoreError(
      `No organization of table ${table.name} has the key ${[...unknown].join(', ')}: check --keep-key.`,
    );
}

/** Revokes the keys that are revoked in the old table, as of the same time; without one, every key that is not kept. @returns how many */
async function revokeAgain(
  table: Table,
  organizationId: number,
  { old, keptKeyIds }: RestoreOptions,
): Promise<number> {
  const live = (await listApiKeys(table, organizationId)).filter(
    ({ revokedAt }) => revokedAt === null,
  );
  const revokedAt = new Map(
    (old ? await listApiKeys(old, organizationId) : []).map((key) => [key.keyId, key.revokedAt]),
  );
  let revoked = 0;
  for (const { keyId } of live) {
    const at = old ? revokedAt.get(keyId) : !keptKeyIds.has(keyId) && new Date().toISOString();
    if (!at) continue;
    await revokeApiKey(table, organizationId, keyId, { at: new Date(at) });
    revoked += 1;
  }
  return revoked;
}

/** Skips the lead ids and settings versions that have been assigned since the backup: neither may be used twice. */
async function skipAssigned(
  { table, organizationId }: OrganizationTable,
  old: Table | undefined,
  action: AuditAction,
): Promise<void> {
  const ours = await readCounters(table, organizationId);
  if (old) {
    const theirs = await readCounters(old, organizationId);
    if (ours.settingsVersion <= theirs.settingsVersion)
      await renewSettings(table, organizationId, theirs.settingsVersion, action);
    return;
  }
  // A name proves nothing: a backup of a table that was itself restored contains that restore's entry, under any name.
  const entries = await readAuditLog(table, organizationId, Number.POSITIVE_INFINITY);
  if (entries.some(({ restoredTableId }) => restoredTableId === action.restoredTableId)) return; // done before
  await raiseLastLeadId(
    table,
    organizationId,
    Math.min(ours.lastLeadId + leadIdMargin, limits.idMax),
  );
  await renewSettings(table, organizationId, ours.settingsVersion + versionMargin, action);
}

/** The counters of an organization; 0 if it does not exist. */
async function readCounters(
  table: Table,
  organizationId: number,
): Promise<Pick<UsageItem, 'lastLeadId' | 'settingsVersion'>> {
  const { lastLeadId = 0, settingsVersion = 0 } =
    (await getItem(table, usagePrimaryKey(organizationId))) ?? {};
  return { lastLeadId, settingsVersion };
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
    if (!(error instanceof ConditionalCheckFailedException)) throw error; // It is higher already.
  }
}

/** Stores the same settings under a higher version, with an audit entry of the restore. */
async function renewSettings(
  table: Table,
  organizationId: number,
  version: number,
  action: AuditAction,
): Promise<void> {
  for (;;) {
    const stored = await readSettings(table, organizationId);
    if (!stored)
      throw new RestoreError(
        `Organization ${organizationId} of table ${table.name} has no settings.`,
      );
    const { settings } = stored;
    const change = {
      before: stored,
      settings,
      now: new Date(),
      action,
      version: Math.max(stored.version, version) + 1,
    };
    if ((await replaceSettings(table, change)) !== undefined) return;
  }
}
