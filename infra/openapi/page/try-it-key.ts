import { createApiKey, revokeApiKey } from '../../../shared/store/organizations/api-keys.ts';
import {
  listOrganizations,
  loadOrganization,
} from '../../../shared/store/organizations/organizations.ts';
import { openTable, type Table } from '../../../shared/store/table/client.ts';
import { callerIdentity } from '../../cli/aws.ts';
import { CommandError } from '../../cli/command.ts';
import { clientConfig, type TableEnvironment } from '../../cli/table.ts';
import type { RunningService } from '../../local/running-service.ts';

/** For a page that is killed: its key cannot be revoked at the end. */
const validMs = 12 * 3_600_000;

export interface TryItKey {
  readonly key: string;
  /** Ends the key's access. */
  readonly revoke: () => Promise<void>;
}

/**
 * Creates an API key with every scope, as `key create` does: keys are stored as hashes, so the keys that `npm start` created cannot be filled
 * in. At most 12 hours; the audit log has an entry.
 * @param onlyId the organization; by default the first one that has an active user
 * @returns undefined if there is no organization with an active user
 * @throws CommandError if the organization has none
 */
export async function createTryItKey(
  { environment }: RunningService,
  onlyId?: number,
): Promise<TryItKey | undefined> {
  const table = openTable(environment.LEADS_TABLE, clientConfig(environment as TableEnvironment));
  const owner = await firstActiveUser(table, onlyId);
  if (!owner && onlyId !== undefined)
    throw new CommandError(
      `--organization ${onlyId}: the local service has no organization ${onlyId} with an active user.`,
    );
  if (!owner) return undefined;
  const who = await callerIdentity(environment, undefined);
  const now = new Date();
  const { key, keyId } = await createApiKey(table, {
    organizationId: owner.organizationId,
    type: 'application',
    scopes: ['leads.read', 'leads.write', 'leads.capture'],
    label: 'reference page',
    createdBy: owner.userId,
    expiresAt: new Date(now.getTime() + validMs).toISOString(),
    now,
    action: (id) => ({ who, what: `key create ${id} (reference page)` }),
  });
  const revoke = async (): Promise<void> => {
    await revokeApiKey(table, owner.organizationId, keyId, {
      action: { who, what: `key revoke ${keyId} (reference page)` },
    });
    table.client.destroy();
  };
  return { key, revoke };
}

async function firstActiveUser(
  table: Table,
  onlyId: number | undefined,
): Promise<{ organizationId: number; userId: number } | undefined> {
  const ids =
    onlyId === undefined ? (await listOrganizations(table)).map(({ id }) => id) : [onlyId];
  for (const id of ids) {
    const organization = await loadOrganization(table, id);
    const user = organization?.users.find(({ active }) => active);
    if (user) return { organizationId: id, userId: user.id };
  }
  return undefined;
}
