import { InvalidArgumentError } from 'commander';
import { activeFields } from '../../../shared/leads/fields.ts';
import {
  exportedProperties,
  type ImportTarget,
  nowhere,
  targetNamed,
  unknownColumn,
} from '../../../shared/leads/transfer/import-columns.ts';
import { withName } from '../../../shared/organization/named.ts';
import { nearestName } from '../../../shared/organization/nearest-name.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf, firstOf } from '../../cli/format.ts';
import { pairOption } from '../../cli/options.ts';

/** Field keys by column. */
type MappedColumns = ReadonlyMap<string, string>;

/** Splits at the last `=`: a heading may contain one, a field key cannot. */
const parsePair = pairOption(
  "It must be a heading and a field key, such as 'Full name=name'.",
  /^(.+)=\s*([^=]*[^=\s])\s*$/s,
);

/** Parses a `--map` and adds it to the earlier ones. */
export function parseMap(text: string, before: MappedColumns = new Map()): MappedColumns {
  const mapped = parsePair(text, before);
  if (mapped.size > before.size) return mapped;
  throw new InvalidArgumentError('Its column is already mapped: map a column to one field only.');
}

export interface MappingOptions {
  readonly map?: MappedColumns;
  readonly ignore?: readonly string[];
  readonly keepIds?: boolean;
  /** A row needs only what its lead is found by. */
  readonly update?: boolean;
}

/** A column of a CSV file, or a property of a JSON line. */
export interface Column {
  readonly column: string;
  readonly target: ImportTarget;
}

/** What each column of a file means: by `--map` and `--ignore`, else by its heading. */
export class ColumnMapping {
  readonly #organization: Organization;
  readonly #isUpdate: boolean;
  #mapped: MappedColumns;
  #ignored: ReadonlySet<string>;

  /** @throws CommandError for a `--map` to an unknown field, or to the lead ID without `--keep-ids` */
  constructor(
    organization: Organization,
    { map = new Map(), ignore = [], keepIds = false, update = false }: MappingOptions,
  ) {
    this.#organization = organization;
    this.#isUpdate = update;
    this.#mapped = map;
    this.#ignored = new Set(ignore.map((column) => column.trim()));
    for (const [column, field] of map) {
      if (!targetNamed(organization, field)) {
        const reason = unknownColumn(organization, field);
        throw new CommandError(`${mapOption(column, field)}: ${JSON.stringify(field)} ${reason}`);
      }
      if (field === exportedProperties.leadId && !keepIds) {
        throw new CommandError(
          `${mapOption(column, field)} needs --keep-ids: without it, each lead gets a new ID. Add --keep-ids, or use --ignore ${JSON.stringify(column)}.`,
        );
      }
    }
  }

