import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';
import { isSupportedCountry } from 'libphonenumber-js/max';
import * as v from 'valibot';
import { parseJson } from '../../../shared/base/json.ts';
import { keysOf } from '../../../shared/base/maps.ts';
import { comparableName } from '../../../shared/base/text.ts';
import { CommandError } from '../../cli/command.ts';
import { refusePath } from '../../cli/error-code.ts';
import { pairOption, repeatedOption, textOption } from '../../cli/options.ts';
import { decimalMarks, type Formats, listSeparators } from '../files/cell-formats.ts';
import type { ReadOptions } from '../files/read-file.ts';
import { dateFormats } from '../files/written-times.ts';
import { jsonSchemaOf } from '../json-schema.ts';
import type { CountryCode } from '../options.ts';

/** How a column is read. */
export interface ColumnPlan {
  /** A field key or label, or the heading of a property; null ignores the column. */
  readonly to: string | null;
  readonly dates?: Formats['dates'];
  readonly values?: ReplacedValues | undefined;
}

/** Replacements by value; null for an empty value. */
type ReplacedValues = Readonly<Record<string, string | null>>;

/** How a file is read, according to a plan, options, or both. */
export interface Plan extends Members {
  /** The path of the plan; undefined if the file is read by its headings and the options alone. */
  readonly file: string | undefined;
  /** The plans of columns, by column name. */
  readonly columns: ReadonlyMap<string, ColumnPlan>;
  /** Columns that options name, which override the plan's. */
  readonly optionColumns: ReadonlyMap<string, string | null>;
  /** Each `COLUMN:from=to`. */
  readonly optionValues: readonly string[];
  /** Whether columns that nothing maps are ignored. */
  readonly ignoresOthers: boolean;
  /** Replacements for all columns. */
  readonly values: ReplacedValues;
}

const values = v.pipe(
  v.record(v.string(), v.nullable(v.string('must be a text or null')), 'must be an object'),
  v.title('What is read instead of a value, by the value; null for nothing.'),
);
const target = v.pipe(
  v.string('must be a text'),
  v.title(
    'The key or label of a field, or owner, stage, pipeline, created at, updated at, archived, archived at, note.',
  ),
);
const dates = v.picklist(dateFormats, `must be one of ${dateFormats.join(', ')}`);
const column = v.union(
  [
    v.null(),
    target,
    v.strictObject({ to: target, dates: v.optional(dates), values: v.optional(values) }),
  ],
  'must be a field, null to ignore the column, or an object with "to", and "dates" or "values"',
);

