import { isDeepStrictEqual } from 'node:util';
import { limits } from '../../contract/limits.ts';
import { eraseLeads } from '../erasure/erase-lead.ts';
import { listApiKeys, revokeApiKey } from '../organizations/api-keys.ts';
import { type AuditAction, readAuditLog } from '../organizations/audit-log.ts';
import { listOrganizations, readSettings } from '../organizations/organizations.ts';
import { replaceSettings } from '../organizations/replace-settings.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { UsageItem } from '../table/items.ts';
import { usagePrimaryKey } from '../table/primary-keys.ts';
import { put, writeItem } from '../table/writes.ts';
import { passLeadId } from '../transfer/import-leads.ts';
import { completeFromOld, mendOrganizations, mendTable } from './mend-table.ts';
import { type LeadReference, MendedTable } from './mended-table.ts';
import { assertOrigin, describeTable, RestoreError } from './restore-origin.ts';
import { planRestore, type RestorePlan } from './restore-plan.ts';

interface RestoreOptions {
  /** The table that was in use until now. It is only read; undefined if it is lost. */
  readonly old: Table | undefined;
  /** Without `old`: the IDs of the API keys to keep. All other keys are revoked. */
  readonly keptKeyIds: ReadonlySet<string>;
  /** For each organization's audit log. */
  readonly action: AuditAction;
  /** Called with the differences before anything is written. If it throws, nothing changes. */
  readonly confirm?: (plan: RestorePlan) => Promise<void>;
  /** Called before the first change, except changes to organizations of which the backup has only a part. */
  readonly onBegin?: () => Promise<void>;
  readonly onProgress?: (itemsRead: number) => void;
}

/** The result: what was revoked, erased or cleaned again, and what only the old table has. */
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
  /**
   * The backup has only parts of some transactions. These are the items that were written to complete them, and the items that were
   * removed.
   */
  readonly partsCompleted: number;
  readonly partsRemoved: number;
  /** The leads to which these items belong. */
  readonly leadsMended: readonly LeadReference[];
}

/**
 * How many lead IDs to skip after the backup's last one if the old table is lost. By the contract's limit, requests assign at most 2.5
 * million in the 35 days of point-in-time recovery. Raised limits, imports and older backups can add more. There are 2.1 billion IDs.
 */
export const leadIdMargin = 100_000_000;
/** More versions than anyone applies in 35 days. */
const versionMargin = 10_000;

/**
 * Revokes the API keys and erases the leads that a backup brought back. Completes or removes transactions of which the backup has only a
 * part. Skips lead IDs that would be assigned again, and settings versions that functions have cached with other contents. Each step finds
 * out what is left to do, so the command can be repeated after any failure.
 * @throws RestoreError
 */
export async function finishRestore(
  table: Table,
  options: RestoreOptions,
): Promise<FinishedRestore> {
  const { old, onProgress } = options;
  const listed = (await listOrganizations(table)).map(({ id }) => id);
  if (listed.length === 0)
    throw new RestoreError(`Table ${table.name} has no organization: is it the restored table?`);
  const inOld = old ? await assertOrigin(table, old, listed) : [];
  const activity = old && (await readActivity(old, inOld));
  const plan = await planRestore(table, old, listed, onProgress);
  const mended = new MendedTable(table, old, plan.restoredAt);
  const restore = { ...options, table };
  const organizations = await begin(restore, plan, mended, listed);
  for (const id of organizations) await continueCounters(restore, id);
  for (const entry of plan.cleanedEntries) await writeItem(table, put(entry));
  await mendTable(mended, plan.erased);
  let keysRevoked = 0;
  for (const id of organizations) keysRevoked += await revokeKeys(restore, id);
  await eraseAgain(restore, plan, mended);
  const leadsOnlyInOld = await completeFromOld(mended, organizations);
  if (old && activity) assertUnused(old, activity, await readActivity(old, inOld));
  return {
    organizations: organizations.length,
    keysRevoked,
    leadsErased: plan.erased.length,
    entriesCleaned: plan.cleanedEntries.length,
    onlyInOld: inOld.filter((id) => !organizations.includes(id)),
    keysOnlyInOld: plan.keysOnlyInOld,
    leadsMissingInOld: plan.missing,
    entriesDiffering: plan.entriesDiffering,
    leadsOnlyInOld,
    partsCompleted: mended.completed,
    partsRemoved: mended.removed,
    leadsMended: mended.leads,
  };
}

interface Restore extends RestoreOptions {
  readonly table: Table;
}

/**
 * Asks for confirmation of the plan, then repairs the organizations.
 * @param listed the organizations of the directory
 * @returns the remaining organizations
 * @throws RestoreError before anything is changed
 */
async function begin(
  { table, old, keptKeyIds, confirm, onBegin }: Restore,
  plan: RestorePlan,
  mended: MendedTable,
  listed: readonly number[],
): Promise<number[]> {
  const unknown = [...keptKeyIds].filter((keyId) => !plan.keyIds.has(keyId));
  if (unknown.length > 0)
    throw new RestoreError(
      `No organization of table ${table.name} has the key ${unknown.join(', ')}: check --keep-key.`,
    );
  for (const id of plan.organizationsWithLeads)
    if (!(await readSettings(table, id)) && !(old && (await readSettings(old, id))))
      throw new RestoreError(
        `Organization ${id} of table ${table.name} has leads but no settings: restore another moment, and check it before you use it. Nothing was changed.`,
      );
  await confirm?.(plan);
  const organizations = await mendOrganizations(mended, plan.organizations, listed);
  await onBegin?.();
  return organizations;
}