  /** Undefined for an unknown column. @param hasFieldsObject as `targetNamed` takes it */
  targetOf(heading: string, hasFieldsObject = false): ImportTarget | undefined {
    const name = heading.trim();
    if (this.#ignored.has(name)) return nowhere;
    return targetNamed(this.#organization, this.#mapped.get(name) ?? name, hasFieldsObject);
  }

  /** The columns of a CSV file or a sheet. @throws CommandError for columns that are unknown, missing or repeated */
  columnsOf(headings: readonly string[], file: string): Column[] {
    const named = headings.filter((heading) => heading.trim() !== '');
    if (named.length === 1)
      throw new CommandError(
        `The first row of ${file} has one cell, ${JSON.stringify(named[0])}: it must have the headings. Delete the title and other rows above the headings, or name another sheet of a workbook with --sheet.`,
      );
    // As the file spells them. A typo in an option must not go unnoticed.
    const mapped = [...this.#mapped].map(([column, field]) =>
      headingsNamed(mapOption(column, field), column, headings, file).map(
        (heading) => [heading, field] as const,
      ),
    );
    const ignored = [...this.#ignored].map((column) =>
      headingsNamed(`--ignore ${JSON.stringify(column)}`, column, headings, file),
    );
    [this.#mapped, this.#ignored] = [new Map(mapped.flat()), new Set(ignored.flat())];
    const found = headings.map((heading) => {
      const column = heading.trim();
      const target = this.targetOf(heading);
      return { column, target: target ?? (column === '' ? nameless : undefined) };
    });
    const columns = found.filter((one): one is Column => one.target !== undefined);
    const unknown = found.filter(({ target }) => !target).map(({ column }) => column);
    const issues = [
      ...unknownColumns(this.#organization, unknown, file),
      ...this.issuesOf(columns, file),
      // An unknown column may be the one that is missing.
      ...(unknown.length === 0 ? missingColumns(columns, file, this.#isUpdate) : []),
    ];
    if (issues.length > 0) throw new CommandError(issues.join('\n'));
    return columns;
  }

  /**
   * What is wrong with columns together: two of them are for one field or property, or nothing shows that lead IDs are this service's own.
   * @param subject of the sentences: the file or line
   */
  *issuesOf(columns: readonly Column[], subject: string): Generator<string> {
    const known = columns.filter(({ target }) => target.name !== '');
    const groups = Map.groupBy(known, ({ target }) => target.field ?? target.property);
    const repeated = [...groups.values()].find(
      (same) => same.length > 1 && !same.every(this.#isJoined),
    );
    const name = repeated?.[0]?.target.name;
    if (name !== undefined)
      yield `${subject} has more than one column for ${name}: ignore one with --ignore 'COLUMN', or join texts with --map 'COLUMN=${name}' for each.`;
    const isMarked = known.some(({ target }) => target.property === 'mark');
    const id = known.find(({ target }) => target.property === 'leadId')?.column.trim();
    if (id !== undefined && !isMarked && !this.#mapped.has(id))
      yield `${subject} has ${JSON.stringify(id)}, but not ${JSON.stringify(exportedProperties.mark)}, which lead export also writes: these are the IDs of another system. ` +
        `Ignore them with --ignore '${id}', or map them to a field with --map '${id}=FIELD'.`;
  }

  /** Whether a column may share its field with others: a text field, to which `--map` maps each of them. */
  readonly #isJoined = ({ column, target: { field } }: Column): boolean =>
    this.#mapped.has(column.trim()) && (field?.type === 'text' || field?.type === 'textarea');
}

/** The target of a column without a heading, in which no row may have a value. */
export const nameless: ImportTarget = { name: '' };

const mapOption = (column: string, field: string): string =>
  `--map ${JSON.stringify(`${column}=${field}`)}`;

/** The headings that an option's column names. @throws CommandError if the file has none */
export function headingsNamed(
  option: string,
  column: string,
  headings: readonly string[],
  file: string,
): readonly string[] {
  const names = headings.map((heading) => heading.trim());
  const found = withName(
    names.map((name) => ({ name })),
    column,
  );
  if (found.length > 0) return found.map(({ name }) => name);
  const near = nearestName(column, names);
  const hint = near
    ? `did you mean ${JSON.stringify(near)}?`
    : `its columns are ${quotedList(names)}.`;
  throw new CommandError(`${option}: ${file} has no column ${JSON.stringify(column)}; ${hint}`);
}

/** The most field keys that a refusal names. */
const keysMax = 40;

function* unknownColumns(
  organization: Organization,
  headings: readonly string[],
  file: string,
): Generator<string> {
  if (headings.length === 0) return;
  const keys = activeFields(organization).map(({ key }) => key);
  yield `${file} has ${countOf(headings.length, 'unknown column')}. Name the field with --map 'COLUMN=FIELD', keep a text as a note with --map 'COLUMN=note', or ignore the column with --ignore 'COLUMN'.`;
  for (const heading of headings)
    yield `  ${JSON.stringify(heading)} ${unknownColumn(organization, heading)}`;
  yield `  The fields are ${firstOf(keys, keysMax)}; other columns can be owner, stage, pipeline, created at, updated at, archived, archived at, note.`;
}

/** That no column has the name or the phone. */
function* missingColumns(
  columns: readonly Column[],
  file: string,
  isUpdate: boolean,
): Generator<string> {
  const names = columns.map(({ target }) => target.name);
  if (isUpdate && names.includes('email')) return;
  const needed = isUpdate ? ['phone'] : ['name', 'phone'];
  const missing = needed.filter((key) => !names.includes(key));
  const headings = quotedList(columns.map(({ column }) => column));
  if (missing.length > 0)
    yield `${file} has no column for ${missing.join(' and ')}, which every lead needs: its columns are ${headings}. Name one with --map 'COLUMN=${missing[0]}'.`;
}

const quotedList = (names: readonly string[]): string =>
  names.map((name) => JSON.stringify(name)).join(', ');
