import { open } from 'node:fs/promises';
import { Option } from 'commander';
import { partsOf } from '../../../shared/base/batches.ts';
import { exportObject } from '../../../shared/leads/transfer/export-lines.ts';
import { checkTable } from '../../../shared/store/check/check-table.ts';
import { readLead } from '../../../shared/store/leads/leads.ts';
import {
  addAuditEntry,
  completeAuditEntry,
} from '../../../shared/store/organizations/audit-log.ts';
import { listOrganizations } from '../../../shared/store/organizations/organizations.ts';
import {
  type FinishedRestore,
  finishRestore,
} from '../../../shared/store/restore/finish-restore.ts';
import {
  type Protection,
  type ProtectionState,
  protectTable,
} from '../../../shared/store/restore/protect-table.ts';
import { allSettled } from '../../../shared/store/table/pacing.ts';
import type { PrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { refusePath } from '../../cli/error-code.ts';
import { countOf, firstOf, printable } from '../../cli/format.ts';
import { textOption } from '../../cli/options.ts';
import type { AdminCommand } from '../command.ts';
import { type CommandContext, existingOrganization } from '../context.ts';
import { drill } from './drill.ts';

interface FinishOptions {
  readonly from?: string;
  readonly keepKey?: readonly string[];
  readonly missingOut?: string;
}

/** More erasures than this are unusual between a backup and a restore, so a person must confirm the number. */
const erasuresUnconfirmedMax = 10;
const readsAtOnce = 32;

const finishHelp = `
Set LEADS_TABLE to the restored table, and stop all requests first. The command
mends partial transactions, adds audit log entries, and switches on expiry (TTL,
which can take an hour), point-in-time recovery and deletion protection. It ends
with a check: status 0 means that the service can use the table. If it fails, run
it again.

With --from, the keys that TABLE has revoked are revoked again, and the people whom
it names as erased are erased again. Lead IDs and settings versions continue after
its own. The leads that it lacks are printed and kept: the restore is for them. What
only it has is printed with what to do; --missing-out writes leads without timelines.

Without --from, every key except those of --keep-key is revoked, lead IDs continue
100,000,000 later, and unfinished erasures are completed. Erase the people who were
erased since the backup again by hand. Confirm with the table's name or --yes.

All steps are in infra/OPERATE.md, "Restore".

Example:
  LEADS_TABLE=leads-restored-1 npm run admin -- restore finish --from leads`;

export function restoreCommands(restore: AdminCommand): void {
  restore
    .command('finish')
    .description('prepare a table that was restored from a backup, before the service uses it')
    .option('--from <TABLE>', 'the table that was in use until now; it is only read')
    .addOption(
      new Option(
        '--keep-key <ID...>',
        'without --from: API keys to keep; all others are revoked',
      ).conflicts('from'),
    )
    .option(
      '--missing-out <FILE>',
      'with --from: write the leads that only that table has, for lead import --keep-ids',
      textOption((path) => path.endsWith('.jsonl'), 'It must end in .jsonl.'),
    )
    .option('--yes', 'do not ask for confirmation')
    .needs('--missing-out', '--from <TABLE>')
    .notes(finishHelp)
    .json(
      '{"organizations","keysRevoked","leadsErased","entriesCleaned","onlyInOld","keysOnlyInOld":[{"organizationId","keyId","label"}],"leadsMissingInOld":[{"organizationId","leadId"}],"leadsOnlyInOld":[{"organizationId","leadId"}],"entriesDiffering","partsCompleted","partsRemoved","leadsMended":[{"organizationId","leadId"}],"protection","leads","violations"}',
    )
    .run(finish);
  restore
    .command('drill')
    .description('rehearse a restore on the local engine, with copies of the table')
    .notes(`
Makes two copies of the table, which stand for the table in use and its backup, and
deletes them at the end. The table itself is only read.`)
    .examples('')
    .json(
      '{"items","keysRevoked","leadsErased","leads","violations"}, status 1 if the drill is not clean',
    )
    .run(drill);
}

async function finish(context: CommandContext, options: FinishOptions): Promise<void> {
  const table = context.table();
  const what = `restore finish ${table.name}`;
  const begun: PrimaryKey[] = [];
  const finished = await finishFrom(context, options, what, begun);
  const imports = await writeMissing(context, options, finished.leadsOnlyInOld);
  const protection = await protectTable(table, (waiting) =>
    context.progress(`Waiting for DynamoDB to switch on ${protectionNames[waiting]}`),
  );
  const { leads, violations } = await checkTable(table, {
    onProgress: (progress) => context.progress(`Checking: ${countOf(progress.leads, 'lead')} read`),
  });
  // The entries of an interrupted restore still say that it has begun.
  for (const entry of begun)
    await completeAuditEntry(table, entry, `${what}, ${countOf(violations.length, 'violation')}`);
  if (violations.length > 0) context.exitWithFailure();
  context.print(
    { ...finished, protection, leads, violations },
    [...report(finished, options, imports)],
    Object.entries(protection).map(
      ([name, state]) => `${protectionNames[name as Protection]}: ${stateWords[state]}.`,
    ),
    violations,
    violations.length === 0
      ? `No violations: ${countOf(leads, 'lead')} checked. The service can use table ${table.name}.`
      : `${countOf(violations.length, 'violation')}: do not let the service use table ${table.name}.`,
  );
}

/**
 * @param what the audit entry
 * @param begun receives the entries that say that the restore has begun, one for each organization
 * @throws CommandError if keys would be revoked, or many leads erased, and nobody confirms it
 */
async function finishFrom(
  context: CommandContext,
  { from, keepKey = [] }: FinishOptions,
  what: string,
  begun: PrimaryKey[],
): Promise<FinishedRestore> {
  const table = context.table();
  if (from === undefined) {
    const except = keepKey.length === 0 ? '' : `, except ${countOf(keepKey.length, 'named key')}`;
    await context.confirm(
      `Without --from, every API key in table ${table.name} will be revoked${except}.`,
      table.name,
    );
  }
  const action = { who: await context.callerIdentity(), what };
  return finishRestore(table, {
    old: from === undefined ? undefined : { ...table, name: from },
    keptKeyIds: new Set(keepKey),
    action,
    confirm: async ({ erased: { length } }) => {
      if (length <= erasuresUnconfirmedMax || context.isConfirmed) return;
      context.note(
        from === undefined
          ? `${countOf(length, 'lead')} of table ${table.name} were being erased when the backup was made.`
          : `The audit log of table ${from} says that ${countOf(length, 'lead')} of table ${table.name} were erased since the backup.`,
      );
      await context.confirm('They will be erased again, for good.', String(length));
    },
    onBegin: async () => {
      for (const { id } of await listOrganizations(table))
        begun.push(await addAuditEntry(table, id, { ...action, state: 'started' }));
    },
    onProgress: (items) =>
      context.progress(`Comparing with the old table: ${countOf(items, 'item')} read`),
  });
}

const protectionNames: Record<Protection, string> = {
  expiry: 'Expiry (TTL)',
  pointInTimeRecovery: 'Point-in-time recovery',
  deletionProtection: 'Deletion protection',
};

const stateWords: Record<ProtectionState, string> = {
  on: 'on',
  begun: 'requested; DynamoDB may take an hour, and the service can be used meanwhile',
  'unknown here': 'not supported by this engine',
};

/** @param imports the commands that import the leads that only the old table has, if they were written */
function* report(
  finished: FinishedRestore,
  { from }: FinishOptions,
  imports: readonly string[],
): Generator<string> {
  const { organizations, keysRevoked, leadsErased, entriesCleaned, entriesDiffering } = finished;
  yield `${countOf(organizations, 'organization')}: ${countOf(keysRevoked, 'key')} revoked, ${countOf(leadsErased, 'lead')} erased, ` +
    `${countOf(entriesCleaned, 'timeline item')} of other leads cleaned. New lead IDs and settings versions continue after the assigned ones.`;
  const { partsCompleted, partsRemoved, leadsMended, leadsMissingInOld } = finished;
  if (partsCompleted + partsRemoved > 0)
    yield `The backup holds only parts of some of its last changes: ${countOf(partsCompleted, 'item')} written to complete them, ${countOf(partsRemoved, 'item')} removed.`;
  if (leadsMended.length > 0)
    yield `Review ${countOf(leadsMended.length, 'lead')}: ${namesOf(leadsMended)}. Another restore of the backup shows what was removed.`;
  if (from === undefined)
    yield 'No record names who was erased since the backup: erase them again with lead erase, before the service uses the table.';
  if (entriesDiffering > 0)
    yield `${countOf(entriesDiffering, 'timeline item')} differ from the old table for a reason other than an erasure. The backup's version was kept.`;
  if (leadsMissingInOld.length > 0)
    yield `${countOf(leadsMissingInOld.length, 'lead')} missing in the old table, with no erasure in its audit log, ` +
      `were kept: ${namesOf(leadsMissingInOld)}. If an earlier restore finish erased one of them, erase it again with lead erase.`;
  const { keysOnlyInOld, onlyInOld, leadsOnlyInOld } = finished;
  for (const { organizationId, keyId, label } of keysOnlyInOld)
    yield `Only the old table has API key ${keyId} (${printable(label)}) of organization ${organizationId}, created since the backup: ` +
      'requests with it are refused until you create another one with key create.';
  if (onlyInOld.length > 0)
    yield `Only the old table has organization ${onlyInOld.join(', ')}, created since the backup: apply its settings again, and create its keys.`;
  if (leadsOnlyInOld.length === 0) return;
  yield `Only the old table has ${countOf(leadsOnlyInOld.length, 'lead')}, created since the backup: ${namesOf(leadsOnlyInOld)}. ` +
    (imports.length === 0
      ? 'The restored table lacks them: run this command again with --missing-out FILE.jsonl, and import that file.'
      : 'Create them again, without their timelines:');
  for (const line of imports) yield `  npm run admin -- ${line}`;
}

/** Writes the leads that only the old table has, into a file for each organization. @returns the commands that import the files */
async function writeMissing(
  context: CommandContext,
  { from, missingOut }: FinishOptions,
  leads: FinishedRestore['leadsOnlyInOld'],
): Promise<string[]> {
  if (from === undefined || missingOut === undefined) return [];
  const old = { ...context.table(), name: from };
  const leadsOf = Map.groupBy(leads, ({ organizationId }) => organizationId);
  const imports: string[] = [];
  for (const [id, missing] of leadsOf) {
    const path = leadsOf.size === 1 ? missingOut : missingOut.replace(/jsonl$/, `${id}.jsonl`);
    const organization = await existingOrganization(old, id);
    await using file = await open(path, 'w', 0o600).catch((error: unknown) =>
      refusePath(`${path} cannot be written`, error),
    );
    for (const some of partsOf(missing, readsAtOnce)) {
      const found = await allSettled(some.map(({ leadId }) => readLead(old, id, leadId)));
      const lines = found.flatMap((lead) => (lead ? [exportObject(organization, lead)] : []));
      await file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    }
    imports.push(`lead import ${path} --organization ${id} --keep-ids`);
  }
  return imports;
}

const namesOf = (leads: FinishedRestore['leadsMissingInOld']): string =>
  firstOf(leads.map(({ organizationId, leadId }) => `${leadId} of organization ${organizationId}`));
