import { InvalidArgumentError } from 'commander';
import { exportMark, type ImportTarget, targetNamed, unknownColumn } from '../../../shared/leads/transfer/import-columns.ts';
import { nearestName } from '../../../shared/organization/nearest-name.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../context.ts';
import { foreignLeadId, foreignLeadIdProblem, isEarlierExport } from './origin.ts';

/** One `--map COLUMN=FIELD`. */
export interface MappedColumn {
  readonly column: string;
  readonly field: string;
}

/** Reads a `--map` and adds it to those before. The last `=` parts them: a heading may hold one, a field key never. */
export function parseMap(text: string, before: readonly MappedColumn[] = []): MappedColumn[] {
  const at = text.lastIndexOf('=');
  if (at < 1 || at === text.length - 1) {
    throw new InvalidArgumentError("It must be a column's heading and a field's key, such as 'Full name=name'.");
  }
  const column = text.slice(0, at).trim();
  if (before.some((one) => one.column === column)) {
    throw new InvalidArgumentError(`The column ${JSON.stringify(column)} is mapped already: a column goes to one field.`);
  }
  return [...before, { column, field: text.slice(at + 1).trim() }];
}

const nothing: ImportTarget = { kind: 'nothing' };

/** Which column of a file is what: as the administrator said, else by its heading. */
export class ColumnMapping {
  readonly #mapped: ReadonlyMap<string, string>;
  readonly #ignored: ReadonlySet<string>;

  constructor(mapped: readonly MappedColumn[], ignored: readonly string[]) {
    this.#mapped = new Map(mapped.map(({ column, field }) => [column, field]));
    this.#ignored = new Set(ignored.map((column) => column.trim()));
  }

  /** Undefined for a column that is nothing known. */
  targetOf(organization: Organization, heading: string, besideFields = false): ImportTarget | undefined {
    const name = heading.trim();
    if (this.#ignored.has(name)) return nothing;
    return targetNamed(organization, this.#mapped.get(name) ?? name, besideFields);
  }

  /** Whether the administrator said what the column is. */
  readonly isMapped = (column: string): boolean => this.#mapped.has(column);

  /** @throws CommandRefused for a `--map` to what is nothing known. */
  checkAgainst(organization: Organization): void {
    for (const [column, field] of this.#mapped) {
      if (targetNamed(organization, field)) continue;
      throw new CommandError(
        `--map ${JSON.stringify(`${column}=${field}`)}: ${JSON.stringify(field)} ${unknownColumn(organization, field)}`,
      );
    }
  }

  /** The targets of a CSV file's columns. @throws CommandRefused naming every column that is unknown, missing or there twice. */
  targetsOf(organization: Organization, headings: readonly string[], file: string): ImportTarget[] {
    const targets = headings.map((heading) => this.targetOf(organization, heading));
    this.#checkColumns(headings, file);
    const unknown = headings.filter((_, column) => !targets[column]);
    if (unknown.length > 0) {
      const said = unknown.map((heading) => `${JSON.stringify(heading)} ${unknownColumn(organization, heading)}`);
      throw new CommandError(
        `${file} has ${unknown.length === 1 ? 'a column that is' : 'columns that are'} not known: ${said.join(' ')} Name its field with --map 'COLUMN=FIELD', or leave it out with --ignore 'COLUMN'.`,
      );
    }
    const known = targets.filter((target) => target !== undefined);
    const twice = this.twiceMeant(known);
    if (twice) {
      throw new CommandError(`${file} has more than one column for ${twice}: leave one out with --ignore 'COLUMN'.`);
    }
    const foreign = isEarlierExport(headings) ? undefined : foreignLeadId(headings, known, this.isMapped);
    if (foreign !== undefined) throw new CommandError(`${file} ${foreignLeadIdProblem(foreign, exportMark.heading)}`);
    const absent = ['name', 'phone'].filter((key) => !known.some((target) => target.kind === 'field' && target.fieldKey === key));
    if (absent.length > 0) {
      const columns = headings.map((heading) => JSON.stringify(heading)).join(', ');
      throw new CommandError(
        `${file} has no column for ${absent.join(' and ')}, which every lead needs: its columns are ${columns}. Name one with --map 'COLUMN=${absent[0]}'.`,
      );
    }
    return known;
  }

  /** @throws CommandRefused for a `--map` or `--ignore` of a column that is not there: mistyped, it would be done without in silence. */
  #checkColumns(headings: readonly string[], file: string): void {
    const names = headings.map((heading) => heading.trim());
    const said = [
      ...[...this.#mapped].map(([column, field]) => ({ column, option: `--map ${JSON.stringify(`${column}=${field}`)}` })),
      ...[...this.#ignored].map((column) => ({ column, option: `--ignore ${JSON.stringify(column)}` })),
    ];
    for (const { column, option } of said) {
      if (names.includes(column)) continue;
      const near = nearestName(column, names);
      const right = near
        ? `is ${JSON.stringify(near)} meant?`
        : `its columns are ${names.map((name) => JSON.stringify(name)).join(', ')}.`;
      throw new CommandError(`${option}: ${file} has no column ${JSON.stringify(column)}; ${right}`);
    }
  }

  /** The field or property that two of the targets mean; undefined when each is meant once. */
  twiceMeant(targets: readonly ImportTarget[]): string | undefined {
    const names = targets.flatMap((target) => {
      if (target.kind === 'field') return [target.fieldKey];
      if (target.kind === 'property') return [`the lead's ${target.property}`];
      return target.kind === 'mark' ? [exportMark.heading] : [];
    });
    return names.find((name, index) => names.indexOf(name) !== index);
  }
}
