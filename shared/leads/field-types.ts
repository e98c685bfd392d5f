import { foldText } from '../base/text.ts';
import type { FieldType } from '../organization/field-kinds.ts';
import { comparableEmail } from './identity.ts';
import type { FieldValue } from './lead.ts';
import { partFinder } from './text-search.ts';

/** The operands of an operator (contract, section 4.1). */
export type Takes = 'nothing' | 'value' | 'two values' | 'values';

/** Whether a value matches. A lead holds no empty values, so every value that is tested is not empty. */
export type Test = (value: FieldValue) => boolean;

export interface Operator {
  readonly takes: Takes;
  /** Makes a filter's test once; it then runs for each lead. @param operands in the form that values are stored in */
  readonly testFor: (...operands: FieldValue[]) => Test;
}

const comparing = (holds: (value: FieldValue, operand: FieldValue) => boolean): Operator => ({
  takes: 'value',
  testFor: (operand) => (value) => holds(value, operand),
});
const isEqual = comparing((value, operand) => value === operand);
const isGreater = comparing((value, operand) => value > operand);
const isLess = comparing((value, operand) => value < operand);
const between: Operator = {
  takes: 'two values',
  testFor: (from, to) => (value) => value >= from && value <= to,
};
const anyOf: Operator = {
  takes: 'values',
  testFor: (...operands) => {
    const accepted = new Set(operands);
    return (value) =>
      typeof value === 'object' ? value.some((one) => accepted.has(one)) : accepted.has(value);
  },
};
const emptiness = {
  is_empty: { takes: 'nothing', testFor: () => () => false },
  is_not_empty: { takes: 'nothing', testFor: () => () => true },
} as const satisfies Record<string, Operator>;
const equalIn = (form: (text: string) => string): Operator => ({
  takes: 'value',
  testFor: (text) => {
    const operand = form(String(text));
    return (value) => form(String(value)) === operand;
  },
});
const ofText = {
  contains: {
    takes: 'value',
    testFor: (part) => {
      const isIn = partFinder(foldText(String(part)));
      return (value) => isIn(foldText(String(value)));
    },
  },
  equals: equalIn(foldText),
  ...emptiness,
} as const satisfies Record<string, Operator>;
/** A whole email is compared as a person's is, so that a filter finds whom a capture would match. */
const ofEmail = { ...ofText, equals: equalIn(comparableEmail) } as const;
const ofChoice = { is_any_of: anyOf, ...emptiness } as const;

/** The operators of each field type (contract, section 4.1). */
export const operators: Readonly<Record<FieldType, Readonly<Record<string, Operator>>>> = {
  text: ofText,
  textarea: ofText,
  phone: ofText,
  email: ofEmail,
  url: ofText,
  number: {
    equals: isEqual,
    gt: isGreater,
    lt: isLess,
    between,
    ...emptiness,
  },
  date: { on: isEqual, before: isLess, after: isGreater, between, ...emptiness },
  select: ofChoice,
  lead_source: ofChoice,
  user: ofChoice,
  multiselect: { has_any_of: anyOf, ...emptiness },
  // A checkbox without a value counts as not ticked, so each lead matches one of the two.
  checkbox: {
    is_true: { takes: 'nothing', testFor: () => (value) => value === true },
    is_false: { takes: 'nothing', testFor: () => (value) => value === false },
  },
};

/** The operators that match a lead without a value. */
export const matchingEmpty = new Set(['is_empty', 'is_false']);
