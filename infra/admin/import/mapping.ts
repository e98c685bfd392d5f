import { InvalidArgumentError } from 'commander';
import {
  exportMark,
  type ImportTarget,
  noteHeading,
  propertyHeadings,
  targetNamed,
  unknownColumn,
} from '../../../shared/leads/transfer/import-columns.ts';
import { nearestName } from '../../../shared/organization/nearest-name.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../context.ts';

/** One `--map COLUMN=FIELD`. */
export interface MappedColumn {
  readonly column: string;
  readonly field: string;
}

/** Parses a `--map` and adds it to the earlier ones. It is split at the last `=`: a heading may contain one, a field key cannot. */
export function parseMap(text: string, before: readonly MappedColumn[] = []): MappedColumn[] {
  const at = text.lastIndexOf('=');
  if (at < 1 || at === text.length - 1) {
    throw new InvalidArgumentError(
      "It must be a heading and a field key, such as 'Full name=name'.",
    );
  }
  const column = text.slice(0, at).trim();
  if (before.some((one) => one.column === column)) {
    throw new InvalidArgumentError(
      `The column ${JSON.stringify(column)} is mapped already: map a column to one field only.`,
    );
  }
  return [...before, { column, field: text.slice(at + 1).trim() }];
}

/** What is wrong with a foreign lead ID; completes a sentence that begins with the file or line. */
export const foreignLeadIdIssue = (name: string, mark: string): string =>
  `has ${JSON.stringify(name)}, but not ${JSON.stringify(mark)}, which lead export also writes: these are the IDs of another system. ` +
  `Ignore them with --ignore '${name}', or map them to a field with --map '${name}=FIELD'.`;

const nothing: ImportTarget = { kind: 'nothing' };

/** What each column of a file means: by `--map` and `--ignore`, else by its heading. */
export class ColumnMapping {
  readonly #mapped: ReadonlyMap<string, string>;
  readonly #ignored: ReadonlySet<string>;

  constructor(mapped: readonly MappedColumn[], ignored: readonly string[]) {
    this.#mapped = new Map(mapped.map(({ column, field }) => [column, field]));
    this.#ignored = new Set(ignored.map((column) => column.trim()));
  }

