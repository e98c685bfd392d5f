import type { Settings } from '../../organization/organization.ts';
import type { Table } from '../table/client.ts';
import { directoryPrimaryKey, settingsPrimaryKey, usagePrimaryKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { transact } from '../table/transact.ts';
import { hasVersion, isAbsent, put, type Write } from '../table/writes.ts';
import { type AuditAction, type AuditEntry, auditEntryPut, keepSettings } from './audit-log.ts';
import type { StoredSettings } from './organizations.ts';

/** New settings, and the settings that they replace. */
export interface SettingsChange {
  /** The stored settings as they were read; undefined for a new organization. */
  readonly before: StoredSettings | undefined;
  readonly settings: Settings;
  readonly now: Date;
  /** For the audit log. */
  readonly action: AuditAction & Pick<AuditEntry, 'isBetween'>;
  /** The new version; if omitted, one more than the version before. */
  readonly version?: number;
}

/**
 * Replaces an organization's settings in one transaction of up to six items. These are the settings, their version in the usage item, the
 * name in the directory, the previous settings (kept for an undo) and an audit entry. The counters of the usage item do not change.
 * @returns the version written; undefined if, since the settings were read, they were replaced or a reference was counted
 * @throws ContentionError
 */
export async function replaceSettings(
  table: Table,
  { before, settings, now, action, version = (before?.version ?? 0) + 1 }: SettingsChange,
): Promise<number | undefined> {
  const { id: organizationId, name } = settings;
  const at = now.toISOString();
  const keysCreated = before?.keysCreated ?? 0;
  const versions = { ...(before && { versionBefore: before.version }), versionAfter: version };
  const appliedVersion = before?.appliedVersion ?? before?.version;
  const item = {
    ...settingsPrimaryKey(organizationId),
    version,
    settings,
    keysCreated,
    ...(action.isBetween && { appliedVersion }),
  };
  const asRead = before
    ? {
        ConditionExpression: '#version = :before AND keysCreated = :keysCreated',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':before': before.version, ':keysCreated': keysCreated },
      }
    : isAbsent;
  const items = [
    ...(before ? keepSettings(before.settings, before.version) : []),
    auditEntryPut(organizationId, { at, ...action, ...versions }),
    put({ ...item, appliedAt: at }, asRead),
    putSettingsVersion(organizationId, version),
    put({ ...directoryPrimaryKey(organizationId), name }),
  ];
  const result = await retryOnConflict(async () => {
    const { outcome } = await transact(table, items);
    return outcome === 'conflict' ? conflict : outcome;
  });
  return result === 'written' ? version : undefined;
}

/**
 * Stores the version in the usage item, where admission reads it. Creates the item for a new organization, and keeps the counters of an
 * existing one.
 */
function putSettingsVersion(organizationId: number, version: number): Write {
  const counters = ['lastLeadId', 'used', 'windowEndsAt'];
  return {
    Update: {
      Key: usagePrimaryKey(organizationId),
      UpdateExpression: `SET settingsVersion = :version, ${counters.map((name) => `#${name} = if_not_exists(#${name}, :zero)`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(counters.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: { ':version': version, ':zero': 0 },
    },
  };
}

/**
 * Part of a transaction that creates a reference to an item that may be inactive. It goes from a new API key to its creator, or from an
 * imported lead to any item. It fails if the settings have been replaced since they were read. An apply that read the earlier count fails
 * too, and looks for references again.
 */
export function countReference(organizationId: number, version: number): Write {
  const asRead = hasVersion(version);
  return {
    Update: {
      Key: settingsPrimaryKey(organizationId),
      UpdateExpression: 'ADD keysCreated :one',
      ...asRead,
      ExpressionAttributeValues: { ...asRead.ExpressionAttributeValues, ':one': 1 },
    },
  };
}
