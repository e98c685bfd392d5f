import { partsOf } from '../../../shared/base/batches.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { allSettled, RateLimiter, withoutWrites } from '../../../shared/store/table/pacing.ts';
import {
  importedFrom,
  type UndoResult,
  undoImportedLead,
} from '../../../shared/store/transfer/undo-import.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf, firstOf } from '../../cli/format.ts';
import { audited, type CommandContext } from '../context.ts';
import { rowDigest } from './decide.ts';
import { type FileOptions, type ImportFile, openImportFile } from './open.ts';
import { type ImportOptions, type ImportWork, importWorkOf } from './run.ts';
import { batchesOf } from './write.ts';

/** The result of an undo. */
export interface Undone {
  rows: number;
  /** Rows whose leads exist, or were removed by this undo. */
  matched: number;
  removed: number;
  readonly kept: { readonly leadId: number }[];
}

const leadsAtOnce = 16;

/** Removes the leads that a file's rows created, unless somebody has worked with them since. */
export async function undoImport(
  context: CommandContext,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const { dryRun = false } = options;
  const work = importWorkOf(context, options);
  const undo = async (isDry: boolean) =>
    undoRowsOf(await openToUndo(path, await context.organization(), options), work, isDry);
  let undone = dryRun || !context.isConfirmed ? await undo(true) : undefined;
  if (!dryRun && undone?.removed !== 0) {
    if (undone) {
      const leads = `${countOf(undone.removed, 'lead')} that ${path} created`;
      await context.confirm(`${leads} will be removed.`, String(undone.removed));
    }
    undone = await undo(false);
  }
  if (!undone) return;
  if (undone.matched === 0) context.exitWithFailure();
  const { removed, kept } = undone;
  context.print({ removed, kept }, [...undoLines(path, undone, dryRun)]);
}

/** @throws CommandError if the file was not imported with these options */
async function openToUndo(
  path: string,
  organization: Organization,
  options: FileOptions,
): Promise<ImportFile> {
  const file = await openImportFile(path, organization, options);
  if ('open' in file)
    throw new CommandError(
      `${path} has columns that its headings do not explain: repeat the --plan, --map and --ignore of the import.`,
    );
  return file;
}

/** Removes the leads with an entry in the audit log, or previews the removal. */
export async function undoRowsOf(
  file: ImportFile,
  work: ImportWork,
  dryRun: boolean,
): Promise<Undone> {
  const { table, organizationId } = work;
  if (dryRun) return undoRows(file, { ...work, table: withoutWrites(table) }, 'a dry run');
  const who = await work.who();
  return audited(
    { table, organizationId },
    { who, what: 'lead import --undo' },
    () => undoRows(file, work, who),
    ({ removed }) => countOf(removed, 'lead'),
  );
}

async function undoRows(file: ImportFile, work: ImportWork, who: string): Promise<Undone> {
  const { rate, onProgress } = work;
  const limiter = new RateLimiter(rate);
  const undone: Undone = { rows: 0, matched: 0, removed: 0, kept: [] };
  for (const rows of batchesOf(file.rows, rate)) {
    const readable = rows.filter(({ issue }) => issue === undefined);
    const digests = readable.map(({ sent }) => rowDigest(sent));
    const leads = await importedFrom(work, digests);
    undone.rows += rows.length;
    undone.matched += leads.length;
    for (const some of partsOf(leads, leadsAtOnce)) {
      await limiter.take(some.length);
      const results = await allSettled(some.map((lead) => undoImportedLead(work, lead, who)));
      const leadsOf = (result: UndoResult) => some.filter((_, index) => results[index] === result);
      undone.removed += leadsOf('removed').length;
      undone.kept.push(...leadsOf('kept').map(({ leadId }) => ({ leadId })));
    }
    onProgress(`Of ${countOf(file.lastRow, 'row')}: ${countOf(undone.removed, 'lead')} to remove`);
  }
  return undone;
}

/** What an undo did, or would do. */
export function* undoLines(
  path: string,
  { rows, matched, removed, kept }: Undone,
  dryRun: boolean,
): Generator<string> {
  if (matched === 0) {
    yield `No lead in the table was created by a row of ${path}: repeat the --plan, --map and --ignore of the import.`;
    return;
  }
  yield `${countOf(removed, 'lead')} ${dryRun ? 'would be ' : ''}removed.`;
  if (kept.length > 0) {
    const [have, stay] = kept.length === 1 ? ['has', 'stays'] : ['have', 'stay'];
    const leads = `${kept.length.toLocaleString('en')} of ${countOf(matched, 'lead')}`;
    yield `${leads} that the file created ${have} changed since, and ${stay}: ${firstOf(kept.map(({ leadId }) => leadId))}.`;
  }
  if (matched < rows)
    yield `The file matches ${countOf(matched, 'lead')}. If the import created more, the file or its plan was changed since: undo with the original.`;
}
