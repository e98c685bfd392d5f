import type { OrganizationTable, Table } from '../table/client.ts';
import type { Item } from '../table/items.ts';
import { leadPrimaryKey, type PrimaryKey } from '../table/primary-keys.ts';
import { ContentionError, conflict, retryOnConflict } from '../table/retry.ts';
import { readTogether } from './read-together.ts';

/** How often the check tries to read items that are constantly written, for `limits.conflictRetryMs` each time. */
const recheckAttemptsMax = 10;

export async function untilStable<T>(operation: () => Promise<T | typeof conflict>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await retryOnConflict(operation);
    } catch (error) {
      if (!(error instanceof ContentionError) || attempt === recheckAttemptsMax) throw error;
    }
  }
}

export const readUntilStable = (table: Table, keys: readonly PrimaryKey[]): Promise<(Item | undefined)[]> =>
  untilStable(() => readTogether(table, keys));

/** Reads an item together with the lead that it names, until both are of one moment. @param leadId as the item named it before */
export async function readWithLead<T>(
  { table, organizationId }: OrganizationTable,
  key: PrimaryKey,
  { leadId, leadIdIn }: { readonly leadId: unknown; readonly leadIdIn: (item: Item) => unknown },
  report: (leadId: unknown, lead: Item | undefined) => T,
): Promise<T | undefined> {
  let expectedId = leadId;
  return untilStable(async () => {
    const leadKeys = typeof expectedId === 'number' ? [leadPrimaryKey(organizationId, expectedId)] : [];
    const items = await readTogether(table, [key, ...leadKeys]);
    if (items === conflict) return conflict;
    const [item, lead] = items;
    if (!item) return undefined;
    if (leadIdIn(item) === expectedId) return report(expectedId, lead);
    expectedId = leadIdIn(item);
    return conflict;
  });
}
