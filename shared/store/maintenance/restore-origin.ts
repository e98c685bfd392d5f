import { isDeepStrictEqual } from 'node:util';
import { DescribeTableCommand, type TableDescription } from '@aws-sdk/client-dynamodb';
import { listApiKeys } from '../organizations/api-keys.ts';
import { type AuditEntry, readAuditLog } from '../organizations/audit-log.ts';
import { listOrganizations } from '../organizations/organizations.ts';
import type { Table } from '../table/client.ts';

/** A table that cannot be what the command takes it for; nothing was changed. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}

/** What DynamoDB says of a table. */
export interface TableFacts {
  /** One table's for ever: another table of the same name has another. */
  readonly id: string;
  readonly createdAt: number;
  /** The partition key, the sort key, and those of each index by its name. */
  readonly keys: Readonly<Record<string, unknown>>;
}

/** @throws NotRestored for a table that is not there */
export async function describeTable({ client, name }: Table): Promise<TableFacts> {
  try {
    const { Table: found } = await client.send(new DescribeTableCommand({ TableName: name }));
    // DynamoDB Local gives no id.
    const createdAt = found?.CreationDateTime?.getTime() ?? 0;
    return { id: found?.TableId ?? new Date(createdAt).toISOString(), createdAt, keys: keysOf(found) };
  } catch (error) {
    if ((error as Error).name !== 'ResourceNotFoundException') throw error;
    throw new RestoreError(
      `There is no table ${name}: name the one that was in use until now, or leave --from out if it is lost.`,
    );
  }
}

function keysOf(table: TableDescription | undefined): TableFacts['keys'] {
  const types = new Map(table?.AttributeDefinitions?.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]));
  const definitions = [{ IndexName: 'the table', KeySchema: table?.KeySchema }, ...(table?.GlobalSecondaryIndexes ?? [])];
  return Object.fromEntries(
    definitions.map(({ IndexName = '', KeySchema = [] }) => [
      IndexName,
      KeySchema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName} ${types.get(AttributeName)}`),
    ]),
  );
}

/** Two machines that tell the time: entries of the history are dated by one, tables by the other. */
const clockMarginMs = 600_000;

/**
 * Makes sure that a table is one that a restored table was made from. Two tables taken for one another would lose what was written since the
 * backup, and a table of another service would be believed about what was erased.
 * @param organizations those of the restored table
 * @returns the organizations of the old table
 * @throws NotRestored
 */
export async function assertOrigin(table: Table, old: Table, organizations: readonly number[]): Promise<number[]> {
  if (old.name === table.name) throw new RestoreError(`The restored table and the old one are both ${table.name}.`);
  const [ours, theirs] = [await describeTable(table), await describeTable(old)];
  if (ours.createdAt < theirs.createdAt) {
    throw new RestoreError(
      `Table ${table.name} is older than ${old.name}: a restored table is made anew. Are the two exchanged?`,
    );
  }
  const different = Object.keys(ours.keys).find(
    (name) => theirs.keys[name] && !isDeepStrictEqual(ours.keys[name], theirs.keys[name]),
  );
  if (different !== undefined)
    throw new RestoreError(
      `Table ${old.name} has other keys than ${table.name} (${different}): it is not the table that was in use.`,
    );
  const inOld = (await listOrganizations(old)).map(({ id }) => id);
  if (inOld.length === 0) throw new RestoreError(`Table ${old.name} holds no organization: is it the table that was in use?`);
  const common = organizations.filter((id) => inOld.includes(id));
  if (common.length === 0) {
    throw new RestoreError(
      `Tables ${table.name} and ${old.name} have no organization in common: check --from. Nothing was changed.`,
    );
  }
  for (const id of common) await assertSameOrganization(table, old, id, ours.createdAt);
  return inOld;
}

/** API keys and entries of the history are only ever added, or completed: a table that lacks those of the backup is not what it was made from. */
async function assertSameOrganization(table: Table, old: Table, organizationId: number, restoredAt: number): Promise<void> {
  const lacks = (what: string) =>
    new RestoreError(
      `Organization ${organizationId} of table ${old.name} lacks ${what} that it has in table ${table.name}: ` +
        'it is not the table that was in use. Check --from. Nothing was changed.',
    );
  const keys = (await listApiKeys(table, organizationId)).filter(({ createdAt }) => Date.parse(createdAt) < restoredAt);
  const theirKeyIds = new Set((await listApiKeys(old, organizationId)).map(({ keyId }) => keyId));
  if (keys.length > 0 && !keys.some(({ keyId }) => theirKeyIds.has(keyId))) throw lacks('every API key');

  // Not by what it says: the entry of an export that was under way at the moment of the backup has been completed since.
  const named = ({ at, who, versionAfter }: AuditEntry): string => JSON.stringify([at, who, versionAfter]);
  const theirs = new Set((await readAuditLog(old, organizationId, Number.POSITIVE_INFINITY)).map(named));
  const entries = (await readAuditLog(table, organizationId, Number.POSITIVE_INFINITY)).filter(
    ({ at }) => Date.parse(at) < restoredAt - clockMarginMs,
  );
  const missing = entries.find((entry) => !theirs.has(named(entry)));
  if (missing) throw lacks(`the entry "${missing.what}" of ${missing.at} in the history`);
}
