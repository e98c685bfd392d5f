import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { limits } from '../../../limits.ts';
import { listApiKeys, revokeApiKey } from '../../organizations/api-keys.ts';
import { type AuditAction, readAuditLog } from '../../organizations/audit-log.ts';
import {
  listOrganizations,
  readSettings,
  replaceSettings,
} from '../../organizations/organizations.ts';
import type { OrganizationTable, Table } from '../../table/client.ts';
import { getItem } from '../../table/get-item.ts';
import type { UsageItem } from '../../table/items.ts';
import { usagePrimaryKey } from '../../table/primary-keys.ts';
import { eraseLead } from '../erase-lead.ts';
import { activeBetween, readActivity } from '../table-activity.ts';
import type { LeadReference } from './lead-in-backup.ts';
import { mendLeads } from './mend-leads.ts';
import { mendKey, mendOrganizations } from './mend-organizations.ts';
import { completeFromOld, mendRecords, mendRows } from './mend-records.ts';
import { MendedTable } from './mended-table.ts';
import { assertOrigin, describeTable, RestoreError } from './restore-origin.ts';
import { cleanAllAsInOld, planRestore, type RestorePlan } from './restore-plan.ts';

export interface RestoreOptions {
  /** The table that was in use until now, which is only read; undefined if it is lost. */
  readonly old: Table | undefined;
  /** Without `old`: the ids of the API keys to keep; all others are revoked. */
  readonly keptKeyIds: ReadonlySet<string>;
  /** For each organization's audit log. */
  readonly action: AuditAction;
  /** Called with the differences before anything is written. If it throws, nothing is changed. */
  readonly confirm?: (plan: RestorePlan) => Promise<void>;
  /** Called before the first change, except for organizations that the backup has in part. */
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
  /** Leads of the restored table's organizations that were created since the backup. */
  readonly leadsOnlyInOld: readonly LeadReference[];
  /** Items of transactions of which the backup has only a part: those that were written to complete it, and those that were removed. */
  readonly partsCompleted: number;
  readonly partsRemoved: number;
  /** The leads whose items these are. */
  readonly leadsMended: readonly LeadReference[];
}

/**
 * How many lead ids to skip after the last one of the backup if nothing tells which were assigned since: by requests (2.5 million in the 35
 * days of point-in-time recovery, by the contract's limit), under a raised limit, by imports, since an older backup. There are ids enough.
 */
export const leadIdMargin = 100_000_000;
/** More versions than anyone applies in that time. */
const versionMargin = 10_000;

/**
 * Revokes and erases again the API keys and leads that a backup brought back. Completes or removes what the backup has of transactions in
 * part. Skips lead ids that would be assigned again, and settings versions that functions have cached with other contents. Each step finds
 * what is left to do, so the command may be repeated after any failure.
 * @throws RestoreError
 */
export async function finishRestore(
  table: Table,
  { old, ...options }: RestoreOptions,
): Promise<FinishedRestore> {
  const organizations = (await listOrganizations(table)).map(({ id }) => id);
  if (organizations.length === 0)
    throw new RestoreError(`Table ${table.name} has no organization: is it the restored table?`);
  return old
    ? finishWithOld({ table, organizations, ...options }, old)
    : finishWithoutOld({ table, organizations, ...options });
}

interface Restore extends Omit<RestoreOptions, 'old'> {
  readonly table: Table;
  readonly organizations: readonly number[];
}

async function finishWithOld(restore: Restore, old: Table): Promise<FinishedRestore> {
  const { table, organizations: listed, action } = restore;
  const inOld = await assertOrigin(table, old, listed);
  const activity = await readActivity(old, inOld);
  const plan = await planRestore(table, old, listed, restore.onProgress);
  await restore.confirm?.(plan);
  const mended = new MendedTable(table, old);
  const organizations = await mendOrganizations(mended, plan.survey, listed);
  await restore.onBegin?.();
  // First: from here on no id of a lead of the old table is assigned.
  for (const id of organizations)
    await raiseLastLeadId(table, id, (await readCounters(old, id)).lastLeadId);

  const entriesCleaned = await cleanAllAsInOld(table, old, plan.entriesToClean);
  const finished = await finishPlan(
    { ...restore, organizations },
    mended,
    plan,
    async (organizationId) => {
      const keys = await listApiKeys(old, organizationId);
      return new Map(keys.map(({ keyId, revokedAt }) => [keyId, revokedAt]));
    },
  );
  const { organizationOfKey } = plan.survey;
  const leadsOnlyInOld = await completeFromOld(mended, new Set(organizations), organizationOfKey);
  const renewal = await renewalOf(table, action);
  for (const id of organizations) {
    const { settingsVersion } = await readCounters(old, id);
    if ((await readCounters(table, id)).settingsVersion <= settingsVersion)
      await renewSettings(table, id, settingsVersion, renewal);
  }
  assertUnused(old, activeBetween(activity, await readActivity(old, inOld)));
  return {
    ...finished,
    entriesCleaned,
    onlyInOld: inOld.filter((id) => !organizations.includes(id)),
    leadsOnlyInOld,
  };
}

