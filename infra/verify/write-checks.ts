import { randomInt } from 'node:crypto';
import { limits } from '../../shared/contract/limits.ts';
import { parseSettingsFile } from '../../shared/organization/settings.ts';
import { removeOrganization } from '../../shared/store/erasure/remove-organization.ts';
import { createApiKey } from '../../shared/store/organizations/api-keys.ts';
import { listOrganizations, readSettings } from '../../shared/store/organizations/organizations.ts';
import { replaceSettings } from '../../shared/store/organizations/replace-settings.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { deleteItems } from '../../shared/store/table/many-items.ts';
import type { PrimaryKey } from '../../shared/store/table/primary-keys.ts';
import { CheckError, tell } from '../cli/command.ts';
import { errorText } from '../cli/error-code.ts';
import type { Checks } from './check.ts';
import { runContractTests, type TestedCase } from './contract-tests.ts';
import { nextFor, replyText, send } from './reply.ts';

/** Identifies an organization that a killed run left behind, for a later run. */
const temporaryName = 'Temporary organization of npm run verify';
/** High IDs, which a real organization hardly ever has. */
const idMin = 2_000_000_000;
const hourMs = 3_600_000;
/** These tests can share an organization if they run one after the other. */
const written = { tagsFilter: ['written'], fileParallelism: false, isolate: false };

/** The temporary organization, for the end of the run. */
export interface TemporaryOrganization {
  readonly id: number;
  readonly removed: boolean;
}

/**
 * Runs the contract tests that are tagged `written`, a check for each, in a temporary organization, which it always removes afterwards.
 * @returns undefined if there was no organization to remove
 */
export async function writeChecks(
  checks: Checks,
  baseUrl: string,
  table: Table,
): Promise<TemporaryOrganization | undefined> {
  const organization: { id?: number; key?: string } = {};
  const isCreated = await checks.passes('Create a temporary organization', async () => {
    const left = await removeLeft(table);
    organization.id = await freeOrganizationId(table);
    organization.key = await createTemporaryOrganization(table, organization.id);
    const removed = left === 0 ? '' : `, after removing ${left} of earlier runs`;
    return `organization ${organization.id} in table ${table.name}${removed}`;
  });
  const { id, key } = organization;
  if (id === undefined) return undefined;
  const records: PrimaryKey[] = [];
  let removed = false;
  try {
    // If the service does not know the key, every test would fail the same way.
    if (isCreated && (await isKnown(checks, baseUrl, key))) await runWritten(checks, id, records);
  } finally {
    removed = await removeAtEnd(table, id, records);
  }
  return { id, removed };
}

/** @param records receives the idempotency records that the tests may have written */
async function runWritten(checks: Checks, id: number, records: PrimaryKey[]): Promise<void> {
  process.env.TEMPORARY_ORGANIZATION = JSON.stringify({ id, name: temporaryName });
  await runContractTests(checks, written, async (file, tests) => {
    records.push(...tests.flatMap((test) => test.records ?? []));
    for (const test of tests) await checks.passes(test.name, () => resultOf(file, test));
  });
  delete process.env.TEMPORARY_ORGANIZATION;
}

/** @returns the statuses of the replies: `201, 20 × 200` @throws CheckError */
function resultOf(file: string, { error, replies = [] }: TestedCase): string {
  if (error === undefined) {
    const counted = Map.groupBy(replies, ({ status }) => status);
    return [...counted]
      .map(([status, { length }]) => (length === 1 ? `${status}` : `${length} × ${status}`))
      .join(', ');
  }
  const [message = ''] = error.split('\n');
  const reply = replies.findLast(({ status }) => status >= 500) ?? replies.at(-1);
  if (reply) throw new CheckError(`${replyText(reply)} (${message})`, nextFor(reply));
  throw new CheckError(
    message,
    `Find the X-Request-Id, if one is named, in the log of the function. Does the same test pass locally? npm test -- ${file}`,
  );
}

/** An ID that no organization in the table has. */
async function freeOrganizationId(table: Table): Promise<number> {
  for (;;) {
    const id = randomInt(idMin, limits.idMax);
    if (!(await readSettings(table, id))) return id;
  }
}

/**
 * Creates the organization; the tests apply their own settings to it.
 * @returns an API key that expires after an hour, like the tests' keys
 */
export async function createTemporaryOrganization(
  table: Table,
  id: number,
  now = new Date(),
): Promise<string> {
  const users = [{ id: 7, name: 'Asha Rao' }];
  const file = {
    id,
    name: temporaryName,
    modules: ['crm'],
    users,
    pipelines: [],
    sources: [],
    fields: [],
  };
  const { settings } = parseSettingsFile(JSON.stringify(file));
  const action = { who: 'npm run verify', what: 'organization apply' };
  const version = await replaceSettings(table, { before: undefined, settings, now, action });
  if (version === undefined) throw new Error(`Organization ${id} was created by someone else.`);
  const expiresAt = new Date(now.getTime() + hourMs).toISOString();
  const owner = { organizationId: id, createdBy: 7, label: 'verify', now, expiresAt };
  const scopes = ['leads.read'] as const;
  return (await createApiKey(table, { ...owner, type: 'application', scopes })).key;
}

const isKnown = (checks: Checks, baseUrl: string, key = ''): Promise<boolean> =>
  checks.passes('The new key is known to the service', async () => {
    const headers = { Authorization: `Bearer ${key}` };
    const reply = await send(baseUrl, { method: 'GET', path: '/api/v1/users', headers });
    if (reply.status === 200) return '200';
    throw new CheckError(`${replyText(reply)}; expected 200`, nextFor(reply));
  });

/** @returns whether the organization was removed completely */
async function removeAtEnd(
  table: Table,
  id: number,
  records: readonly PrimaryKey[],
): Promise<boolean> {
  try {
    await removeOrganization(table, id);
    // Several captures can share a record.
    await deleteItems(table, [...new Map(records.map((record) => [record.pk, record])).values()]);
    return true;
  } catch (error) {
    tell(
      `The temporary organization ${id} could not be removed (${errorText(error)}). Its keys expire within an hour. ` +
        'The next npm run verify with --write on this table removes it after that.',
    );
    return false;
  }
}

/** Removes the temporary organizations of killed runs, whose keys have expired, so that no run uses them. @returns how many were removed */
export async function removeLeft(table: Table, now = new Date()): Promise<number> {
  let removed = 0;
  for (const { id, name } of await listOrganizations(table)) {
    if (id < idMin || name !== temporaryName) continue;
    const stored = await readSettings(table, id);
    // If it has no settings, an earlier removal was interrupted.
    const appliedAt = stored ? Date.parse(stored.appliedAt) : 0;
    if (now.getTime() - appliedAt <= hourMs) continue;
    const items = await removeOrganization(table, id);
    tell(
      `Removed the temporary organization ${id}, which an earlier run left behind (${items} items).`,
    );
    removed += 1;
  }
  return removed;
}
