import { limits } from '../limits.ts';
import type { FieldType } from '../organization/field-kinds.ts';
import { nearestName } from '../organization/nearest-name.ts';
import type { Field, Organization } from '../organization/organization.ts';
import { FieldIssue, parsers, withAllOptions } from './field-types.ts';
import { activeFields } from './fields.ts';
import { ComparedValue, matchingEmpty, type Operator, operators, type Takes, type Test } from './filter-operators.ts';
import { asciiDigits, parsePhone } from './identity.ts';
import { type FieldValue, type FieldValues, valueOf } from './lead.ts';

export type LeadFilter = (fields: FieldValues) => boolean;

/** A filter that cannot apply: its 0-based position and why. */
export interface FilterIssue {
  readonly position: number;
  readonly sentence: string;
}

/** Reads field filters; all must match. Problems of every filter that cannot apply, those beyond the tenth among them. */
export function readFilters(organization: Organization, raw: readonly unknown[]): { filter: LeadFilter; issues: FilterIssue[] } {
  const tooMany = new FieldIssue(`is one too many: at most ${limits.filtersMax} filters are taken.`);
  const read = raw.map((one, position) => (position < limits.filtersMax ? readFilter(organization, one) : tooMany));
  const issues = read.flatMap((one, position) => (one instanceof FieldIssue ? [{ position, sentence: one.sentence }] : []));
  const filters = read.filter((one): one is FieldFilter => !(one instanceof FieldIssue));
  return { filter: (fields) => matchesAll(fields, filters), issues };
}

/** A filter that can apply to a field. */
interface FieldFilter {
  readonly fieldKey: string;
  /** Whether a lead without a value matches. */
  readonly matchesEmpty: boolean;
  readonly test: Test;
}

function matchesAll(fields: FieldValues, filters: readonly FieldFilter[]): boolean {
  const compared = new Map<string, ComparedValue>();
  return filters.every(({ fieldKey, matchesEmpty, test }) => {
    const value = valueOf(fields, fieldKey);
    if (value === null) return matchesEmpty;
    const known = compared.get(fieldKey) ?? new ComparedValue(value);
    compared.set(fieldKey, known);
    return test(known);
  });
}

const properties = ['field', 'operator', 'value', 'values'];

function readFilter(organization: Organization, raw: unknown): FieldFilter | FieldIssue {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return new FieldIssue('is not an object, such as {"field":"name","operator":"contains","value":"Rao"}.');
  const unknown = Object.keys(raw).find((name) => !properties.includes(name));
  if (unknown !== undefined)
    return new FieldIssue(
      `has an unknown property ${unknown}${meant(unknown, properties)}; a filter has ${properties.join(', ')}.`,
    );
  const { field: fieldKey, operator: name } = raw as { field?: unknown; operator?: unknown };
  const field = fieldNamed(organization, fieldKey);
  if (field instanceof FieldIssue) return field;
  const operator = operatorNamed(field, name);
  if (operator instanceof FieldIssue) return operator;
  const operands = readOperands(organization, field, operator, raw);
  if (operands instanceof FieldIssue) return operands;
  return { fieldKey: field.key, matchesEmpty: matchingEmpty.has(operator.name), test: operator.testFor(operands) };
}

const whereFieldsAre = 'GET /api/v1/lead-fields lists them';

function fieldNamed(organization: Organization, fieldKey: unknown): Field | FieldIssue {
  if (fieldKey === undefined) return new FieldIssue(`has no field, which takes the key of one: ${whereFieldsAre}.`);
  if (typeof fieldKey !== 'string')
    return new FieldIssue(`has a field that is no text; it takes the key of one: ${whereFieldsAre}.`);
  const fields = activeFields(organization);
  const field = fields.find(({ key }) => key === fieldKey);
  if (field) return field;
  const near = meant(
    fieldKey,
    fields.map(({ key }) => key),
  );
  return new FieldIssue(`names no active field${near || `: ${whereFieldsAre}`}.`);
}

interface NamedOperator extends Operator {
  readonly name: string;
}

