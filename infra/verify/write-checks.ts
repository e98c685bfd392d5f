import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { readLead } from '../../shared/store/leads/leads.ts';
import { eraseLead } from '../../shared/store/maintenance/erase-lead.ts';
import { revokeApiKey } from '../../shared/store/organizations/api-keys.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { Caller } from './caller.ts';
import { captureChecks } from './capture-checks.ts';
import { CheckError, type Checks } from './check.ts';
import { expectError, replyText } from './expect-reply.ts';
import { leadChecks, referenceListChecks } from './lead-checks.ts';
import { listChecks } from './list-checks.ts';
import { nextFor } from './next-step.ts';
import { raceChecks } from './race-checks.ts';
import {
  createTemporaryOrganization,
  freeOrganizationId,
  leftOrganizations,
  removeTemporaryOrganization,
} from './temporary-organization.ts';
import type { WriteContext } from './write-context.ts';

/** An erasure reads the whole table: of a larger one, this run erases nothing but removes the organization's own items. */
const erasureTableMaxBytes = 100_000_000;

/** What became of the temporary organization. */
export interface TemporaryOrganizationResult {
  readonly id: number;
  readonly removed: boolean;
}

export interface WriteOptions {
  readonly checks: Checks;
  readonly baseUrl: string;
  readonly table: Table;
  /** Prints a sentence for the person who waits. */
  readonly note: (sentence: string) => void;
}

/**
 * Writes everything that the contract can write, in an organization of its own, and removes that organization, whatever happens.
 * @throws InterruptedError after the removal
 */
export async function writeChecks(
  { checks, baseUrl, table, note }: WriteOptions,
  onRemoved: (result: TemporaryOrganizationResult) => void,
): Promise<void> {
  const id = await checks.value('Find a free organization ID', async () => {
    const left = await removeLeft(table, note);
    const value = await freeOrganizationId(table);
    return {
      came: `${value}${left === 0 ? '' : `, after removing ${left} of earlier runs`}`,
      value,
    };
  });
  if (id === undefined) return;
  const caller = new Caller(baseUrl, note);
  try {
    const organization = await checks.value(
      'Create a temporary organization with three keys of an hour',
      async () => {
        const value = await createTemporaryOrganization(table, id);
        return { came: `organization ${id} in table ${table.name}`, value };
      },
    );
    if (organization) await checkWith({ checks, caller, table, organization });
  } finally {
    onRemoved({ id, removed: await removeAtEnd({ table, note, caller, id }) });
  }
}

async function checkWith(context: WriteContext): Promise<void> {
  const { checks, caller, organization } = context;
  const isKnown = await checks.passes('The new key is known to the service', async () => {
    const reply = await caller.call('list-users', organization.reader.key);
    if (reply.status === 200) return '200';
    throw new CheckError(`${replyText(reply)}; expected 200`, nextFor(reply, 'list-users'));
  });
  // Every other check would fail in the same way.
  if (!isKnown) return;
  await referenceListChecks(context);
  const created = await leadChecks(context);
  const captured = await captureChecks(context);
  if (created) await listChecks(context, created);
  // Without a first capture, every capture of a race would fail in the same way.
  if (captured !== undefined) {
    await raceChecks(context);
    await erasureCheck(context, captured);
  }
  await revocationChecks(context);
}

async function erasureCheck(
  { checks, caller, table, organization }: WriteContext,
  leadId: number,
): Promise<void> {
  const { Table: { TableSizeBytes = 0 } = {} } = await table.client.send(
    new DescribeTableCommand({ TableName: table.name }),
  );
  if (TableSizeBytes > erasureTableMaxBytes) return;
  await checks.passes('Erase a lead', async () => {
    await eraseLead(table, organization.id, leadId, { who: 'npm run verify' });
    if (await readLead(table, organization.id, leadId)) {
      throw new CheckError(`lead ${leadId} is still there`, 'Report this line as a defect.');
    }
    const reply = await caller.call('get-lead', organization.reader.key, { leadId });
    return expectError(reply, ['NOT_FOUND'], 'get-lead');
  });
}

async function revocationChecks({
  checks,
  caller,
  table,
  organization,
}: WriteContext): Promise<void> {
  const { id, reader, writer, website } = organization;
  for (const { keyId } of [reader, writer, website]) await revokeApiKey(table, id, keyId);
  await checks.passes('A revoked key is refused by the next request', async () => {
    const names = ['list-leads', 'create-lead', 'capture-lead'] as const;
    const keys = [reader, writer, website];
    let came = '';
    for (const [index, name] of names.entries()) {
      const body = name === 'list-leads' ? {} : { body: {} };
      const reply = await caller.call(name, keys[index]?.key ?? '', body);
      came = expectError(reply, ['UNAUTHORIZED'], name);
    }
    return came;
  });
}

interface Removal {
  readonly table: Table;
  readonly note: WriteOptions['note'];
  readonly caller: Caller;
  readonly id: number;
}

/** @returns whether nothing is left of the organization */
async function removeAtEnd({ table, note, caller, id }: Removal): Promise<boolean> {
  await caller.settle();
  try {
    await removeTemporaryOrganization(table, id);
    return true;
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    note(
      `The temporary organization ${id} could not be removed (${reason}). Its keys expire within an hour. ` +
        'The next npm run verify with --write on this table removes it after that.',
    );
    return false;
  }
}

/** Removes what runs that were killed have left behind. @returns how many organizations */
async function removeLeft(table: Table, note: WriteOptions['note']): Promise<number> {
  const left = await leftOrganizations(table);
  for (const id of left) {
    const items = await removeTemporaryOrganization(table, id);
    note(
      `Removed the temporary organization ${id}, which an earlier run left behind (${items} items).`,
    );
  }
  return left.length;
}
