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
import { type ImportFile, openImportFile } from './file.ts';
import { FormatAdvice } from './format-advice.ts';
import { importHelp } from './help.ts';
import { ColumnMapping } from './mapping.ts';
import { NationalPhones } from './national-phones.ts';
import {
  type ImportOptions,
  rateDefault,
  rateMax,
  withFileOptions,
  withWriteOptions,
} from './options.ts';
import { RefusalReasons } from './refusal-reasons.ts';
import { ImportReport, reportPath } from './report.ts';
import { type ImportCounts, type ImportRequest, importRows } from './run.ts';

export function leadImportCommand(lead: Command, context: CommandContext): void {
  const command = lead
    .command('import')
    .description(
      'create leads from the rows of a file; rows that were imported before are skipped',
    );
  withWriteOptions(withFileOptions(command))
    .addHelpText('after', importHelp)
    .action((file: string, options: ImportOptions) => importFile(context, file, options));
}

async function importFile(
  context: CommandContext,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const { organization: organizationId, dryRun = false } = options;
  const organization = await existingOrganization(context.table(), organizationId);
  const mapping = new ColumnMapping(organization, options);
  const reading = { organization, mapping, formats: options, encoding: options.encoding };
  const file = await openImportFile(path, reading);
  const report = await ImportReport.begin(reportFileOf(path, options), file);
  const begun = Date.now();
  const textOf = (counts: ImportCounts): string =>
    `${summary(counts, dryRun)}${speed(counts, begun)}`;
  const onProgress = (counts: ImportCounts): void =>
    context.progress(`${Math.floor(100 * file.progress())} %: ${textOf(counts)}`);
  const run = { organization, file, report, options };
  const { counts, lines } = await importInto(context, run, onProgress);
  await (dryRun && counts.refused === 0 ? report.discard() : report.finish());
  const result = { ...counts, report: counts.refused > 0 ? report.path : null, dryRun };
  printResult(context, result, [`Organization ${organizationId}: ${textOf(counts)}.`, ...lines]);
}

interface ImportRun {
  readonly organization: Organization;
  readonly file: ImportFile;
  readonly report: ImportReport;
  readonly options: ImportOptions;
}

/** Imports the rows. An error discards the report. @returns the counts, why rows were refused and what would help, and what was assumed */
async function importInto(
  context: CommandContext,
  { organization, file, report, options }: ImportRun,
  onProgress: (counts: ImportCounts) => void,
): Promise<{ counts: ImportCounts; lines: string[] }> {
  const { dryRun = false, keepIds = false, rate } = options;
  const table = context.table();
  const reasons = new RefusalReasons();
  const advice = new FormatAdvice(organization, file);
  const nationalPhones = new NationalPhones();
  const request: ImportRequest = {
    file,
    organizationId: organization.id,
    organization: freshOrganization(table, organization),
    keepIds,
    dryRun,
    leadsPerSecond: dryRun ? rateMax : (rate ?? (context.isLocalEngine() ? Infinity : rateDefault)),
    onDrafts: (drafts) => nationalPhones.add(organization, drafts),
    onResults: async (results, counts) => {
      const refused = results.filter(({ outcome }) => outcome === 'refused');
      await report.add(refused);
      for (const row of refused) {
        reasons.add(row);
        advice.add(row);
      }
      onProgress(counts);
    },
  };
  const run = dryRun ? importRows : withAuditEntry(context, organization.id);
  const counts = await run(table, request).catch(async (error: unknown) => {
    await report.discard();
    throw error;
  });
  return { counts, lines: [...reasons.lines(), ...advice.lines(), ...nationalPhones.lines()] };
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
  (context: CommandContext, organizationId: number): typeof importRows =>
  async (table, request) => {
    const who = await context.callerIdentity();
    const entry = await addAuditEntry(table, organizationId, { who, what: 'lead import begun' });
    const counts = await importRows(table, request);
    await completeAuditEntry(table, entry, `lead import, ${countOf(counts.imported, 'lead')}`);
    return counts;
  };

function summary({ rows, imported, alreadyThere, refused }: ImportCounts, dryRun: boolean): string {
  const would = dryRun ? 'would be ' : '';
  const before = alreadyThere > 0 ? `, ${alreadyThere.toLocaleString('en')} imported before` : '';
  return `${countOf(rows, 'row')}, ${imported.toLocaleString('en')} ${would}imported${before}, ${refused.toLocaleString('en')} ${would}refused`;
}

function speed({ rows }: ImportCounts, begun: number): string {
  const seconds = (Date.now() - begun) / 1000;
  return seconds < 1 ? '' : `, ${Math.round(rows / seconds)} rows per second`;
}