  /** Undefined for an unknown column. */
  targetOf(
    organization: Organization,
    heading: string,
    hasFieldsObject = false,
  ): ImportTarget | undefined {
    const name = heading.trim();
    if (this.#ignored.has(name)) return nothing;
    return targetNamed(organization, this.#mapped.get(name) ?? name, hasFieldsObject);
  }

  /**
   * The name of a column or property with lead IDs that nothing shows to be this service's own.
   * @param names parallel to the targets
   */
  foreignLeadId(names: readonly string[], targets: readonly ImportTarget[]): string | undefined {
    if (targets.some(({ kind }) => kind === 'mark')) return undefined;
    const at = targets.findIndex(
      (target) => target.kind === 'property' && target.property === 'leadId',
    );
    const name = names[at]?.trim();
    return name === undefined || this.#mapped.has(name) ? undefined : name;
  }

  /** @throws CommandError for a `--map` to an unknown field, or to the lead ID without `--keep-ids` */
  checkAgainst(organization: Organization, keepIds: boolean): void {
    for (const [column, field] of this.#mapped) {
      const option = `--map ${JSON.stringify(`${column}=${field}`)}`;
      if (!targetNamed(organization, field)) {
        const reason = unknownColumn(organization, field);
        throw new CommandError(`${option}: ${JSON.stringify(field)} ${reason}`);
      }
      if (field === propertyHeadings.leadId && !keepIds) {
        throw new CommandError(
          `${option} needs --keep-ids: without it, each lead gets a new ID. Add --keep-ids, or use --ignore ${JSON.stringify(column)}.`,
        );
      }
    }
  }

  /** The targets of the columns of a CSV file. @throws CommandError for columns that are unknown, missing or repeated */
  targetsOf(organization: Organization, headings: readonly string[], file: string): ImportTarget[] {
    this.#assertOptionColumns(headings, file);
    const targets = headings.map((heading) => this.targetOf(organization, heading));
    const unknown = headings.filter((_, column) => !targets[column]);
    const known = targets.filter((target) => target !== undefined);
    const issues = unknownColumns(organization, unknown, file);
    const repeated = this.repeatedTarget(known);
    if (repeated) {
      issues.push(
        `${file} has more than one column for ${repeated}: ignore one with --ignore 'COLUMN'.`,
      );
    }
    const foreign = this.foreignLeadId(
      headings.filter((_, column) => targets[column]),
      known,
    );
    if (foreign !== undefined)
      issues.push(`${file} ${foreignLeadIdIssue(foreign, exportMark.heading)}`);
    // An unknown column may be the one that is missing.
    if (unknown.length === 0) issues.push(...missingColumns(headings, known, file));
    if (issues.length > 0) throw new CommandError(issues.join('\n'));
    return known;
  }

  /** @throws CommandError for a `--map` or `--ignore` of a column that the file does not have: a typo must not go unnoticed */
  #assertOptionColumns(headings: readonly string[], file: string): void {
    const names = headings.map((heading) => heading.trim());
    const options = [
      ...[...this.#mapped].map(([column, field]) => ({
        column,
        option: `--map ${JSON.stringify(`${column}=${field}`)}`,
      })),
      ...[...this.#ignored].map((column) => ({
        column,
        option: `--ignore ${JSON.stringify(column)}`,
      })),
    ];
    for (const { column, option } of options) {
      if (names.includes(column)) continue;
      const near = nearestName(column, names);
      const hint = near
        ? `did you mean ${JSON.stringify(near)}?`
        : `its columns are ${quotedList(names)}.`;
      throw new CommandError(`${option}: ${file} has no column ${JSON.stringify(column)}; ${hint}`);
    }
  }

  /** A field or property that more than one of the targets has; undefined when there is none. */
  repeatedTarget(targets: readonly ImportTarget[]): string | undefined {
    const names = targets.flatMap((target) => {
      if (target.kind === 'field') return [target.fieldKey];
      if (target.kind === 'property') return [`the lead's ${target.property}`];
      if (target.kind === 'note') return [noteHeading];
      return target.kind === 'mark' ? [exportMark.heading] : [];
    });
    return names.find((name, index) => names.indexOf(name) !== index);
  }
}

/** One unknown column in a sentence, several on a line each. */
function unknownColumns(
  organization: Organization,
  headings: readonly string[],
  file: string,
): string[] {
  const issues = headings.map(
    (heading) => `${JSON.stringify(heading)} ${unknownColumn(organization, heading)}`,
  );
  const remedy =
    "Name the field with --map 'COLUMN=FIELD', keep a text as a note with --map 'COLUMN=note', or ignore the column with --ignore 'COLUMN'.";
  const keys = organization.fields.filter(({ active }) => active).map(({ key }) => key);
  const more = keys.length > keysMax ? `, and ${keys.length - keysMax} more` : '';
  const fields = `The fields are ${keys.slice(0, keysMax).join(', ')}${more}.`;
  if (issues.length === 0) return [];
  if (issues.length === 1)
    return [`${file} has an unknown column: ${issues[0]} ${remedy} ${fields}`];
  return [
    `${file} has ${issues.length} unknown columns. ${remedy}`,
    ...issues.map((issue) => `  ${issue}`),
    `  ${fields}`,
  ];
}

/** The most field keys that a refusal names. */
const keysMax = 40;

/** That no column has the name or the phone. */
function missingColumns(
  headings: readonly string[],
  targets: readonly ImportTarget[],
  file: string,
): string[] {
  const missing = ['name', 'phone'].filter(
    (key) => !targets.some((target) => target.kind === 'field' && target.fieldKey === key),
  );
  if (missing.length === 0) return [];
  return [
    `${file} has no column for ${missing.join(' and ')}, which every lead needs: its columns are ${quotedList(headings)}. Name one with --map 'COLUMN=${missing[0]}'.`,
  ];
}

const quotedList = (names: readonly string[]): string =>
  names.map((name) => JSON.stringify(name)).join(', ');
