import { isPlainObject, isStorableText } from '../json.ts';
import { limits } from '../limits.ts';
import type { FieldType } from '../organization/field-kinds.ts';
import { nearestName } from '../organization/nearest-name.ts';
import type { Field, Organization } from '../organization/organization.ts';
import { FieldIssue, parsers, withAllOptions } from './field-types.ts';
import { activeFields } from './fields.ts';
import {
  ComparedValue,
  matchingEmpty,
  type Operator,
  operators,
  type Takes,
  type Test,
} from './filter-operators.ts';
import { asciiDigits, parsePhone } from './identity.ts';
import { type FieldValue, type FieldValues, valueOf } from './lead.ts';

export type LeadFilter = (fields: FieldValues) => boolean;

/** Why a filter is not valid. */
export interface FilterIssue {
  /** 0-based, in the request. */
  readonly position: number;
  /** Follows the filter's name, such as "has no operator." */
  readonly sentence: string;
}

/** Thrown while a filter is read. Its message is the sentence of a `FilterIssue`. */
class InvalidFilter extends Error {}

/** Reads field filters, all of which must match, and reports every filter that is not valid or exceeds the limit. */
export function readFilters(
  organization: Organization,
  raw: readonly unknown[],
): { filter: LeadFilter; issues: FilterIssue[] } {
  const filters: FieldFilter[] = [];
  const issues: FilterIssue[] = [];
  for (const [position, one] of raw.entries()) {
    try {
      if (position >= limits.filtersMax)
        throw new InvalidFilter(`exceeds the limit of ${limits.filtersMax} filters.`);
      filters.push(readFilter(organization, one));
    } catch (error) {
      if (!(error instanceof InvalidFilter)) throw error;
      issues.push({ position, sentence: error.message });
    }
  }
  return { filter: (fields) => matchesAll(fields, filters), issues };
}

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

function readFilter(organization: Organization, raw: unknown): FieldFilter {
  if (!isPlainObject(raw))
    throw new InvalidFilter(
      'must be an object, such as {"field":"name","operator":"contains","value":"Rao"}.',
    );
  const unknown = Object.keys(raw).find((name) => !properties.includes(name));
  if (unknown !== undefined)
    throw new InvalidFilter(
      `has an unknown property ${unknown}${didYouMean(unknown, properties)}; the properties are ${properties.join(', ')}.`,
    );
  const field = fieldNamed(organization, raw.field);
  const operator = operatorNamed(field, raw.operator);
  const operands = readOperands(organization, field, operator, raw);
  return {
    fieldKey: field.key,
    matchesEmpty: matchingEmpty.has(operator.name),
    test: operator.testFor(operands),
  };
}

function fieldNamed(organization: Organization, fieldKey: unknown): Field {
  if (fieldKey === undefined)
    throw new InvalidFilter(`has no field: name one by its key; ${fieldsAreListed}.`);
  if (typeof fieldKey !== 'string')
    throw new InvalidFilter(
      `has a field that is not a string: name one by its key; ${fieldsAreListed}.`,
    );
  const fields = activeFields(organization);
  const field = fields.find(({ key }) => key === fieldKey);
  if (field) return field;
  const hint = didYouMean(
    fieldKey,
    fields.map(({ key }) => key),
  );
  throw new InvalidFilter(`does not name an active field${hint || `; ${fieldsAreListed}`}.`);
}

const fieldsAreListed = 'GET /api/v1/lead-fields lists the fields';

interface NamedOperator extends Operator {
  readonly name: string;
}

function operatorNamed({ key, type }: Field, name: unknown): NamedOperator {
  const known = operators[type];
  // The operator can be any JSON. It is not converted to a string, because that would call an object's own `toString`.
  const text = typeof name === 'string' ? name : undefined;
  const found = text !== undefined && Object.hasOwn(known, text) ? known[text] : undefined;
  if (text !== undefined && found) return { ...found, name: text };
  const names = Object.keys(known);
  const supported = `${key} supports ${names.join(', ')}`;
  if (name === undefined) throw new InvalidFilter(`has no operator: ${supported}.`);
  const hint = text === undefined ? '' : didYouMean(text, names);
  throw new InvalidFilter(
    `has an operator that a field of type ${type} does not support${hint}: ${supported}.`,
  );
}

