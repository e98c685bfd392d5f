import { limits } from '../limits.ts';
import { nearestName } from '../organization/nearest-name.ts';
import type { Field, FieldType, Organization } from '../organization/organization.ts';
import { Problem, parsers, type RawValue } from './field-types.ts';
import { activeFields } from './fields.ts';
import { asciiDigits, parsePhone } from './identity.ts';
import { type FieldValue, type FieldValues, valueOf } from './lead.ts';

/** What an operator takes beside the field (contract, section 4.1). */
type Takes = 'nothing' | 'value' | 'two values' | 'values';

/** A value that is there, the operands in the form values are stored in. */
type Test = (value: FieldValue, operands: readonly FieldValue[]) => boolean;

interface Operator {
  readonly takes: Takes;
  /** The operand is part of a value, not a whole one. */
  readonly isPart?: true;
  readonly test: Test;
}

const first = (operands: readonly FieldValue[]): FieldValue => operands[0] ?? '';
const folded = (value: FieldValue): string => String(value).normalize('NFC').toLowerCase();
const isBetween: Test = (value, [from, to]) => from !== undefined && to !== undefined && value >= from && value <= to;
const anyOf: Operator = { takes: 'values', test: (value, operands) => operands.includes(value) };

/** Absent, empty and cleared values are alike: a lead holds none of them. */
const emptiness = {
  is_empty: { takes: 'nothing', test: () => false },
  is_not_empty: { takes: 'nothing', test: () => true },
} as const;
const ofText = {
  contains: { takes: 'value', isPart: true, test: (value, operands) => folded(value).includes(folded(first(operands))) },
  equals: { takes: 'value', test: (value, operands) => folded(value) === folded(first(operands)) },
  ...emptiness,
} as const satisfies Record<string, Operator>;
const ofChoice = { is_any_of: anyOf, ...emptiness } as const;

/** Which operators a field type takes: the contract's table, a row per type. */
export const operators: Readonly<Record<FieldType, Readonly<Record<string, Operator>>>> = {
  text: ofText,
  textarea: ofText,
  phone: ofText,
  email: ofText,
  url: ofText,
  number: {
    equals: { takes: 'value', test: (value, operands) => value === first(operands) },
    gt: { takes: 'value', test: (value, operands) => value > first(operands) },
    lt: { takes: 'value', test: (value, operands) => value < first(operands) },
    between: { takes: 'two values', test: isBetween },
    ...emptiness,
  },
  date: {
    on: { takes: 'value', test: (value, operands) => value === first(operands) },
    before: { takes: 'value', test: (value, operands) => value < first(operands) },
    after: { takes: 'value', test: (value, operands) => value > first(operands) },
    between: { takes: 'two values', test: isBetween },
    ...emptiness,
  },
  select: ofChoice,
  lead_source: ofChoice,
  user: ofChoice,
  multiselect: {
    has_any_of: {
      takes: 'values',
      test: (value, operands) => typeof value === 'object' && value.some((one) => operands.includes(one)),
    },
    ...emptiness,
  },
  // A box that was never ticked is not ticked: each lead is one of the two.
  checkbox: {
    is_true: { takes: 'nothing', test: (value) => value === true },
    is_false: { takes: 'nothing', test: (value) => value === false },
  },
};

/** What matches although the field is empty. */
const matchesEmpty = new Set(['is_empty', 'is_false']);

export type LeadFilter = (fields: FieldValues) => boolean;

/** A filter that cannot apply: its 0-based position and why. */
export interface FilterProblem {
  readonly position: number;
  readonly sentence: string;
}

/** Reads field filters; all must match. Problems of every filter that cannot apply, those beyond the tenth among them. */
export function readFilters(
  organization: Organization,
  raw: readonly unknown[],
): { filter: LeadFilter; problems: FilterProblem[] } {
  const tooMany = new Problem(`is one too many: at most ${limits.filtersMax} filters are taken.`);
  const read = raw.map((one, position) => (position < limits.filtersMax ? readFilter(organization, one) : tooMany));
  const problems = read.flatMap((one, position) => (one instanceof Problem ? [{ position, sentence: one.sentence }] : []));
  const filters = read.filter((one): one is LeadFilter => !(one instanceof Problem));
  return { filter: (fields) => filters.every((matches) => matches(fields)), problems };
}

const properties = ['field', 'operator', 'value', 'values'];

function readFilter(organization: Organization, raw: unknown): LeadFilter | Problem {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return new Problem('is not an object, such as {"field":"name","operator":"contains","value":"Rao"}.');
  const unknown = Object.keys(raw).find((name) => !properties.includes(name));
  if (unknown !== undefined)
    return new Problem(`has an unknown property ${unknown}${meant(unknown, properties)}; a filter has ${properties.join(', ')}.`);
  const { field: fieldKey, operator: name } = raw as { field?: unknown; operator?: unknown };
  const field = fieldNamed(organization, fieldKey);
  if (field instanceof Problem) return field;
  const operator = operatorNamed(field, name);
  if (operator instanceof Problem) return operator;
  const operands = readOperands(organization, field, operator, raw);
  if (operands instanceof Problem) return operands;
  const emptyMatches = matchesEmpty.has(operator.name);
  return (values) => {
    const value = valueOf(values, field.key);
    return value === null ? emptyMatches : operator.test(value, operands);
  };
}

