import { isDeepStrictEqual } from 'node:util';
import {
  DescribeTableCommand,
  ResourceNotFoundException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { type AuditEntry, readAuditLog } from '../organizations/audit-log.ts';
import { listOrganizations } from '../organizations/organizations.ts';
import type { Table } from '../table/client.ts';

/** Thrown if a table is not the one that the command expects. Nothing was changed. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}

/** What DynamoDB says about a table. */
interface TableFacts {
  /** Unique forever: another table with the same name has another ID. */
  readonly id: string;
  readonly createdAt: number;
  readonly keys: TableDescription['KeySchema'];
}

/** @throws RestoreError if the table does not exist */
export async function describeTable({ client, name }: Table): Promise<TableFacts> {
  try {
    const { Table: found } = await client.send(new DescribeTableCommand({ TableName: name }));
    // DynamoDB Local returns no ID.
    const createdAt = found?.CreationDateTime?.getTime() ?? 0;
    const id = found?.TableId ?? new Date(createdAt).toISOString();
    return { id, createdAt, keys: found?.KeySchema };
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    throw new RestoreError(
      `There is no table ${name}: name the one that was in use until now, or leave --from out if it is lost.`,
    );
  }
}

/** Audit entries have the time of the administrator's clock, tables that of AWS. */
const clockMarginMs = 600_000;

/**
 * Checks that the restored table was made from the old one. If the two were swapped, everything written since the backup would be lost. If
 * the old table belonged to another service, that service's erasures would be applied here.
 * @param organizations the organizations of the restored table
 * @returns the organizations of the old table
 * @throws RestoreError
 */
export async function assertOrigin(
  table: Table,
  old: Table,
  organizations: readonly number[],
): Promise<number[]> {
  if (old.name === table.name)
    throw new RestoreError(`The restored table and the old one are both ${table.name}.`);
  const [ours, theirs] = [await describeTable(table), await describeTable(old)];
  if (ours.createdAt < theirs.createdAt) {
    throw new RestoreError(
      `Table ${table.name} is older than ${old.name}, but a restored table is a new one. Are the two exchanged?`,
    );
  }
  if (!isDeepStrictEqual(ours.keys, theirs.keys))
    throw new RestoreError(
      `Table ${old.name} has other keys than ${table.name} (the table), so it is not the table that was in use. Check --from.`,
    );
  const inOld = (await listOrganizations(old)).map(({ id }) => id);
  const common = organizations.filter((id) => inOld.includes(id));
  if (common.length === 0) {
    throw new RestoreError(
      `Tables ${table.name} and ${old.name} have no organization in common: check --from. Nothing was changed.`,
    );
  }
  for (const id of common) await assertSameOrganization(table, old, id, ours.createdAt);
  return inOld;
}

/** Audit entries are never deleted. So a table that lacks an entry of the backup is not the one that the backup was made from. */
async function assertSameOrganization(
  table: Table,
  old: Table,
  organizationId: number,
  restoredAt: number,
): Promise<void> {
  // Does not compare `what`: if an export ran during the backup, its entry has been completed since.
  const identify = ({ at, who, versionAfter }: AuditEntry): string =>
    JSON.stringify([at, who, versionAfter]);
  const theirs = new Set((await readAuditLog(old, organizationId)).map(identify));
  const entries = (await readAuditLog(table, organizationId)).filter(
    ({ at }) => Date.parse(at) < restoredAt - clockMarginMs,
  );
  const missing = entries.find((entry) => !theirs.has(identify(entry)));
  if (missing)
    throw new RestoreError(
      `Organization ${organizationId} of table ${old.name} lacks the entry "${missing.what}" of ${missing.at} in the audit log that it has in table ${table.name}: ` +
        'it is not the table that was in use. Check --from. Nothing was changed.',
    );
}
