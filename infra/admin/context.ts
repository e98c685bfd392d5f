import type { Organization } from '../../shared/organization/organization.ts';
import type { RateLimits } from '../../shared/rate-limits.ts';
import { loadOrganization } from '../../shared/store/organizations/organizations.ts';
import type { Table } from '../../shared/store/table/client.ts';

/** A deployed service. */
export interface ServiceLocation {
  /** As `--stack` names it. */
  readonly stack: string;
  /** The stack, without the ID of the service. */
  readonly stackName: string;
  /** The table. */
  readonly name: string;
  readonly region: string;
  /** The contract's `{base_url}`. */
  readonly baseUrl: string;
  readonly rateLimits: Partial<RateLimits>;
  /** The name of each endpoint's function. */
  readonly functions: ReadonlyMap<string, string>;
  /** What runs: the tag or commit, and the version with the commit (infra/stack/release.ts). */
  readonly release: string | undefined;
  readonly version: string | undefined;
}

/** What a command works with. */
export interface CommandContext {
  /** Opened on first use, so that help and wrong usage need no table. @throws CommandError when no table is named */
  readonly table: () => Table;
  /**
   * The same table for reads of many items, at a rate that leaves capacity for live traffic. A local engine is not paced, unless a rate is given.
   * @param readUnitsPerSecond @default readUnitsPerSecondDefault
   */
  readonly pacedTable: (readUnitsPerSecond?: number) => Table;
  /** Whether the table is on an engine on this machine, which has no capacity that live traffic could need. */
  readonly isLocalEngine: () => boolean;
  /** The hourly limits in force, as far as the stack or the environment says them. */
  readonly rateLimits: () => Partial<RateLimits>;
  /** The service that `--stack` names. */
  readonly deployed: () => ServiceLocation | undefined;
  /** Prints the result: one JSON document with `--json`, else the text that `forPeople` returns. */
  readonly print: (result: unknown, forPeople: () => string) => void;
  /** Prints a sentence to stderr, so that stdout has only the result. */
  readonly note: (sentence: string) => void;
  /** Shows the progress of a long command on one terminal line that is overwritten. Prints nothing without a terminal. */
  readonly progress: (line: string) => void;
  /** Who runs the command, for the audit log: the AWS identity, else the user of this machine. */
  readonly callerIdentity: () => Promise<string>;
  /** The command still prints its result, and exits with status 1. */
  readonly exitWithFailure: () => void;
}

/** A command that cannot do what was requested; the message says why in a sentence. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

export const unknownOrganizationError = (table: Table, organizationId: number) =>
  new CommandError(
    `There is no organization ${organizationId} in table ${table.name}: list the organizations with organization list, or create one with organization apply.`,
  );

/** @throws CommandError for an unknown organization */
export async function existingOrganization(
  table: Table,
  organizationId: number,
): Promise<Organization> {
  const organization = await loadOrganization(table, organizationId);
  if (!organization) throw unknownOrganizationError(table, organizationId);
  return organization;
}

const organizationMaxAgeMs = 1000;

/** Reads the organization again once it is a second old: settings may be applied during a long command. */
export function freshOrganization(table: Table, first: Organization): () => Promise<Organization> {
  let [current, readAt] = [Promise.resolve(first), Date.now()];
  return () => {
    if (Date.now() - readAt > organizationMaxAgeMs)
      [current, readAt] = [existingOrganization(table, first.id), Date.now()];
    return current;
  };
}