const whereFieldsAre = 'GET /api/v1/lead-fields lists them';

function fieldNamed(organization: Organization, fieldKey: unknown): Field | Problem {
  if (fieldKey === undefined) return new Problem(`has no field, which takes the key of one: ${whereFieldsAre}.`);
  if (typeof fieldKey !== 'string')
    return new Problem(`has a field that is no text; it takes the key of one: ${whereFieldsAre}.`);
  const fields = activeFields(organization);
  const field = fields.find(({ key }) => key === fieldKey);
  if (field) return field;
  const near = meant(
    fieldKey,
    fields.map(({ key }) => key),
  );
  return new Problem(`names no active field${near || `: ${whereFieldsAre}`}.`);
}

interface NamedOperator extends Operator {
  readonly name: string;
}

function operatorNamed({ key, type }: Field, name: unknown): NamedOperator | Problem {
  const known = operators[type];
  const found = typeof name === 'string' && Object.hasOwn(known, name) ? known[name] : undefined;
  if (found) return { ...found, name: String(name) };
  const names = Object.keys(known);
  const takes = `${key} takes ${names.join(', ')}`;
  if (name === undefined) return new Problem(`has no operator: ${takes}.`);
  return new Problem(`has an operator that a field of type ${type} does not take${meant(String(name), names)}: ${takes}.`);
}

function meant(mistyped: string, names: readonly string[]): string {
  const near = nearestName(mistyped, names);
  return near ? ` (is ${near} meant?)` : '';
}

/** What a filter gives beside field and operator where its operator takes something else. */
const takesInWords: Readonly<Record<Takes, string>> = {
  nothing: 'neither value nor values',
  value: 'value alone',
  'two values': 'values alone, a list of two',
  values: 'values alone, a list of one or more',
};

/** The operands in stored form. Whatever was given beyond what the operator takes is a mistake, not ignored. */
function readOperands(
  organization: Organization,
  field: Field,
  { name, takes, isPart }: NamedOperator,
  raw: object,
): readonly FieldValue[] | Problem {
  const given = Object.keys(raw).filter((one) => one === 'value' || one === 'values');
  const wanted = takes === 'nothing' ? [] : takes === 'value' ? ['value'] : ['values'];
  const { value, values } = raw as { value?: unknown; values?: unknown };
  const list = takes === 'nothing' ? [] : takes === 'value' ? [value] : values;
  const isCount = Array.isArray(list) && (takes === 'two values' ? list.length === 2 : takes !== 'values' || list.length > 0);
  if (given.join() !== wanted.join() || !isCount)
    return new Problem(`has the operator ${name}, which takes ${takesInWords[takes]}.`);
  const operands = list.map((one) => readOperand(organization, field, one, isPart === true));
  return operands.find((one) => one instanceof Problem) ?? (operands as FieldValue[]);
}

const textTypes: ReadonlySet<FieldType> = new Set(['text', 'textarea', 'phone', 'email', 'url']);

function readOperand(organization: Organization, field: Field, raw: unknown, isPart: boolean): FieldValue | Problem {
  if (typeof raw !== 'string' && typeof raw !== 'number') return new Problem('has a value that is neither a text nor a number.');
  if (raw === '') return new Problem('has an empty value: the operator is_empty finds the leads that have none.');
  if (typeof raw === 'string' && (raw.includes('\0') || !raw.isWellFormed()))
    return new Problem('has a value with a character that is no text (U+0000, or half of a surrogate pair).');
  if (textTypes.has(field.type))
    return typeof raw === 'string'
      ? textOperand(field, raw, isPart)
      : new Problem(`has a number as value, but ${field.key} is a text.`);
  if (field.type === 'lead_source' || field.type === 'user') return idOperand(organization, field, raw);
  const value = parseStored(organization, field, raw);
  if (value instanceof Problem) return new Problem(`has a value that does not fit: ${field.key} ${value.sentence}`);
  return value;
}

/** A phone is looked for as it is stored: whole numbers in E.164, parts without the marks people type between digits. */
function textOperand(field: Field, text: string, isPart: boolean): FieldValue {
  if (field.type !== 'phone') return text;
  const digits = asciiDigits(text).replace(/[\s().-]/g, '') || text;
  return isPart ? digits : (parsePhone(text) ?? digits);
}

/** Options being dropped still stand in leads and may be looked for. */
function parseStored(organization: Organization, field: Field, raw: Exclude<RawValue, null>): FieldValue | Problem {
  const options = field.options.map(({ value, label }) => ({ value, label }));
  const type = field.type === 'multiselect' ? 'select' : field.type; // one of them, not a list in one text
  return parsers[type](raw, { ...field, options }, organization);
}

/** An id the organization has; inactive sources and people still stand in leads. */
function idOperand(organization: Organization, field: Field, raw: string | number): FieldValue | Problem {
  const [known, noun, path] =
    field.type === 'user'
      ? ([organization.userById, 'person', 'users'] as const)
      : ([organization.sourceById, 'source', 'lead-sources'] as const);
  const id = typeof raw === 'string' && /^\d{1,10}$/.test(raw) ? Number(raw) : raw;
  return typeof id === 'number' && known.has(id)
    ? id
    : new Problem(`has a value that is no id of a ${noun}: GET /api/v1/${path} lists them.`);
}