function operatorNamed({ key, type }: Field, name: unknown): NamedOperator | FieldIssue {
  const known = operators[type];
  // Any JSON may stand here: what is no text is not to be made one, as an object's own `toString` would be called.
  const text = typeof name === 'string' ? name : undefined;
  const found = text !== undefined && Object.hasOwn(known, text) ? known[text] : undefined;
  if (text !== undefined && found) return { ...found, name: text };
  const names = Object.keys(known);
  const takes = `${key} takes ${names.join(', ')}`;
  if (name === undefined) return new FieldIssue(`has no operator: ${takes}.`);
  return new FieldIssue(
    `has an operator that a field of type ${type} does not take${text === undefined ? '' : meant(text, names)}: ${takes}.`,
  );
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
): readonly FieldValue[] | FieldIssue {
  const given = Object.keys(raw).filter((one) => one === 'value' || one === 'values');
  const wanted = takes === 'nothing' ? [] : takes === 'value' ? ['value'] : ['values'];
  const { value, values } = raw as { value?: unknown; values?: unknown };
  const list = takes === 'nothing' ? [] : takes === 'value' ? [value] : values;
  const isCount = Array.isArray(list) && (takes === 'two values' ? list.length === 2 : takes !== 'values' || list.length > 0);
  if (given.join() !== wanted.join() || !isCount)
    return new FieldIssue(`has the operator ${name}, which takes ${takesInWords[takes]}.`);
  const operands: FieldValue[] = [];
  for (const one of list) {
    const operand = readOperand(organization, field, one, isPart === true);
    if (operand instanceof FieldIssue) return operand; // the first says it: a message is made of all options
    operands.push(operand);
  }
  return operands;
}

function readOperand(organization: Organization, field: Field, raw: unknown, isPart: boolean): FieldValue | FieldIssue {
  if (typeof raw !== 'string' && typeof raw !== 'number')
    return new FieldIssue('has a value that is neither a text nor a number.');
  if (raw === '') return new FieldIssue('has an empty value: the operator is_empty finds the leads that have none.');
  if (typeof raw === 'string' && (raw.includes('\0') || !raw.isWellFormed()))
    return new FieldIssue('has a value with a character that is no text (U+0000, or half of a surrogate pair).');
  return operandReaders[field.type](raw, { organization, field, isPart });
}

interface OperandContext {
  readonly organization: Organization;
  readonly field: Field;
  readonly isPart: boolean;
}
type ReadOperand = (raw: string | number, context: OperandContext) => FieldValue | FieldIssue;

const ofText =
  (read: (text: string, context: OperandContext) => FieldValue): ReadOperand =>
  (raw, context) =>
    typeof raw === 'string' ? read(raw, context) : new FieldIssue(`has a number as value, but ${context.field.key} is a text.`);

const plainText = ofText((text) => text);

/** A phone is looked for as it is stored: whole numbers in E.164, parts without the marks people type between digits. */
const phone = ofText((text, { isPart }) => {
  const digits = asciiDigits(text).replace(/[\s().-]/g, '') || text;
  return isPart ? digits : (parsePhone(text) ?? digits);
});

/** Read as a value of the type is. Leads still hold retired options, so filters can find them. */
const storedAs =
  (type: FieldType): ReadOperand =>
  (raw, { organization, field }) => {
    const value = parsers[type](raw, withAllOptions(field), organization);
    return value instanceof FieldIssue ? new FieldIssue(`has a value that does not fit: ${field.key} ${value.sentence}`) : value;
  };

/** An ID that the organization has. Leads still hold inactive sources and users, so filters can find them. */
const idIn =
  (byId: 'sourceById' | 'userById', noun: string, path: string): ReadOperand =>
  (raw, { organization }) => {
    const id = typeof raw === 'string' && /^\d{1,10}$/.test(raw) ? Number(raw) : raw;
    return typeof id === 'number' && organization[byId].has(id)
      ? id
      : new FieldIssue(`has a value that is no id of a ${noun}: GET ${path} lists them.`);
  };

const operandReaders: Readonly<Record<FieldType, ReadOperand>> = {
  text: plainText,
  textarea: plainText,
  number: storedAs('number'),
  date: storedAs('date'),
  phone,
  email: plainText,
  url: plainText,
  select: storedAs('select'),
  multiselect: storedAs('select'), // each operand is one option, not a list in one text
  checkbox: storedAs('checkbox'),
  lead_source: idIn('sourceById', 'source', '/api/v1/lead-sources'),
  user: idIn('userById', 'person', '/api/v1/users'),
};
