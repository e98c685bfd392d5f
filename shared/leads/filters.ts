import { isPlainObject, isStorableText } from '../base/json.ts';
import { limits } from '../contract/limits.ts';
import { fieldKinds } from '../organization/field-kinds.ts';
import { nearestName } from '../organization/nearest-name.ts';
import type { Field, Organization } from '../organization/organization.ts';
import { matchingEmpty, type Operator, operators, parsers, type Takes } from './field-types.ts';
import { FieldIssue, idFrom, parseOption, withAllOptions } from './field-values.ts';
import { activeFields } from './fields.ts';
import { type FieldValue, type FieldValues, valueOf } from './lead.ts';

export type LeadFilter = (fields: FieldValues) => boolean;

interface FilterIssue {
  /** 0-based, in the request. */
  readonly position: number;
  /** Follows the filter's name, such as "has no operator." */
  readonly sentence: string;
}

/** Thrown for an invalid filter. Its message becomes the sentence of a `FilterIssue`. */
class InvalidFilter extends Error {}

/** Reads field filters, all of which must match, and reports every filter that is not valid or exceeds the limit. */
export function readFilters(
  organization: Organization,
  raw: readonly unknown[],
): { filter: LeadFilter; issues: FilterIssue[] } {
  const filters: LeadFilter[] = [];
  const issues: FilterIssue[] = [];
  for (const [position, filter] of raw.entries()) {
    try {
      if (position >= limits.filtersMax)
        throw new InvalidFilter(`exceeds the limit of ${limits.filtersMax} filters.`);
      filters.push(readFilter(organization, filter));
    } catch (error) {
      if (!(error instanceof InvalidFilter)) throw error;
      issues.push({ position, sentence: error.message });
    }
  }
  return { filter: (fields) => filters.every((matches) => matches(fields)), issues };
}

const properties = ['field', 'operator', 'value', 'values'];

function readFilter(organization: Organization, raw: unknown): LeadFilter {
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
  const operands = operandsIn(raw, operator).map((operand) =>
    readOperand(operand, field, organization),
  );
  const test = operator.testFor(...operands);
  const matchesEmpty = matchingEmpty.has(operator.name);
  return (fields) => {
    const value = valueOf(fields, field.key);
    return value === null ? matchesEmpty : test(value);
  };
}

function fieldNamed(organization: Organization, fieldKey: unknown): Field {
  if (typeof fieldKey !== 'string') {
    const has = fieldKey === undefined ? 'has no field' : 'has a field that is not a string';
    throw new InvalidFilter(`${has}: name one by its key; ${fieldsAreListed}.`);
  }
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

/** What a filter must have besides field and operator. Follows the operator's name in a message. */
const operandRules: Readonly<Record<Takes, string>> = {
  nothing: 'allows neither value nor values',
  value: 'needs value, and not values',
  'two values': 'needs values, a list of two items, and not value',
  values: 'needs values, a list of at least one item, and not value',
};

/** The operands as sent. Reports operands that the operator does not take, instead of ignoring them. */
function operandsIn(
  { value, values }: Readonly<Record<string, unknown>>,
  { name, takes }: NamedOperator,
): readonly unknown[] {
  const sent = value === undefined ? values : [value];
  const isList = Array.isArray(values) && value === undefined;
  const isRight = {
    nothing: sent === undefined,
    value: value !== undefined && values === undefined,
    'two values': isList && values.length === 2,
    values: isList && values.length > 0,
  }[takes];
  if (!isRight) throw new InvalidFilter(`has the operator ${name}, which ${operandRules[takes]}.`);
  return Array.isArray(sent) ? sent : [];
}

/** Converts an operand into the form in which the field's values are stored. */
function readOperand(raw: unknown, field: Field, organization: Organization): FieldValue {
  const { key } = field;
  if (typeof raw !== 'string' && typeof raw !== 'number')
    throw new InvalidFilter(`has a value for ${key} that is neither a string nor a number.`);
  if (raw === '')
    throw new InvalidFilter(
      `has an empty value for ${key}: to find leads without a value, use the operator is_empty.`,
    );
  if (typeof raw === 'string' && !isStorableText(raw))
    throw new InvalidFilter(
      `has a value for ${key} that contains an invalid character (U+0000 or an unpaired surrogate).`,
    );
  const { references } = fieldKinds[field.type];
  if (references !== null) return readId(raw, organization, key, references);
  const holdsText = Object.hasOwn(operators[field.type], 'contains');
  return holdsText ? readText(raw, field) : readValue(raw, organization, field);
}

function readText(raw: string | number, { key }: Field): string {
  if (typeof raw === 'number')
    throw new InvalidFilter(`has a number as its value, but ${key} holds text: send a string.`);
  return raw;
}

/**
 * Reads an operand like a value of the field's type. Accepts retired options, because leads still hold them and filters must find those
 * leads.
 */
function readValue(raw: string | number, organization: Organization, field: Field): FieldValue {
  // For a list, each operand is a single option.
  const parse = fieldKinds[field.type].isList ? parseOption : parsers[field.type];
  const value = parse(raw, withAllOptions(field), organization);
  if (!(value instanceof FieldIssue)) return value;
  throw new InvalidFilter(`has an invalid value: ${field.key} ${value.sentence}`);
}

/** Reads the ID of a source or user. Accepts inactive ones, because leads still hold them and filters must find those leads. */
function readId(
  raw: string | number,
  { sourceById, userById }: Organization,
  key: string,
  list: 'sources' | 'users',
): number {
  const id = idFrom(raw);
  const known = list === 'sources' ? sourceById : userById;
  if (typeof id === 'number' && known.has(id)) return id;
  const [noun, path] = list === 'sources' ? ['source', 'lead-sources'] : ['user', 'users'];
  throw new InvalidFilter(
    `has a value for ${key} that is not a ${noun} ID; GET /api/v1/${path} lists them.`,
  );
}
