import { parseDateTime } from '../../../shared/base/dates.ts';
import { keysOf } from '../../../shared/base/maps.ts';
import { FieldIssue, type RawValue } from '../../../shared/leads/field-values.ts';
import { FieldIssues, readFields } from '../../../shared/leads/fields.ts';
import {
  nowhere,
  propertyHeadings,
  unknownColumn,
} from '../../../shared/leads/transfer/import-columns.ts';
import { fieldKinds } from '../../../shared/organization/field-kinds.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import { writingOf } from '../files/cell-formats.ts';
import { type LeadsFile, readLeadsFile, type TableRow } from '../files/read-file.ts';
import { textOfCell } from '../files/workbook.ts';
import { type Column, ColumnReading, columnNames, type FoundColumn, quoted } from './columns.ts';
import { type Plan, type PlanFile, type PlanOptions, planFileOf, planOf } from './plan.ts';
import { type ProposedColumn, plannedColumn, proposed, type SampledColumn } from './propose.ts';
import { jsonlRows, type ReadRow, tableRows, withoutResultIssue } from './rows.ts';

export interface FileOptions extends PlanOptions {
  readonly keepIds?: boolean;
  readonly update?: boolean;
}

type FileFacts = Omit<LeadsFile, 'rows' | 'lines'>;

/** A file whose columns are all known. */
export interface ImportFile
  extends FileFacts,
    Pick<Plan, 'country' | 'timeZone' | 'ignoresOthers'> {
  /** The headings; empty for JSONL. */
  readonly headings: readonly string[];
  /** The rows, which are read by the plan while they are iterated. */
  readonly rows: Iterable<ReadRow>;
  /** The columns that are ignored because nothing maps them. */
  readonly others: ReadonlySet<string>;
  /** All ignored columns. */
  readonly ignored: readonly string[];
}

/** A file with open columns, which a person must review. */
export interface OpenFile {
  readonly proposal: PlanFile;
  readonly open: readonly (Pick<ProposedColumn, 'inPlan'> & {
    readonly column: string | null;
    readonly why: string;
  })[];
  /** How the first rows would be read. */
  readonly rows: readonly ReadRow[];
}

/** Reads a file of leads into memory. @throws CommandError if the file cannot be used, or does not fit its plan */
export async function openImportFile(
  path: string,
  organization: Organization,
  options: FileOptions,
): Promise<ImportFile | OpenFile> {
  const plan = await planOf(options);
  const file = await readLeadsFile(path, plan);
  const { keepIds = false, update = false } = options;
  const rules = { organization, plan, keepIds, update };
  const hasPlan = plan.file !== undefined;
  if (file.form.format === 'jsonl') {
    if (hasPlan)
      throw new CommandError(`${path} has no columns, so it needs no plan: remove --plan.`);
    const reading = new ColumnReading(rules, path);
    const rows = jsonlRows(file.lines, { reading, hasPlan });
    return { ...plan, ...file, headings: [], rows, others: reading.ignored, ignored: [] };
  }
  const headings = headingsOf(path, file);
  const names = columnNames(headings);
  const reading = new ColumnReading(rules, path, names);
  const columns = names.map((name) => reading.columnNamed(name));
  const known = columns.filter((column): column is Column => column.target !== undefined);
  const isExport = known.some(({ target }) => target.property === 'mark');
  const unknown = columns.filter(({ target }) => !target).map(({ name }) => name);
  if (!hasPlan && !isExport) {
    const proposal = proposalFor(reading, columns, file.rows.slice(1));
    if (proposal.open.length > 0) return proposal;
  } else {
    const issues = [
      ...(unknown.length > 0 ? unknownIssues(organization, path, unknown, plan) : []),
      ...reading.issuesOf(known, path),
      ...(unknown.length === 0 ? missingIssue(path, reading.missing(known), known) : []),
    ];
    if (issues.length > 0) throw new CommandError(issues.join('\n'));
  }
  return {
    ...plan,
    ...file,
    headings,
    rows: tableRows(file.rows.slice(1), known, { reading, hasPlan }),
    others: reading.ignored,
    ignored: known
      .filter(({ target, name }) => target === nowhere && name !== '')
      .map(({ name }) => name),
  };
}

/** A list whose columns have no targets yet. */
export interface ReadList {
  /** The columns with their headings, and their values in the order of the rows, without empty ones. */
  readonly columns: readonly { readonly heading: string; readonly values: readonly string[] }[];
  /** The plan with which an organization can import the list. @throws CommandError if a plan does not name all its columns */
  readonly planFor: (organization: Organization) => OpenFile;
}

/** @throws CommandError if the file has no columns */
export async function readList(path: string, options: PlanOptions = {}): Promise<ReadList> {
  const plan = await planOf(options);
  const file = await readLeadsFile(path, plan);
  if (file.form.format === 'jsonl')
    throw new CommandError(`${path} has no columns: name an .xlsx or .csv file.`);
  const names = columnNames(headingsOf(path, file));
  const rows = file.rows.slice(1);
  return {
    columns: names.map((heading, at) => ({ heading, values: valuesAt(rows, at) })),
    planFor: (organization) => {
      const reading = new ColumnReading({ organization, plan }, path, names);
      const columns = names.map((name) => reading.columnNamed(name));
      const unknown = columns.filter(({ target }) => !target).map(({ name }) => name);
      if (plan.file !== undefined && unknown.length > 0)
        throw new CommandError([...unknownIssues(organization, path, unknown, plan)].join('\n'));
      return proposalFor(reading, columns, rows);
    },
  };
}