/**
 * Erases leads again, once the table is otherwise repaired. An erasure keeps phones and emails that another lead has, and finds these by
 * their identity items.
 */
async function eraseAgain(
  { table, action, onProgress }: Restore,
  { erased }: RestorePlan,
  mended: MendedTable,
): Promise<void> {
  const { who, what } = action;
  for (const [organizationId, leads] of Map.groupBy(erased, (lead) => lead.organizationId)) {
    const leadIds = leads.map(({ leadId }) => leadId);
    await eraseLeads({ table, organizationId }, leadIds, { who, partOf: what, onProgress });
  }
  if (erased.length > 0) await mendTable(mended);
}

/** Values that change if a table is in use: each request takes a token, and each administrator's change adds an audit entry. */
type TableActivity = ReadonlyMap<number, readonly unknown[]>;

async function readActivity(
  table: Table,
  organizations: readonly number[],
): Promise<TableActivity> {
  const activity = new Map<number, readonly unknown[]>();
  for (const id of organizations)
    activity.set(id, [
      await getItem(table, usagePrimaryKey(id)),
      await readAuditLog(table, id, { limit: 1 }),
    ]);
  return activity;
}

/** Refuses if the old table was used meanwhile, because writes after the comparison would be lost. @throws RestoreError */
function assertUnused(old: Table, before: TableActivity, after: TableActivity): void {
  const used = [...after.keys()].filter((id) => !isDeepStrictEqual(before.get(id), after.get(id)));
  if (used.length > 0)
    throw new RestoreError(
      `Table ${old.name} was in use during the restore (organization ${used.join(', ')}): stop all requests with service stop --stack NAME, wait ten seconds, then run this command again.`,
    );
}

/** Revokes the live keys that are revoked in the old table; without an old table, all except the kept keys. @returns how many */
async function revokeKeys(
  { table, old, keptKeyIds }: Restore,
  organizationId: number,
): Promise<number> {
  const keysInOld = old ? await listApiKeys(old, organizationId) : [];
  const revocations = new Map(keysInOld.map(({ keyId, revokedAt }) => [keyId, revokedAt]));
  const now = new Date().toISOString();
  const revocationOf = (keyId: string): string | null =>
    old ? (revocations.get(keyId) ?? null) : keptKeyIds.has(keyId) ? null : now;
  let revoked = 0;
  for (const { keyId, revokedAt } of await listApiKeys(table, organizationId)) {
    const at = revocationOf(keyId);
    if (revokedAt !== null || at === null) continue;
    await revokeApiKey(table, organizationId, keyId, { at: new Date(at) });
    revoked += 1;
  }
  return revoked;
}

type Counters = Pick<UsageItem, 'lastLeadId' | 'settingsVersion'>;

/** The counters of an organization; 0 if it does not exist. */
async function readCounters(table: Table, organizationId: number): Promise<Counters> {
  const usage = await getItem(table, usagePrimaryKey(organizationId));
  return { lastLeadId: usage?.lastLeadId ?? 0, settingsVersion: usage?.settingsVersion ?? 0 };
}

/** Counters higher than a lost table can have reached; undefined if an earlier run has already set them. */
async function countersBeyond({
  table,
  organizationId,
}: OrganizationTable): Promise<Counters | undefined> {
  const { id } = await describeTable(table);
  // Compares the table's ID, not its name: a backup of a restored table contains the entry of that earlier restore, under any name.
  const entries = await readAuditLog(table, organizationId);
  if (entries.some(({ restoredTableId }) => restoredTableId === id)) return undefined; // an earlier run has done this
  const { lastLeadId, settingsVersion } = await readCounters(table, organizationId);
  return {
    lastLeadId: Math.min(lastLeadId + leadIdMargin, limits.idMax),
    settingsVersion: settingsVersion + versionMargin,
  };
}

/** Advances lead IDs and settings versions past the used ones, so that none of them is assigned again. */
async function continueCounters(
  { table, old, action: { who, what } }: Restore,
  organizationId: number,
): Promise<void> {
  const used = old
    ? await readCounters(old, organizationId)
    : await countersBeyond({ table, organizationId });
  if (!used) return;
  await passLeadId(table, organizationId, used.lastLeadId);
  const { settingsVersion } = used;
  if ((await readCounters(table, organizationId)).settingsVersion > settingsVersion) return;
  const { id: restoredTableId } = await describeTable(table);
  const action = { who, what: `${what}: new settings version`, restoredTableId };
  for (;;) {
    const before = await readSettings(table, organizationId);
    if (!before)
      throw new RestoreError(
        `Organization ${organizationId} of table ${table.name} has no settings.`,
      );
    const version = Math.max(before.version, settingsVersion) + 1;
    const change = { before, settings: before.settings, now: new Date(), action, version };
    if ((await replaceSettings(table, change)) !== undefined) return;
  }
}
