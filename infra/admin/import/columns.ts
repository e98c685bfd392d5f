import { comparableName } from '../../../shared/base/text.ts';
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
import type { Formats } from '../files/cell-formats.ts';
import { type Plan, replacing } from './plan.ts';

/** A column of a table, or a property of a JSON line. */
export interface Column {
  /** The heading. If an earlier column has the same one, a number is added: `Phone (2)`. */
  readonly name: string;
  readonly target: ImportTarget;
  readonly formats: Formats;
}

/** A column, and the target that an option, the plan or its exact heading gives it. */
export interface FoundColumn extends Omit<Column, 'target'> {
  /** Undefined if none of them names a target: the column is open. */
  readonly target: ImportTarget | undefined;
}

/** The rules of the organization and the command for columns. */
export interface ColumnRules {
  readonly organization: Organization;
  readonly plan: Plan;
  readonly keepIds?: boolean;
  /** Whether a row needs only the values that identify its lead. */
  readonly update?: boolean;
}

/** The target of a column without a heading, where no row may have a value. */
export const nameless: ImportTarget = { name: '' };

/** The names of columns: headings without surrounding blanks, and repeated headings with a number. */
export function columnNames(headings: readonly string[]): string[] {
  const taken = new Set<string>();
  return headings.map((heading) => {
    const plain = heading.trim();
    let name = plain;
    for (let number = 2; plain !== '' && taken.has(name); number += 1)
      name = `${plain} (${number})`;
    taken.add(name);
    return name;
  });
}

/** Decides what each column of a file is read as: by an option, then by the plan, then by its heading. */
export class ColumnReading {
  /** The columns that are ignored because nothing maps them. */
  readonly ignored = new Set<string>();
  readonly rules: ColumnRules;
  /** Targets by column name, as the file spells it. */
  readonly #named = new Map<string, string | null>();
  readonly #planned: ReadonlyMap<string, Formats>;
  readonly #formats: Formats;

  /**
   * @param names the column names; undefined for JSON lines, whose properties differ from line to line
   * @throws CommandError if an option or the plan does not fit the organization or the file
   */
  constructor(rules: ColumnRules, file: string, names?: readonly string[]) {
    this.rules = rules;
    const { plan } = rules;
    const { columns, optionColumns, optionValues } = plan;
    const inFile = (option: string, column: string): readonly string[] =>
      names ? columnsNamed(option, column, names, file) : [column];
    const lost: string[] = [];
    const planned = new Map<string, Formats>();
    for (const [heading, { to, dates, values }] of columns) {
      const [name] = withName(
        (names ?? [heading]).map((one) => ({ name: one })),
        heading,
      );
      if (!name) lost.push(heading);
      if (!name) continue;
      this.#named.set(name.name, to);
      planned.set(name.name, { dates, values: replacing(values) });
      if (to !== null)
        this.#assertTarget(`The plan’s column ${JSON.stringify(heading)}`, to, heading);
    }
    if (lost.length > 0)
      throw new CommandError(
        `${file} does not fit the plan ${plan.file}: it has no column ${quoted(lost)}. Its columns are ${quoted(names ?? [])}.`,
      );
    for (const [column, to] of optionColumns) {
      const option =
        to === null
          ? `--ignore ${JSON.stringify(column)}`
          : `--map ${JSON.stringify(`${column}=${to}`)}`;
      if (to !== null) this.#assertTarget(option, to, column);
      for (const name of inFile(option, column)) this.#named.set(name, to);
    }
    for (const text of optionValues) {
      const { column, from, to } = replacementIn(text, names);
      for (const name of inFile(`--value ${JSON.stringify(text)}`, column))
        planned.set(name, {
          ...planned.get(name),
          values: new Map([...(planned.get(name)?.values ?? []), [comparableName(from), to]]),
        });
    }
    this.#planned = planned;
    this.#formats = { ...plan, values: replacing(plan.values) };
  }

  /** @param hasFieldsObject as for `targetNamed` @returns the column; its target is undefined if it is open */
  columnNamed(name: string, hasFieldsObject = false): FoundColumn {
    return { name, target: this.#targetOf(name, hasFieldsObject), formats: this.#formatsOf(name) };
  }

  #targetOf(name: string, hasFieldsObject: boolean): ImportTarget | undefined {
    const { organization, plan } = this.rules;
    const named = this.#named.get(name);
    if (named === null) return nowhere;
    // A plan must name all columns that it reads, so that an additional column is noticed.
    const isReport = targetNamed(organization, name) === nowhere;
    const target =
      named !== undefined || plan.file === undefined || isReport
        ? targetNamed(organization, named ?? name, hasFieldsObject)
        : undefined;
    if (target || name === '') return target ?? nameless;
    if (!plan.ignoresOthers) return undefined;
    this.ignored.add(name);
    return nowhere;
  }

