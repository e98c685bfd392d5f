import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Organization } from '../../../shared/organization/organization.ts';
import {
  addAuditEntry,
  completeAuditEntry,
} from '../../../shared/store/organizations/audit-log.ts';
import { countOf } from '../../cli/format.ts';
import {
  type CommandContext,
  CommandError,
  existingOrganization,
  freshOrganization,
} from '../context.ts';
import { ImportAdvice } from './advice.ts';
import { openImportFile } from './file.ts';
import { ColumnMapping } from './mapping.ts';
import { type ImportOptions, rateDefault, rateMax, withImportOptions } from './options.ts';
import { ImportReport, reportPath } from './report.ts';
import { type ImportCounts, type ImportRequest, importRows } from './run.ts';
import type { WriteOptions } from './write.ts';

export function leadImportCommand(lead: Command, context: CommandContext): void {
  const command = lead
    .command('import')
    .description(
      'create leads from the rows of a file; rows that were imported before are skipped',
    );
  withImportOptions(command).action((file: string, options: ImportOptions) =>
    importFile(context, file, options),
  );
}

async function importFile(
  context: CommandContext,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const { dryRun = false } = options;
  const table = context.table();
  const organization = await existingOrganization(table, options.organization);
  const mapping = new ColumnMapping(organization, options);
  const reading = { organization, mapping, formats: options, encoding: options.encoding };
  const file = await openImportFile(path, reading);
  const report = await ImportReport.begin(reportFileOf(path, options), file);
  const advice = new ImportAdvice(organization, file);
  const begun = Date.now();
  const request: ImportRequest = {
    file,
    ...writeOptions(context, organization, options),
    onDrafts: (drafts) => advice.addDrafts(drafts),
    onResults: async (results, counts) => {
      const refused = results.filter(({ outcome }) => outcome === 'refused');
      await report.add(refused);
      for (const row of refused) advice.addRefused(row);
      const percent = Math.floor(100 * file.progress());
      context.progress(`${percent} %: ${summary(counts, dryRun, begun)}`);
    },
  };
  const run = dryRun ? importRows : withAuditEntry(context);
  const counts = await run(table, request).catch(async (error: unknown) => {
    await report.discard();
    throw error;
  });
  await (dryRun && counts.refused === 0 ? report.discard() : report.finish());
  const result = { ...counts, report: counts.refused > 0 ? report.path : null, dryRun };
  const line = `Organization ${organization.id}: ${summary(counts, dryRun, begun)}.`;
  printResult(context, result, [line, ...advice.lines()]);
}

function writeOptions(
  context: CommandContext,
  organization: Organization,
  { dryRun = false, keepIds = false, rate }: ImportOptions,
): WriteOptions {
  const writeRate = rate ?? (context.isLocalEngine() ? Number.POSITIVE_INFINITY : rateDefault);
  return {
    organizationId: organization.id,
    organization: freshOrganization(context.table(), organization),
    keepIds,
    dryRun,
    leadsPerSecond: dryRun ? rateMax : writeRate,
  };
}

/** @throws CommandError for the path of the file to import, which the report would overwrite */
function reportFileOf(path: string, { report, dryRun = false }: ImportOptions): string {
  const reportFile = report ?? reportPath(path, dryRun);
  if (resolve(reportFile) !== resolve(path)) return reportFile;
  throw new CommandError(`--report ${reportFile} is the file to import: name another file.`);
}

interface ImportResult extends ImportCounts {
  readonly report: string | null;
  readonly dryRun: boolean;
}

function printResult(
  context: CommandContext,
  result: ImportResult,
  lines: readonly string[],
): void {
  if (result.report !== null) context.exitWithFailure();
  context.print(result, () => {
    if (result.report === null) return lines.join('\n');
    const report = `Refused rows and their reasons: ${result.report}. Correct a copy and import it with the same options. The report contains personal data: delete it when you no longer need it.`;
    return [...lines, report].join('\n');
  });
}

/** An import that is in the audit log before its first row, so that one that is interrupted is there too. */
const withAuditEntry =
  (context: CommandContext): typeof importRows =>
  async (table, request) => {
    const action = { who: await context.callerIdentity(), what: 'lead import begun' };
    const entry = await addAuditEntry(table, request.organizationId, action);
    const counts = await importRows(table, request);
    await completeAuditEntry(table, entry, `lead import, ${countOf(counts.imported, 'lead')}`);
    return counts;
  };

function summary(
  { rows, imported, alreadyThere, refused }: ImportCounts,
  dryRun: boolean,
  begun: number,
): string {
  const would = dryRun ? 'would be ' : '';
  const before = alreadyThere > 0 ? `, ${alreadyThere.toLocaleString('en')} imported before` : '';
  const seconds = (Date.now() - begun) / 1000;
  const speed = seconds < 1 ? '' : `, ${Math.round(rows / seconds)} rows per second`;
  return `${countOf(rows, 'row')}, ${imported.toLocaleString('en')} ${would}imported${before}, ${refused.toLocaleString('en')} ${would}refused${speed}`;
}
