import type { Organization } from '../../../shared/organization/organization.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { existingOrganization } from '../context.ts';

const maxAgeMs = 1000;

/** Reads the organization again once it is a second old: settings may be applied during a long command. */
export function freshOrganization(table: Table, first: Organization): () => Promise<Organization> {
  let [current, readAt] = [Promise.resolve(first), Date.now()];
  return () => {
    if (Date.now() - readAt > maxAgeMs)
      [current, readAt] = [existingOrganization(table, first.id), Date.now()];
    return current;
  };
}