function didYouMean(mistyped: string, names: readonly string[]): string {
  const near = nearestName(mistyped, names);
  return near ? ` (did you mean ${near}?)` : '';
}

interface OperandForm {
  /** Completes the sentence "the operator …". */
  readonly rule: string;
  readonly properties: readonly ('value' | 'values')[];
  readonly isLength: (count: number) => boolean;
}

/** What a filter must have besides field and operator. */
const operandForms: Readonly<Record<Takes, OperandForm>> = {
  nothing: { rule: 'allows neither value nor values', properties: [], isLength: () => true },
  value: { rule: 'needs value, and not values', properties: ['value'], isLength: () => true },
  'two values': {
    rule: 'needs values, a list of two items, and not value',
    properties: ['values'],
    isLength: (count) => count === 2,
  },
  values: {
    rule: 'needs values, a list of at least one item, and not value',
    properties: ['values'],
    isLength: (count) => count > 0,
  },
};

/** Reads the operands into the form that values are stored in. An operand that the operator does not take is an issue, not ignored. */
function readOperands(
  organization: Organization,
  field: Field,
  { name, takes, isPart }: NamedOperator,
  raw: Readonly<Record<string, unknown>>,
): readonly FieldValue[] {
  const { rule, properties, isLength } = operandForms[takes];
  const sent = ['value', 'values'].filter((property) => Object.hasOwn(raw, property));
  const list: unknown = properties.includes('values')
    ? raw.values
    : properties.map((property) => raw[property]);
  if (sent.join() !== properties.join() || !Array.isArray(list) || !isLength(list.length))
    throw new InvalidFilter(`has the operator ${name}, which ${rule}.`);
  return list.map((one) => readOperand(one, { organization, field, isPart: isPart === true }));
}

function readOperand(raw: unknown, context: OperandContext): FieldValue {
  if (typeof raw !== 'string' && typeof raw !== 'number')
    throw new InvalidFilter('has a value that is neither a string nor a number.');
  if (raw === '')
    throw new InvalidFilter(
      'has an empty value: to find leads without a value, use the operator is_empty.',
    );
  if (typeof raw === 'string' && !isStorableText(raw))
    throw new InvalidFilter(
      'has a value that contains an invalid character (U+0000 or an unpaired surrogate).',
    );
  return operandReaders[context.field.type](raw, context);
}

interface OperandContext {
  readonly organization: Organization;
  readonly field: Field;
  /** The operand is part of a value, not a whole one. */
  readonly isPart: boolean;
}
type ReadOperand = (raw: string | number, context: OperandContext) => FieldValue;

const ofText =
  (read: (text: string, context: OperandContext) => FieldValue): ReadOperand =>
  (raw, context) => {
    if (typeof raw === 'string') return read(raw, context);
    const { key } = context.field;
    throw new InvalidFilter(`has a number as its value, but ${key} holds text: send a string.`);
  };

const plainText = ofText((text) => text);

/** Phones are stored in E.164. A whole number is brought into that form; of a part, only the digits are searched for. */
const phone = ofText((text, { isPart }) => {
  const digits = asciiDigits(text).replace(/[\s().-]/g, '') || text;
  return isPart ? digits : (parsePhone(text) ?? digits);
});

/** Reads an operand as a value of the type is read. Leads still hold retired options, so filters must find them. */
const storedAs =
  (type: FieldType): ReadOperand =>
  (raw, { organization, field }) => {
    const value = parsers[type](raw, withAllOptions(field), organization);
    if (!(value instanceof FieldIssue)) return value;
    throw new InvalidFilter(`has an invalid value: ${field.key} ${value.sentence}`);
  };

/** Reads the ID of a source or user. Leads still hold inactive ones, so filters must find them. */
const idIn =
  (byId: 'sourceById' | 'userById', noun: string, path: string): ReadOperand =>
  (raw, { organization }) => {
    const id = typeof raw === 'string' && /^\d{1,10}$/.test(raw) ? Number(raw) : raw;
    if (typeof id === 'number' && organization[byId].has(id)) return id;
    throw new InvalidFilter(`has a value that is not a ${noun} ID; GET ${path} lists them.`);
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
  user: idIn('userById', 'user', '/api/v1/users'),
};
