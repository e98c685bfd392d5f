import { checkTable } from '../../../shared/store/check/check-table.ts';
import { eraseLeads } from '../../../shared/store/erasure/erase-lead.ts';
import { scanLeadsAscending } from '../../../shared/store/leads/read-leads.ts';
import { listApiKeys, revokeApiKey } from '../../../shared/store/organizations/api-keys.ts';
import { listOrganizations } from '../../../shared/store/organizations/organizations.ts';
import { copyItems, deleteTable } from '../../../shared/store/restore/copy-table.ts';
import { finishRestore } from '../../../shared/store/restore/finish-restore.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import { createTable, type TableEnvironment } from '../../cli/table.ts';
import type { CommandContext } from '../context.ts';

/** Rehearses a restore with copies of the table on the local engine, from the backup to a clean check, and deletes the copies. */
export async function drill(context: CommandContext): Promise<void> {
  if (!context.isLocalEngine())
    throw new CommandError(
      'restore drill needs an engine on this machine. For a deployed table, follow infra/OPERATE.md, "Restore".',
    );
  const table = context.table();
  const old = { ...table, name: `${table.name}-drill-old` };
  const restored = { ...table, name: `${table.name}-drill-restored` };
  const removeCopies = async (): Promise<void> => {
    for (const copy of [old, restored]) await deleteTable(copy);
  };
  await removeCopies(); // the copies of a drill that was killed
  try {
    for (const { name } of [old, restored])
      await createTable({ ...context.environment, LEADS_TABLE: name } as TableEnvironment);
    const items = await copyItems(table, [old, restored]);
    await restoreCopy(context, { old, restored, items });
  } finally {
    await removeCopies();
  }
}

interface Copies {
  readonly old: Table;
  readonly restored: Table;
  /** How many items each copy has. */
  readonly items: number;
}

async function restoreCopy(
  context: CommandContext,
  { old, restored, items }: Copies,
): Promise<void> {
  const since = await changeSince(old);
  const action = { who: await context.callerIdentity(), what: 'restore drill' };
  const finished = await finishRestore(restored, { old, keptKeyIds: new Set(), action });
  const { keysRevoked, leadsErased } = finished;
  const { leads, violations } = await checkTable(restored);
  const isClean =
    violations.length === 0 && keysRevoked === since.keys && leadsErased === since.leads;
  if (!isClean) context.exitWithFailure();
  const { name } = context.table();
  const verdict = isClean
    ? 'The restore works.'
    : 'The restore does not work: read the lines above.';
  context.print(
    { items, keysRevoked, leadsErased, leads, violations },
    `1. Copied ${countOf(items, 'item')} of table ${name} to ${old.name}, as the table in use, and to ${restored.name}, as its backup.`,
    `2. After the backup, in ${old.name}: ${countOf(since.keys, 'key')} revoked, ${countOf(since.leads, 'lead')} erased.`,
    `3. restore finish --from ${old.name}: ${countOf(keysRevoked, 'key')} revoked and ${countOf(leadsErased, 'lead')} erased again in ${restored.name}.`,
    `4. check: ${countOf(violations.length, 'violation')}, ${countOf(leads, 'lead')} read.`,
    violations,
    `5. Both copies are deleted; table ${name} was only read. ${verdict}`,
  );
}

/** Simulates changes after a backup: revokes a key and erases a lead of the first organization that has them. @returns how many of each */
async function changeSince(table: Table): Promise<{ keys: number; leads: number }> {
  const done = { keys: 0, leads: 0 };
  for (const { id } of await listOrganizations(table)) {
    const key = (await listApiKeys(table, id)).find(({ revokedAt }) => revokedAt === null);
    if (key && done.keys === 0) {
      await revokeApiKey(table, id, key.keyId, { at: new Date() });
      done.keys = 1;
    }
    for await (const [lead] of scanLeadsAscending(table, id)) {
      if (!lead || done.leads > 0) break;
      await eraseLeads({ table, organizationId: id }, [lead.id], { who: 'restore drill' });
      done.leads = 1;
    }
  }
  return done;
}
