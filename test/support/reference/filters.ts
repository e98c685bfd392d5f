import type { Plain } from './plain.ts';
import { comparablePhone, type Values, valueIn } from './reference.ts';

export interface Filter {
  readonly field: string;
  readonly operator: string;
  readonly value?: unknown;
  readonly values?: readonly unknown[];
}

const propertyOf: Readonly<Record<string, string>> = {
  source: 'sourceId',
  assigned_to: 'assignedTo',
  lead_type: 'leadType',
};

type Operator = (current: unknown, one: Filter) => boolean;

const folded = (text: unknown): string => String(text).normalize('NFC').toLowerCase();
const isIn = (current: unknown, values: readonly unknown[]): boolean =>
  [current].flat().some((each) => values.includes(each));
const equals: Operator = (current, { value }) => folded(current) === folded(value);
const isBetween: Operator = (current, { values = [] }) => {
  const [from, to] = values as number[];
  return (from as number) <= (current as number) && (current as number) <= (to as number);
};

/** Of a value that is not empty. */
const operators: Readonly<Record<string, Operator>> = {
  is_empty: () => false,
  is_not_empty: () => true,
  contains: (current, { value }) => folded(current).includes(folded(value)),
  equals,
  on: equals,
  gt: (current, { value }) => (current as number) > (value as number),
  lt: (current, { value }) => (current as number) < (value as number),
  after: (current, { value }) => String(current) > String(value),
  before: (current, { value }) => String(current) < String(value),
  between: isBetween,
  is_any_of: (current, { values = [] }) => isIn(current, values),
  has_any_of: (current, { values = [] }) => isIn(current, values),
  is_true: (current) => current === true,
  is_false: (current) => current === false,
};
const matchEmpty = ['is_empty', 'is_false'];

/** Phones are compared as they are stored, parts of them by their digits. */
function asStored({ field, operator, value, ...others }: Filter): Filter {
  if (!/phone$/.test(field) || value === undefined) return { field, operator, value, ...others };
  const digits = String(value).replace(/[^\d+]/g, '');
  return { field, operator, value: operator === 'contains' ? digits : comparablePhone(digits) };
}

/** Whether a lead, as shown, matches a filter (contract, section 4.1). */
export function holds(sent: Filter, lead: Plain): boolean {
  const one = asStored(sent);
  const { field, operator } = one;
  const name = propertyOf[field] ?? field;
  const found = name in lead ? lead[name] : valueIn(lead.fields as Values, field);
  if (found === null || found === undefined) return matchEmpty.includes(operator);
  const compare = operators[operator];
  if (!compare) throw new Error(`The checker knows no operator ${operator}.`);
  return compare(found, one);
}
