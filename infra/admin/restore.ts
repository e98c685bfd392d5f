import type { Command } from 'commander';
import { checkTable } from '../../shared/store/check/check-table.ts';
import { type FinishedRestore, finishRestore, leadIdMargin } from '../../shared/store/maintenance/finish-restore.ts';
import { type Protection, type ProtectionState, protectTable } from '../../shared/store/maintenance/protect-table.ts';
import { confirmed } from './confirm.ts';
import { type CommandContext, CommandError, countOf, printable } from './context.ts';

interface FinishOptions {
  from?: string;
  keepKey?: string[];
  yes?: boolean;
}

/** More leads than are erased between a backup and a restore: a person must have seen the number. */
const lossAsked = 10;
/** The most leads that a report names; `--json` names all. */
const namedMax = 20;

/** `restore finish`. */
export function restoreCommands(program: Command, context: CommandContext): void {
  const restore = program.command('restore').description('the table, from a backup (infra/OPERATE.md, "Restore")');
  restore
    .command('finish')
    .description('make a table restored from a backup fit to be used, before the service is pointed at it')
    .option('--from <TABLE>', 'the table that was in use until now; it is only read')
    .option('--keep-key <ID...>', 'without --from: an API key that goes on; every other one is revoked')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
LEADS_TABLE names the restored table. A backup brings back what was true then:
keys that were revoked since, people who were erased since, lead ids that were
given out since. With --from, these end again: a lead is erased if that table's
history says that it was, and a lead that it lacks for any other reason is listed
and kept. More than ${countOf(lossAsked, 'lead')} to erase must be confirmed. If that table is lost,
every key is revoked but those named by --keep-key, and lead ids go on
${countOf(leadIdMargin, 'id')} further; erase those again whom you erased since.

Then it switches on expiry (TTL), point-in-time recovery and deletion protection,
and ends with a check: status 0 means that the service may use the table. Stop
all calls first. It may be run again after any failure.

Examples:
  LEADS_TABLE=leads-restored-1 npm run admin -- restore finish --from leads
  LEADS_TABLE=leads-restored-1 npm run admin -- restore finish --keep-key KEY_ID`,
    )
    .action((options: FinishOptions) => finish(context, options));
}

async function finish(context: CommandContext, { from, keepKey = [], yes = false }: FinishOptions): Promise<void> {
  const table = context.table();
  if (from !== undefined && keepKey.length > 0) {
    throw new CommandError(`--keep-key does nothing with --from: every key goes on that is not revoked in table ${from}.`);
  }
  if (from === undefined && !yes) {
    await confirmed(
      `Without --from, every API key in table ${table.name} will be revoked${keepKey.length === 0 ? '' : `, except for ${countOf(keepKey.length, 'named one')}`}.`,
      table.name,
    );
  }
  const finished = await finishRestore(table, {
    old: from === undefined ? undefined : { ...table, name: from },
    keptKeyIds: new Set(keepKey),
    action: { who: await context.callerIdentity(), what: `restore finish ${table.name}` },
    confirm: async ({ erased }) => {
      if (erased.length <= lossAsked || yes) return;
      context.note(
        `By the history of table ${from}, ${countOf(erased.length, 'lead')} of table ${table.name} were erased since the backup.`,
      );
      await confirmed(`They will be erased again, for good.`, String(erased.length));
    },
    onProgress: (items) => context.progress(`Comparing with the old table: ${countOf(items, 'item')} read`),
  });
  const protection = await protectTable(table, {
    onWait: (waiting) => context.progress(`Waiting until DynamoDB has ${protectionNames[waiting]} switched on`),
  });
  const { leads, violations } = await checkTable(table, {
    onProgress: (progress) => context.progress(`Checking: ${countOf(progress.leads, 'lead')} read`),
  });
  if (violations.length > 0) context.exitWithFailure();
  context.print({ ...finished, protection, leads, violations }, () =>
    [
      ...report(finished),
      ...Object.entries(protection).map(([name, state]) => `${protectionNames[name as Protection]}: ${stateWords[state]}.`),
      ...violations,
      violations.length === 0
        ? `No violations: ${countOf(leads, 'lead')} checked. The service may use table ${table.name}.`
        : `${countOf(violations.length, 'violation')}: do not point the service at table ${table.name}.`,
    ].join('\n'),
  );
}

const protectionNames: Record<Protection, string> = {
  expiry: 'Expiry (TTL)',
  pointInTimeRecovery: 'Point-in-time recovery',
  deletionProtection: 'Deletion protection',
};

const stateWords: Record<ProtectionState, string> = {
  on: 'on',
  begun: 'ordered; DynamoDB may take an hour, which harms nothing',
  'unknown here': 'this engine has no such thing',
};

function report(finished: FinishedRestore): string[] {
  const { organizations, keysRevoked, leadsErased, entriesCleaned, entriesDiffering } = finished;
  return [
    `${countOf(organizations, 'organization')}: ${countOf(keysRevoked, 'key')} revoked, ${countOf(leadsErased, 'lead')} erased, ` +
      `${countOf(entriesCleaned, 'timeline item')} of other leads cleaned; lead ids and settings versions go on past those given out.`,
    ...(entriesDiffering > 0
      ? [
          `${countOf(entriesDiffering, 'timeline item')} differ from the old table's by no erasure, and stay as the backup has them.`,
        ]
      : []),
    ...missingLines(finished),
    ...finished.keysOnlyInOld.map(
      ({ organizationId, keyId, label }) =>
        `Only the old table has API key ${keyId} (${printable(label)}) of organization ${organizationId}, made since the backup: ` +
        'its holder is refused until you make another with key create.',
    ),
    ...(finished.onlyInOld.length > 0
      ? [
          `Only the old table has organization ${finished.onlyInOld.join(', ')}, made since the backup: apply its settings again, and make its keys.`,
        ]
      : []),
  ];
}

function missingLines({ leadsMissingInOld }: FinishedRestore): string[] {
  if (leadsMissingInOld.length === 0) return [];
  const named = leadsMissingInOld
    .slice(0, namedMax)
    .map(({ organizationId, leadId }) => `${leadId} of organization ${organizationId}`)
    .join(', ');
  const rest = leadsMissingInOld.length > namedMax ? `, and ${leadsMissingInOld.length - namedMax} more (--json names all)` : '';
  return [
    `${countOf(leadsMissingInOld.length, 'lead')} that the old table lacks, though its history says nothing of an erasure, ` +
      `are kept: ${named}${rest}. If one was erased by an earlier restore finish, erase it again with lead erase.`,
  ];
}