  /** A column's own dates and values take precedence over the plan's. Only an option overrides them. */
  #formatsOf(name: string): Formats {
    const { dates, values } = this.#planned.get(name) ?? {};
    if (dates === undefined && !values?.size) return this.#formats;
    return {
      ...this.#formats,
      dates: dates ?? this.#formats.dates,
      values: new Map([...(this.#formats.values ?? []), ...(values ?? [])]),
    };
  }

  /** Whether an option or the plan names a column. */
  isNamed(name: string): boolean {
    return this.#named.has(name);
  }

  /**
   * Reports what is wrong with columns as a whole: two share a target, or nothing shows that lead IDs come from this service.
   * @param subject the sentences' subject: the file or the line
   */
  *issuesOf(columns: readonly Column[], subject: string): Generator<string> {
    const known = columns.filter(({ target }) => target.name !== '');
    for (const same of Map.groupBy(
      known,
      ({ target }) => target.field ?? target.property,
    ).values()) {
      const { target } = same[0] ?? {};
      if (
        target &&
        same.length > 1 &&
        !(joins(target) && same.every(({ name }) => this.isNamed(name)))
      )
        yield `${subject} has more than one column for ${target.name}: ignore one with --ignore 'COLUMN'${joins(target) ? `, or join them with --map 'COLUMN=${target.name}' for each` : ''}.`;
    }
    const isMarked = known.some(({ target }) => target.property === 'mark');
    const id = known.find(({ target }) => target.property === 'leadId')?.name;
    if (id !== undefined && !isMarked && !this.isNamed(id))
      yield `${subject} has ${JSON.stringify(id)}, but not ${JSON.stringify(exportedProperties.mark)}, which lead export also writes: these are the IDs of another system. ` +
        `Ignore them with --ignore '${id}', or map them to a field with --map '${id}=FIELD'.`;
  }

  /** The required fields for which there is no column. */
  missing(columns: readonly { readonly target: ImportTarget | undefined }[]): readonly string[] {
    const names = columns.map(({ target }) => target?.name);
    if (this.rules.update && names.includes('email')) return [];
    return (this.rules.update ? ['phone'] : ['name', 'phone']).filter(
      (key) => !names.includes(key),
    );
  }

  #assertTarget(subject: string, to: string, column: string): void {
    const { organization, keepIds = false } = this.rules;
    if (!targetNamed(organization, to))
      throw new CommandError(
        `${subject}: ${JSON.stringify(to)} ${unknownColumn(organization, to)}`,
      );
    if (to === exportedProperties.leadId && !keepIds)
      throw new CommandError(
        `${subject} needs --keep-ids: without it, each lead gets a new ID. Add --keep-ids, or use --ignore ${JSON.stringify(column)}.`,
      );
  }
}

/** Whether several columns may share this target: texts are joined with a blank, notes with line breaks, lists by their values. */
export const joins = ({ field, property }: ImportTarget): boolean =>
  property === 'note' || ['text', 'textarea', 'multiselect'].includes(field?.type ?? '');

/** The columns that an option names. @throws CommandError if the file has no such column */
function columnsNamed(
  option: string,
  column: string,
  names: readonly string[],
  file: string,
): readonly string[] {
  const found = withName(
    names.map((name) => ({ name })),
    column,
  );
  if (found.length > 0) return found.map(({ name }) => name);
  const near = nearestName(column, names);
  const hint = near ? `did you mean ${JSON.stringify(near)}?` : `its columns are ${quoted(names)}.`;
  throw new CommandError(`${option}: ${file} has no column ${JSON.stringify(column)}; ${hint}`);
}

export const quoted = (names: readonly string[]): string =>
  names.map((name) => JSON.stringify(name)).join(', ');

/** A heading may contain a colon, so the longest matching heading of the file counts. The value is split at the last `=`, as in `--map`. */
function replacementIn(
  text: string,
  names: readonly string[] | undefined,
): { column: string; from: string; to: string } {
  const colons = [...text.matchAll(/:/g)].map(({ index }) => index);
  const compared = names?.map(comparableName);
  const at =
    colons.findLast((index) => compared?.includes(comparableName(text.slice(0, index)))) ??
    colons[0] ??
    0;
  const value = text.slice(at + 1);
  const equals = value.lastIndexOf('=');
  const column = text.slice(0, at).trim();
  return { column, from: value.slice(0, equals).trim(), to: value.slice(equals + 1).trim() };
}
