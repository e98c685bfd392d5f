import { memoize } from '../../../shared/base/maps.ts';
import { hasEmailForm } from '../../../shared/leads/field-values.ts';
import { activeFields } from '../../../shared/leads/fields.ts';
import {
  type ImportTarget,
  nowhere,
  targetNamed,
} from '../../../shared/leads/transfer/import-columns.ts';
import { nearTarget, usualTarget } from '../../../shared/leads/transfer/usual-headings.ts';
import { fieldKinds } from '../../../shared/organization/field-kinds.ts';
import { optionFinder, withName } from '../../../shared/organization/named.ts';
import type { Field, Organization } from '../../../shared/organization/organization.ts';
import { firstOf, printable } from '../../cli/format.ts';
import {
  type Formats,
  isOfNames,
  itemsOf,
  listSeparators,
  writingOf,
} from '../files/cell-formats.ts';
import { type DateFormat, dateFormats, writtenTime } from '../files/written-times.ts';
import { phoneOfCountry } from '../options.ts';
import { type Column, type FoundColumn, joins } from './columns.ts';
import type { Plan, PlanFile } from './plan.ts';

/** A column with the values of its first rows. */
export interface SampledColumn extends FoundColumn {
  /** Whether an option names the column. */
  readonly isNamed: boolean;
  /** Whether the heading names lead IDs, but the IDs come from another system. */
  readonly isForeignId: boolean;
  /** The values, without empty ones. */
  readonly values: readonly string[];
}

/** A proposed column. */
export interface ProposedColumn extends Column {
  /** Why a person must review the column; undefined if an option or its exact heading explains it. */
  readonly why?: string | undefined;
  /** The end of that sentence: what to write instead in the plan. */
  readonly inPlan?: string;
}

/** The share of a column's values that must agree to classify it. */
const mostly = 0.8;
const shareOf = (values: readonly string[], is: (value: string) => boolean): number =>
  values.length === 0 ? 0 : values.filter(is).length / values.length;

/** The share of a column's values that must be the organization's, as its heading promises. */
const knownShare = 0.5;
interface Guess {
  readonly target: ImportTarget;
  readonly why: string;
  readonly inPlan?: string;
  readonly rank: number;
  readonly isPart?: boolean;
}

/**
 * Proposes how each column is read: an open one by its heading, or else by its values. Two columns that cannot be joined never share a
 * target.
 */
export function proposed(
  organization: Organization,
  columns: readonly SampledColumn[],
): { readonly columns: ProposedColumn[]; readonly listSeparator: Formats['listSeparator'] } {
  const guesses = new Map(columns.map((column) => [column, byHeading(organization, column)]));
  const open = openColumns(organization, columns, guesses);
  const claims = new Claims(columns.filter((column) => !open.includes(column)));
  for (const column of open) {
    const { isForeignId, values } = column;
    if (isForeignId) claims.settle(column, nowhere, 'it has the lead IDs of another system');
    else if (values.length === 0) claims.settle(column, nowhere, 'it has no values');
  }
  const filled = open.filter((column) => !claims.has(column));
  const named = filled.flatMap((column) => {
    const guess = guesses.get(column);
    return guess ? [{ column, guess }] : [];
  });
  // If two columns of a kind are beside each other, the one with more values comes first.
  const wholes = named
    .filter(({ guess }) => !guess.isPart)
    .sort((a, b) => b.column.values.length - a.column.values.length || a.guess.rank - b.guess.rank);
  // A whole name takes precedence over its parts, which keep the file's order.
  for (const { column, guess } of [...wholes, ...named.filter(({ guess }) => guess.isPart)])
    claims.claim(column, guess);
  for (const column of filled) {
    if (claims.has(column)) continue;
    const guess = byItsValues(organization, column, (target) => claims.isFree(target));
    if (guess) claims.claim(column, guess);
    else claims.settle(column, nowhere, 'no field is called so. Name one, or note, to keep it');
  }
  const separators = filled.map((column) => separatorOf(claims.of(column)?.target, column.values));
  return {
    columns: columns.map(
      (column) => claims.of(column) ?? openColumn(column, column.target ?? nowhere),
    ),
    listSeparator: separators.find((one) => one !== undefined),
  };
}

