import { isDeepStrictEqual } from 'node:util';
import { readAuditLog } from '../organizations/audit-log.ts';
import type { Table } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import { usagePrimaryKey } from '../table/primary-keys.ts';

/** What changes in a table with each request, which takes a token, and with each administrator's change, which adds an audit log entry. */
export type TableActivity = ReadonlyMap<number, readonly [usage: unknown, audit: unknown]>;

/** Two reads per organization. */
export async function readActivity(
  table: Table,
  organizationIds: readonly number[],
): Promise<TableActivity> {
  const activity = new Map<number, [unknown, unknown]>();
  for (const id of organizationIds)
    activity.set(id, [await getItem(table, usagePrimaryKey(id)), await readAuditLog(table, id, 1)]);
  return activity;
}

/** The organizations with a request or an administrator's change between two readings. */
export const activeBetween = (before: TableActivity, after: TableActivity): number[] =>
  [...after].flatMap(([id, now]) => (isDeepStrictEqual(before.get(id), now) ? [] : [id]));
