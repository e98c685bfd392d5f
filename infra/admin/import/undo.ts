import { partsOf } from '../../../shared/base/batches.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { allSettled, RateLimiter, withoutWrites } from '../../../shared/store/table/pacing.ts';
import {
  importedFrom,
  type UndoResult,
  undoImportedLead,
} from '../../../shared/store/transfer/undo-import.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf, firstOf } from '../../cli/format.ts';
import type { CommandContext } from '../context.ts';
import { rowDigest } from './decide.ts';
import { type FileOptions, openImportFile } from './open.ts';
import { batchesOf } from './write.ts';

interface UndoOptions extends FileOptions {
  readonly dryRun?: boolean;
  /** Leads per second. */
  readonly rate: number;
}

interface Undone {
  rows: number;
  /** Rows whose leads are there, or were removed only now. */
  matched: number;
  removed: number;
  readonly kept: { readonly leadId: number }[];
}

const leadsAtOnce = 16;

/** Removes the leads that the rows of a file made, unless somebody has worked with them since. */
export async function undoImport(
  context: CommandContext,
  path: string,
  options: UndoOptions,
): Promise<void> {
  const { dryRun = false } = options;
  const undo = (table: Table, who: string) => undoRows(context, path, { ...options, table, who });
  const planned = () => undo(withoutWrites(context.table()), 'a dry run');
  let undone = dryRun || !context.isConfirmed ? await planned() : undefined;
  if (!dryRun && undone?.removed !== 0) {
    if (undone) {
      const leads = `${countOf(undone.removed, 'lead')} that ${path} created`;
      await context.confirm(`${leads} will be removed.`, String(undone.removed));
    }
    const who = await context.callerIdentity();
    undone = await context.audited(
      'lead import --undo',
      () => undo(context.table(), who),
      ({ removed }) => countOf(removed, 'lead'),
    );
  }
  if (!undone) return;
  if (undone.matched === 0) context.exitWithFailure();
  const { removed, kept } = undone;
  context.print({ removed, kept }, [...report(path, undone, dryRun)]);
}

async function undoRows(
  context: CommandContext,
  path: string,
  options: UndoOptions & { readonly table: Table; readonly who: string },
): Promise<Undone> {
  const organization = await context.organization();
  const own = { table: options.table, organizationId: organization.id };
  const limiter = new RateLimiter(options.rate);
  const undone: Undone = { rows: 0, matched: 0, removed: 0, kept: [] };
  const file = await openImportFile(path, organization, options);
  if ('open' in file)
    throw new CommandError(
      `${path} has columns that its headings do not explain: repeat the --plan, --map and --ignore of the import.`,
    );
  for (const rows of batchesOf(file.rows, options.rate)) {
    const readable = rows.filter(({ issue }) => issue === undefined);
    const digests = readable.map(({ sent }) => rowDigest(sent));
    const leads = await importedFrom(own, digests);
    undone.rows += rows.length;
    undone.matched += leads.length;
    for (const some of partsOf(leads, leadsAtOnce)) {
      await limiter.take(some.length);
      const results = await allSettled(
        some.map((lead) => undoImportedLead(own, lead, options.who)),
      );
      const leadsOf = (result: UndoResult) => some.filter((_, index) => results[index] === result);
      undone.removed += leadsOf('removed').length;
      undone.kept.push(...leadsOf('kept').map(({ leadId }) => ({ leadId })));
    }
    context.progress(
      `Of ${countOf(file.lastRow, 'row')}: ${countOf(undone.removed, 'lead')} to remove`,
    );
  }
  return undone;
}

function* report(
  path: string,
  { rows, matched, removed, kept }: Undone,
  dryRun: boolean,
): Generator<string> {
  if (matched === 0) {
    yield `No lead in the table was created by a row of ${path}: repeat the --plan, --map and --ignore of the import.`;
    return;
  }
  yield `${countOf(removed, 'lead')} ${dryRun ? 'would be ' : ''}removed.`;
  if (matched < rows)
    yield `${matched} of ${countOf(rows, 'row')} created leads that are still there. If the import created more, undo with the file as it was imported.`;
  if (kept.length > 0)
    yield `Kept, because their timelines have later items: ${firstOf(kept.map(({ leadId }) => leadId))}.`;
}