async function finishWithoutOld(restore: Restore): Promise<FinishedRestore> {
  const { table, organizations: listed, keptKeyIds, action } = restore;
  const plan = await planRestore(table, undefined, listed, restore.onProgress);
  assertKeysExist(table, plan, keptKeyIds);
  await restore.confirm?.(plan);
  const mended = new MendedTable(table, undefined);
  const organizations = await mendOrganizations(mended, plan.survey, listed);
  await restore.onBegin?.();
  const now = new Date().toISOString();
  const finished = await finishPlan(
    { ...restore, organizations },
    mended,
    plan,
    async (organizationId) => {
      const keys = await listApiKeys(table, organizationId);
      return new Map(keys.map(({ keyId }) => [keyId, keptKeyIds.has(keyId) ? null : now]));
    },
  );
  const renewal = await renewalOf(table, action);
  for (const id of organizations) await skipUnknown({ table, organizationId: id }, renewal);
  return { ...finished, entriesCleaned: 0, onlyInOld: [], leadsOnlyInOld: [] };
}

/** When each API key of an organization was or is revoked; null for one that is kept. */
type Revocations = (organizationId: number) => Promise<ReadonlyMap<string, string | null>>;

/** What a restore does with the old table and without it. */
async function finishPlan(
  restore: Restore,
  mended: MendedTable,
  plan: RestorePlan,
  revocations: Revocations,
): Promise<Omit<FinishedRestore, 'entriesCleaned' | 'onlyInOld' | 'leadsOnlyInOld'>> {
  const { table, organizations, onProgress } = restore;
  const { who, what } = restore.action;
  const { survey, erased } = plan;
  for (const key of survey.keys) await mendKey(mended, key);
  let keysRevoked = 0;
  for (const id of organizations)
    keysRevoked += await revokeAgain(table, id, await revocations(id));
  // Before the erasures, which leave alone what another lead has: they find that by its unique items.
  await mendLeads(mended, survey, erased);
  for (const { organizationId, leadId } of erased)
    await eraseLead(table, organizationId, leadId, { who, partOf: what, onProgress });
  await mendLeads(mended, survey);
  await mendRows(mended, survey.rows);
  await mendRecords(mended, survey.records, survey.organizationOfKey);
  return {
    organizations: organizations.length,
    keysRevoked,
    leadsErased: erased.length,
    keysOnlyInOld: plan.keysOnlyInOld,
    leadsMissingInOld: plan.missing,
    entriesDiffering: plan.entriesDiffering,
    partsCompleted: mended.completed,
    partsRemoved: mended.removed,
    leadsMended: mended.leads,
  };
}

/** What was written to the old table after it was compared would be lost. @throws RestoreError */
function assertUnused(old: Table, organizationIds: readonly number[]): void {
  if (organizationIds.length > 0)
    throw new RestoreError(
      `Table ${old.name} was in use during the restore (organization ${organizationIds.join(', ')}): stop all requests with service stop --stack NAME, wait ten seconds, then run this command again.`,
    );
}

/** The action that stores new settings versions. */
async function renewalOf(table: Table, { who, what }: AuditAction): Promise<AuditAction> {
  const { id: restoredTableId } = await describeTable(table);
  return { who, what: `${what}: new settings version`, restoredTableId };
}

function assertKeysExist(table: Table, { survey }: RestorePlan, keyIds: ReadonlySet<string>): void {
  const unknown = [...keyIds].filter((keyId) => !survey.organizationOfKey.has(keyId));
  if (unknown.length > 0)
    throw new RestoreError(
      `No organization of table ${table.name} has the key ${unknown.join(', ')}: check --keep-key.`,
    );
}

/** Revokes live keys as of the times given. @returns how many */
async function revokeAgain(
  table: Table,
  organizationId: number,
  revocations: ReadonlyMap<string, string | null>,
): Promise<number> {
  let revoked = 0;
  for (const { keyId, revokedAt } of await listApiKeys(table, organizationId)) {
    const at = revocations.get(keyId);
    if (revokedAt !== null || !at) continue;
    await revokeApiKey(table, organizationId, keyId, { at: new Date(at) });
    revoked += 1;
  }
  return revoked;
}

/** Skips the lead ids and settings versions that may have been assigned since the backup: neither may be used twice. */
async function skipUnknown(
  { table, organizationId }: OrganizationTable,
  action: AuditAction,
): Promise<void> {
  // A name proves nothing: a backup of a table that was itself restored contains that restore's entry, under any name.
  const entries = await readAuditLog(table, organizationId, Number.POSITIVE_INFINITY);
  if (entries.some(({ restoredTableId }) => restoredTableId === action.restoredTableId)) return; // done before
  const { lastLeadId, settingsVersion } = await readCounters(table, organizationId);
  await raiseLastLeadId(table, organizationId, Math.min(lastLeadId + leadIdMargin, limits.idMax));
  await renewSettings(table, organizationId, settingsVersion + versionMargin, action);
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
        ConditionExpression: 'attribute_not_exists(lastLeadId) OR lastLeadId < :used',
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