const valuesAt = (rows: readonly TableRow[], at: number): string[] =>
  rows.map(({ cells }) => textOfCell(cells[at]).trim()).filter((text) => text !== '');

function headingsOf(path: string, { rows: [first] }: LeadsFile): string[] {
  for (const cell of first?.withoutResult.values() ?? [])
    throw new CommandError(`${path}: ${withoutResultIssue(cell)}`);
  if (!first) throw new CommandError(`${path} is empty: its first row must have the headings.`);
  const headings = first.cells.map((cell) => textOfCell(cell));
  const named = headings.filter((heading) => heading.trim() !== '');
  if (named.length === 1)
    throw new CommandError(
      `The first row of ${path} has one cell, ${JSON.stringify(named[0])}: it must have the headings. Delete the title and other rows above the headings, or name another sheet of a workbook with --sheet.`,
    );
  return headings;
}

/** How many rows are enough to classify a column's values. */
const sampleRows = 2000;
const rowsShown = 3;

/** The plan for a file, with the columns that its headings and the options leave open. */
function proposalFor(
  reading: ColumnReading,
  columns: readonly FoundColumn[],
  rows: readonly TableRow[],
): OpenFile {
  const { organization, plan } = reading.rules;
  const found = proposed(organization, sampledColumns(reading, columns, rows));
  const { columns: all, listSeparator = plan.listSeparator } = found;
  const read = all.map(({ formats, ...column }) => ({
    ...column,
    formats: { ...formats, listSeparator },
  }));
  const planned = all
    .filter(({ name }) => name !== '')
    .map((column) => [column.name, plannedColumn(column, plan)] as const);
  const readAs = ({ name }: Column['target']) => (name === '' ? 'ignored' : `read as ${name}`);
  const open = all.flatMap(({ name, target, why, inPlan = '' }) =>
    why === undefined ? [] : [{ column: name, why: `${readAs(target)}: ${why}`, inPlan }],
  );
  const missing = reading
    .missing(all)
    .map((name) => ({ column: null, why: `no column for ${name}` }));
  const first = rows.slice(0, rowsShown);
  return {
    proposal: planFileOf({ ...plan, listSeparator }, Object.fromEntries(planned)),
    open: [...open, ...missing],
    rows: [...tableRows(first, read, { reading, hasPlan: true })],
  };
}

function sampledColumns(
  reading: ColumnReading,
  columns: readonly FoundColumn[],
  rows: readonly TableRow[],
): SampledColumn[] {
  const sample = rows.slice(0, sampleRows);
  const claimed = new Set<string>();
  return columns.map(({ target, ...column }, at) => {
    const values = valuesAt(sample, at);
    const isNamed = reading.isNamed(column.name);
    const isForeignId = !isNamed && target?.property === 'leadId';
    // A second column for a target that cannot have two is open, even if its heading is exact.
    const isSecond = !isNamed && target !== undefined && claimed.has(target.name);
    if (target?.name) claimed.add(target.name);
    const found = isForeignId || isSecond ? undefined : target;
    return { ...column, isNamed, isForeignId, values, target: found };
  });
}

function* unknownIssues(
  organization: Organization,
  path: string,
  names: readonly string[],
  plan: Plan,
): Generator<string> {
  if (plan.file !== undefined) {
    yield `${path} does not fit the plan ${plan.file}, which does not name ${quoted(names)}: add each column to "columns", with null to ignore it, or add "others": "ignore".`;
    return;
  }
  yield `${path} has ${countOf(names.length, 'unknown column')}. Name the field with --map 'COLUMN=FIELD', keep a text as a note with --map 'COLUMN=note', or ignore the column with --ignore 'COLUMN' or --ignore-others.`;
  for (const name of names) yield `  ${JSON.stringify(name)} ${unknownColumn(organization, name)}`;
}

function* missingIssue(
  path: string,
  missing: readonly string[],
  columns: readonly Column[],
): Generator<string> {
  if (missing.length > 0)
    yield `${path} has no column for ${missing.join(' and ')}, which every lead needs: its columns are ${quoted(columns.map(({ name }) => name))}. Name one with --map 'COLUMN=${missing[0]}', or in the plan.`;
}

/** A row as it was read, by field key or property heading, without ignored columns. */
export function shownRow(
  organization: Organization,
  { read, sent }: ReadRow,
): Record<string, RawValue> {
  const fields = Object.entries(read.fields).map(([key, raw]): [string, RawValue] => {
    const field = organization.fieldByKey.get(key);
    const asSent = sent.fields[key] ?? null;
    if (raw instanceof FieldIssue) return [key, asSent instanceof FieldIssue ? null : asSent];
    if (!field || fieldKinds[field.type].references !== null) return [key, raw];
    const values = readFields(organization, { [key]: raw }, [field], new FieldIssues());
    return [key, values[key] ?? raw];
  });
  const properties = keysOf(read.properties).map((property): [string, RawValue] => {
    const raw = read.properties[property] ?? null;
    const isTime = writingOf({ name: '', property }) === 'time';
    const text = isTime && typeof raw === 'string' ? raw : '';
    const at = parseDateTime(text) ?? parseDateTime(`${text}T00:00Z`);
    return [propertyHeadings[property], at === undefined ? raw : new Date(at).toISOString()];
  });
  return Object.fromEntries([...fields, ...properties]);
}