/** The columns to propose. If any heading is inexact, this includes all columns that would not work as they are. */
function openColumns(
  organization: Organization,
  columns: readonly SampledColumn[],
  guesses: ReadonlyMap<SampledColumn, Guess | undefined>,
): readonly SampledColumn[] {
  const hasOpen = columns.some(({ target }) => !target);
  /** Whether a column with a common heading has more values than the one with the exact heading. */
  const isOutdone = ({ target, isNamed, values }: SampledColumn): boolean =>
    !isNamed &&
    columns.some((other) => {
      const guess = other.target ? undefined : guesses.get(other);
      const isSame = guess?.isPart === false && guess.target.name === target?.name;
      return isSame && !joins(guess.target) && other.values.length > values.length;
    });
  return columns.filter(
    (column) => !column.target || (hasOpen && (isOutdone(column) || misfits(organization, column))),
  );
}

/** Whether an exact heading comes from another product, because most values do not belong to the organization. */
const misfits = (organization: Organization, { target, isNamed, values }: SampledColumn): boolean =>
  target !== undefined &&
  !isNamed &&
  values.length > 0 &&
  isOfNames(writingOf(target)) &&
  shareOf(values, (value) => isNamedBy(organization, target, value)) < knownShare;

/** Assigns columns to targets. */
class Claims {
  readonly #columns = new Map<SampledColumn, ProposedColumn>();
  /** The column of each target, by its name. */
  readonly #taken = new Map<string, string>();
  readonly #parts = new Set<string>();

  constructor(columns: readonly SampledColumn[]) {
    for (const { target, name } of columns) if (target?.name) this.#taken.set(target.name, name);
  }

  has = (column: SampledColumn): boolean => this.#columns.has(column);
  of = (column: SampledColumn): ProposedColumn | undefined => this.#columns.get(column);
  isFree = ({ name }: ImportTarget): boolean => !this.#taken.has(name);

  settle(column: SampledColumn, target: ImportTarget, why: string, inPlan = ''): void {
    this.#columns.set(column, { inPlan, ...openColumn(column, target, why) });
    if (target.name !== '') this.#taken.set(target.name, column.name);
  }