/** Whether a built-in constructor accepts a text. */
const acceptedBy =
  (construct: (text: string) => unknown) =>
  (text: string): boolean => {
    try {
      construct(text);
      return true;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  };
const isEncoding = acceptedBy((label) => new TextDecoder(label));
const isTimeZone = acceptedBy((timeZone) => new Intl.DateTimeFormat('en', { timeZone }));

/** What the value of each option that is also a member of a plan must be. */
const issues = {
  country: 'must be two letters of ISO 3166, such as DE',
  timeZone: 'must be a time zone, such as Asia/Kolkata',
  encoding: 'must be an encoding, such as utf-8 or windows-1252',
} as const;
const checked = (is: (text: string) => boolean, issue: string, title: string) =>
  v.pipe(v.string(issue), v.check(is, issue), v.title(title));

/** The members that are also options. An option overrides the plan. */
const members = {
  country: v.optional(
    checked(isSupportedCountry, issues.country, 'Country of phones without a country code.'),
  ),
  dates: v.optional(v.pipe(dates, v.title('How dates are written.'))),
  decimal: v.optional(
    v.pipe(
      v.picklist(decimalMarks, `must be ${decimalMarks.join(' or ')}`),
      v.title('The decimal mark of numbers.'),
    ),
  ),
  timeZone: v.optional(
    checked(isTimeZone, issues.timeZone, 'Zone of times without one (default: UTC).'),
  ),
  listSeparator: v.optional(
    v.pipe(
      v.picklist(listSeparators, `must be one of ${listSeparators.join(' ')}`),
      v.title('What is between the values of a list (default: a comma).'),
    ),
  ),
  encoding: v.optional(
    checked(isEncoding, issues.encoding, 'Encoding of a file without a byte order mark.'),
  ),
  sheet: v.optional(v.pipe(v.string('must be a text'), v.title('Sheet of an .xlsx file.'))),
};
type Members = ReadOptions & Omit<Formats, 'values'>;
const membersOf = (from: Members): Members =>
  Object.fromEntries(keysOf(members).map((name) => [name, from[name]]));

/** The form of a plan's file. */
export const planSchema = v.strictObject(
  {
    $schema: v.optional(v.string('must be a text')),
    columns: v.pipe(
      v.record(v.string(), column, 'must be an object'),
      v.title('What each column of the file is read as, by its heading; null ignores it.'),
    ),
    others: v.optional(
      v.pipe(v.literal('ignore', 'must be "ignore"'), v.title('Leaves out all other columns.')),
    ),
    ...members,
    values: v.optional(values),
  },
  ({ received }) =>
    received === 'never' ? 'must be an object' : 'is missing, or is no member of a plan',
);
export type PlanFile = v.InferInput<typeof planSchema>;

export const planJsonSchema = (): Record<string, unknown> =>
  jsonSchemaOf(planSchema, {
    title: 'How lead import reads a file',
    description: 'What lead import --plan reads. lead import proposes one.',
  });

/** The options of a command that determine how a file is read. */
export interface PlanOptions extends Members {
  readonly plan?: string;
  readonly map?: ReadonlyMap<string, string>;
  readonly ignore?: readonly string[];
  readonly ignoreOthers?: boolean;
  /** Each `COLUMN:from=to`. */
  readonly value?: readonly string[];
}

/** The plan from the options and from the file that `--plan` names. An option overrides the file. @throws CommandError */
export async function planOf(options: PlanOptions): Promise<Plan> {
  const {
    plan: file,
    map = new Map(),
    ignore = [],
    ignoreOthers,
    value = [],
    ...formats
  } = options;
  const {
    columns = {},
    others,
    values = {},
    country,
    ...planned
  } = file === undefined ? {} : await readPlan(file);
  return {
    file,
    columns: new Map(
      Object.entries(columns).map(([heading, one]) => [
        heading,
        // An option overrides the plan, including its columns.
        one === null || typeof one === 'string'
          ? { to: one }
          : { ...one, dates: formats.dates ?? one.dates },
      ]),
    ),
    optionColumns: new Map([...map, ...ignore.map((heading) => [heading.trim(), null] as const)]),
    optionValues: value,
    ignoresOthers: ignoreOthers ?? others === 'ignore',
    values,
    ...membersOf({ ...planned, country: country as CountryCode | undefined, ...formats }),
  };
}

async function readPlan(path: string): Promise<PlanFile> {
  const text = await readFile(path, 'utf8').catch((error: unknown) =>
    refusePath(`The plan ${path} cannot be read`, error),
  );
  const read = v.safeParse(planSchema, parseJson(text.replace(/^\uFEFF/, '')));
  if (read.success) return read.output;
  const faults = read.issues.map((issue) => `  $.${v.getDotPath(issue) ?? ''} ${issue.message}`);
  throw new CommandError(
    [`${path} is not a plan. lead import --plan-schema prints its form:`, ...faults].join('\n'),
  );
}

/** The content of a plan's file with these columns. */
export const planFileOf = (plan: Plan, columns: PlanFile['columns']): PlanFile => ({
  columns,
  ...(plan.ignoresOthers && { others: 'ignore' }),
  ...membersOf(plan),
  ...(Object.keys(plan.values).length > 0 && { values: plan.values }),
});

/** A plan's replacements, in the form in which `readCell` looks them up. */
export const replacing = (
  ...values: readonly (ReplacedValues | undefined)[]
): ReadonlyMap<string, string | null> =>
  new Map(
    values.flatMap((one = {}) =>
      Object.entries(one).map(([from, to]) => [comparableName(from), to] as const),
    ),
  );

/** Splits at the last `=`: a heading may contain one, a field key cannot. */
const parsePair = pairOption(
  "It must be a heading and a field key, such as 'Full name=name'.",
  /^(.+)=\s*([^=]*[^=\s])\s*$/s,
);

/** Parses a `--map` and adds it to the earlier ones. */
export function parseMap(
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const mapped = parsePair(text, before);
  if (mapped.size > before.size) return mapped;
  throw new InvalidArgumentError('Its column is already mapped: map a column to one field only.');
}

const replacement = textOption(
  (text) => /^[^:]*\S[^:]*:.*=/s.test(text),
  "It must be a column, a colon, and a value with its replacement, such as 'Newsletter:ja=yes'.",
);

/** Parses a `--value` and adds it to the earlier ones. */
export const parseValue = (text: string, before?: readonly string[]): string[] =>
  repeatedOption(replacement(text), before);

/** The options that choose the table in a file, and its encoding. */
export const readOptions = (): Option[] => [
  new Option('--sheet <NAME>', 'sheet of an .xlsx file (default: the first one that is visible)'),
  new Option(
    '--encoding <NAME>',
    'encoding of a file without a byte order mark, such as windows-1252 (default: utf-8)',
  ).argParser(textOption(isEncoding, `It ${issues.encoding}.`)),
];
export const parseTimeZone = textOption(isTimeZone, `It ${issues.timeZone}.`);