  claim(column: SampledColumn, { target, why, inPlan, isPart = false }: Guess): void {
    const other = this.#taken.get(target.name);
    const isJoined = target.property === 'note' || (isPart && this.#parts.has(other ?? ''));
    const isFree = other === undefined || isJoined;
    if (isFree && isPart) this.#parts.add(column.name);
    if (isFree) this.settle(column, target, why, inPlan);
    else this.settle(column, nowhere, `${target.name} is read from ${JSON.stringify(other)}`);
  }
}

/** The target by a column's heading, if the values fit. */
function byHeading(organization: Organization, column: SampledColumn): Guess | undefined {
  const usual = usualTarget(organization, column.name);
  const near = usual ? undefined : nearTarget(organization, column.name);
  const target = usual?.target ?? near;
  if (!target) return undefined;
  const guess = {
    target,
    why: usual ? `a usual heading for ${target.name}` : `nearly ${target.name}`,
    rank: usual?.rank ?? Number.POSITIVE_INFINITY,
    isPart: usual?.isPart ?? false,
  };
  const writing = writingOf(target);
  const distinct = [...new Set(column.values)];
  if (writing === 'time' || writing === 'date') return isOfDates(column) ? guess : undefined;
  if (!isOfNames(writing)) return guess; // IDs would also count as names
  const known = shareOf(distinct, (value) => isNamedBy(organization, target, value));
  if (known >= knownShare) return guess;
  const note = targetNamed(organization, 'note');
  const unknown = firstOf(
    distinct.map((value) => JSON.stringify(printable(value.slice(0, 40)))),
    3,
  );
  const why = `a usual heading for ${target.name}, but the organization does not have most of its values (${unknown})`;
  const inPlan = `. To read them as ${target.name}, write {"to": ${JSON.stringify(target.name)}, "values": {"FROM": "TO"}}`;
  return note && { ...guess, target: note, why, inPlan };
}

/** The target by a column's values, if its heading says nothing. */
function byItsValues(
  organization: Organization,
  column: SampledColumn,
  isFree: (target: ImportTarget) => boolean,
): Guess | undefined {
  const named = (name: string) => targetNamed(organization, name);
  const fields = activeFields(organization);
  const ofNames = fields.filter((field) => isOfNames(writingOf({ name: '', field })));
  const targets = [named('stage'), ...ofNames.map(({ key }) => named(key))];
  const distinct = [...new Set(column.values)];
  const guessOf = (target: ImportTarget | undefined, what: string): Guess | undefined =>
    target && isFree(target) ? { target, why: `its values are ${what}`, rank: 0 } : undefined;
  for (const target of targets) {
    if (!target || shareOf(distinct, (value) => isNamedBy(organization, target, value)) < mostly)
      continue;
    const guess = guessOf(target, `values of ${target.name}`);
    if (guess) return guess;
  }
  if (shareOf(distinct, hasEmailForm) >= mostly) return guessOf(named('email'), 'emails');
  const { country } = column.formats;
  const isPhone = (value: string) => phoneOfCountry(value, country).phone !== undefined;
  if (shareOf(distinct, isPhone) >= mostly) return guessOf(named('phone'), 'phones');
  if (!isOfDates(column)) return undefined;
  const others = fields.filter(({ type }) => type === 'date').map(({ key }) => named(key));
  const [only, second] = others.filter((target) => target && isFree(target));
  return guessOf(named('created at'), 'dates') ?? guessOf(second ? undefined : only, 'dates');
}

/** Whether a text is a name that this target can have. Numbers are not names, because they would be read as IDs. */
function isNamedBy(organization: Organization, target: ImportTarget, value: string): boolean {
  if (/^\s*\d+\s*$/.test(value)) return false;
  const { field, property } = target;
  if (property === 'stage') return withName(organization.stages, value).length > 0;
  if (property === 'pipeline') return withName(organization.pipelines, value).length > 0;
  if (field?.type === 'user') return withName(organization.users, value).length > 0;
  if (field?.type === 'lead_source') return withName(organization.sources, value).length > 0;
  if (!field?.options.length && field?.type !== 'select') return false;
  return separatorsOf(field).some((separator) =>
    (separator ? itemsOf(value, separator) : [value]).every((item) => isOption(field, item)),
  );
}

const separatorsOf = ({ type }: Field) => (fieldKinds[type].isList ? listSeparators : [undefined]);
const isOption = (field: Field, item: string): boolean =>
  optionFinder(field.options)(item) !== undefined;

/** The separator with which a column's lists are options, if it is not a comma. */
function separatorOf(
  target: ImportTarget | undefined,
  values: readonly string[],
): Formats['listSeparator'] {
  const { field } = target ?? {};
  if (!field || !fieldKinds[field.type].isList) return undefined;
  const shares = listSeparators.map((separator) => ({
    separator,
    share: shareOf(values, (value) =>
      itemsOf(value, separator).every((item) => isOption(field, item)),
    ),
  }));
  const best = shares.toSorted((a, b) => b.share - a.share)[0]?.separator;
  return best === ',' ? undefined : best;
}

/** The date formats with which most values of a column can be read; `undefined` if none is needed. */
const datesOf = memoize(({ values }: SampledColumn): (DateFormat | undefined)[] =>
  [undefined, ...dateFormats.filter((format) => format !== 'yyyy-mm-dd')].filter(
    (format) => shareOf(values, (value) => writtenTime(value, format) !== undefined) >= mostly,
  ),
);
const isOfDates = (column: SampledColumn): boolean => datesOf(column).length > 0;

/**
 * The proposed column, with its date format if only one fits: a day after the 12th shows which number is the month.
 * @param why undefined for a column with an exact heading
 */
function openColumn(column: SampledColumn, target: ImportTarget, why?: string): ProposedColumn {
  const { name, formats, values } = column;
  const writing = writingOf(target);
  if ((writing !== 'time' && writing !== 'date') || formats.dates)
    return { name, formats, target, why };
  const fitting = datesOf(column);
  const [dates, other] = fitting;
  if (fitting.includes(undefined)) return { name, formats, target, why };
  // With dots, the day always comes first. With hyphens, either can come first.
  const isSure =
    dates !== 'dd-mm-yyyy' || values.some((value) => /^\D*(?:1[3-9]|2\d|3[01])-/.test(value));
  if (!other && isSure) return { name, formats: { ...formats, dates }, target, why };
  const forms = fitting.map((form) => JSON.stringify(form)).join(' or ');
  const inPlan = `: write {"to": ${JSON.stringify(target.name)}, "dates": ${forms}}`;
  return {
    name,
    formats,
    target,
    why: why && `${why}; day and month cannot be told apart`,
    inPlan,
  };
}

/** A column as a plan writes it. */
export function plannedColumn(
  { name, target, formats: { dates } }: Column,
  plan: Plan,
): PlanFile['columns'][string] {
  if (target.name === '') return null;
  const inPlan = Array.from(plan.columns, ([heading, { values }]) => ({ name: heading, values }));
  const values = withName(inPlan, name)[0]?.values;
  if (dates === plan.dates && !values) return target.name;
  return { to: target.name, ...(dates !== plan.dates && { dates }), ...(values && { values }) };
}
