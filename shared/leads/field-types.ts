import { asciiDigits, foldText } from '../base/text.ts';
import type { FieldReason } from '../contract/types.ts';
import type { FieldType } from '../organization/field-kinds.ts';
import {
  type Parse,
  parseCheckbox,
  parseDate,
  parseEmail,
  parseList,
  parseNumber,
  parseOption,
  parsePhone,
  parseSource,
  parseText,
  parseTextArea,
  parseUrl,
  parseUser,
  type RawValue,
} from './field-values.ts';
import { comparableEmail, possiblePhone } from './identity.ts';
import type { FieldValue } from './lead.ts';
import { partFinder } from './text-search.ts';

/** The operands of an operator (contract, section 4.1). */
export type Takes = 'nothing' | 'value' | 'two values' | 'values';

/** Whether a value matches. A lead holds no empty values, so a test never receives one. */
type Test = (value: FieldValue) => boolean;

export interface Operator {
  readonly takes: Takes;
  /** Makes a filter's test, once; the test then runs for each lead. @param operands in the form in which values are stored */
  readonly testFor: (...operands: FieldValue[]) => Test;
}

const comparing = (holds: (value: FieldValue, operand: FieldValue) => boolean): Operator => ({
  takes: 'value',
  testFor: (operand) => (value) => holds(value, operand),
});
const isEqual = /* @__PURE__ */ comparing((value, operand) => value === operand);
const isGreater = /* @__PURE__ */ comparing((value, operand) => value > operand);
const isLess = /* @__PURE__ */ comparing((value, operand) => value < operand);
const between: Operator = {
  takes: 'two values',
  testFor: (from, to) => (value) => value >= from && value <= to,
};
const anyOf: Operator = {
  takes: 'values',
  testFor: (...operands) => {
    const accepted = new Set(operands);
    return (value) =>
      typeof value === 'object'
        ? value.some((option) => accepted.has(option))
        : accepted.has(value);
  },
};
const is_empty: Operator = { takes: 'nothing', testFor: () => () => false };
const is_not_empty: Operator = { takes: 'nothing', testFor: () => () => true };
const equalIn = (form: (text: string) => string): Operator => ({
  takes: 'value',
  testFor: (text) => {
    const operand = form(String(text));
    return (value) => form(String(value)) === operand;
  },
});
const contains: Operator = {
  takes: 'value',
  testFor: (part) => {
    const isIn = partFinder(foldText(String(part)));
    return (value) => isIn(foldText(String(value)));
  },
};
const isSameText = /* @__PURE__ */ equalIn(foldText);
const ofText = { contains, equals: isSameText, is_empty, is_not_empty };
/** Compares whole emails as a capture does, so that a filter finds the leads that a capture would match. */
const isSameEmail = /* @__PURE__ */ equalIn(comparableEmail);
const ofEmail = { contains, equals: isSameEmail, is_empty, is_not_empty };
/** A filter by a part of a phone searches for its digits alone, because phones are stored in E.164. */
const digitsOf = (part: string): string => asciiDigits(part).replace(/[\s().-]/g, '') || part;
const ofPhone: Readonly<Record<string, Operator>> = {
  contains: { takes: 'value', testFor: (part) => contains.testFor(digitsOf(String(part))) },
  equals: {
    takes: 'value',
    testFor: (text) => isSameText.testFor(possiblePhone(String(text)) ?? digitsOf(String(text))),
  },
  is_empty,
  is_not_empty,
};
const ofChoice = { is_any_of: anyOf, is_empty, is_not_empty };

/*
 * What the rules know of each field type; `field-kinds.ts` has what the settings know of it. There are three tables, because a function
 * without filters must not load the operators, and no function loads the descriptions.
 */

/** By field type (contract, section 2). */
export const parsers: Readonly<Record<FieldType, Parse>> = {
  text: parseText,
  textarea: parseTextArea,
  number: parseNumber,
  date: parseDate,
  phone: parsePhone,
  email: parseEmail,
  url: parseUrl,
  select: parseOption,
  multiselect: parseList,
  checkbox: parseCheckbox,
  lead_source: parseSource,
  user: parseUser,
};

/** The operators of each field type (contract, section 4.1). */
export const operators: Readonly<Record<FieldType, Readonly<Record<string, Operator>>>> = {
  text: ofText,
  textarea: ofText,
  phone: ofPhone,
  email: ofEmail,
  url: ofText,
  number: { equals: isEqual, gt: isGreater, lt: isLess, between, is_empty, is_not_empty },
  date: { on: isEqual, before: isLess, after: isGreater, between, is_empty, is_not_empty },
  select: ofChoice,
  lead_source: ofChoice,
  user: ofChoice,
  multiselect: { has_any_of: anyOf, is_empty, is_not_empty },
  // A checkbox without a value counts as not ticked, so each lead matches one of the two.
  checkbox: {
    is_true: { takes: 'nothing', testFor: () => (value) => value === true },
    is_false: { takes: 'nothing', testFor: () => (value) => value === false },
  },
};

/** The operators that match a lead without a value. */
export const matchingEmpty = /* @__PURE__ */ new Set(['is_empty', 'is_false']);

/** What a request may send for a field of each type. A test reads every example by the rules of the service. */
interface FieldValueRow {
  readonly reads: string;
  readonly accepted: readonly RawValue[];
  readonly refused: readonly (readonly [value: RawValue, reason: FieldReason])[];
}

export const fieldValueRows: Readonly<Record<FieldType, FieldValueRow>> = {
  text: {
    reads: 'a string, without the blanks around it',
    accepted: ['Pune'],
    refused: [[5, 'wrong_type']],
  },
  textarea: { reads: 'a string, as it is', accepted: ['two\nlines'], refused: [[5, 'wrong_type']] },
  number: {
    reads: 'a number, or its text with commas between thousands',
    accepted: [4, '4', '1,200', '12.5'],
    refused: [
      ['2,5', 'invalid_number'],
      ['four', 'invalid_number'],
    ],
  },
  date: {
    reads: 'a date that exists, as YYYY-MM-DD',
    accepted: ['2027-08-01'],
    refused: [
      ['01/08/2027', 'invalid_date'],
      ['2027-02-30', 'invalid_date'],
    ],
  },
  phone: {
    reads:
      'a phone number with its country code; one without must be an Indian number. Labels, and decimals of a spreadsheet, are dropped',
    accepted: ['+49 30 901820', '098220 12345', 'tel:+919822012345', '9822012345.0'],
    refused: [
      ['98220 1234', 'invalid_phone'],
      ['98220 12345 / 46', 'invalid_phone'],
    ],
  },
  email: {
    reads: 'a string, without the blanks around it',
    accepted: ['asha@example.com'],
    refused: [['asha at example.com', 'invalid_email']],
  },
  url: {
    reads: 'a string, without the blanks around it',
    accepted: ['https://example.com/asha'],
    refused: [['example.com', 'invalid_url']],
  },
  select: {
    reads: "an option's value or label, in upper or lower case",
    accepted: ['mba', 'MBA'],
    refused: [['law', 'unknown_option']],
  },
  multiselect: {
    reads: 'a list of values or labels of options, or one text with commas between them',
    accepted: [['ca', 'Germany'], 'ca,de'],
    refused: [[['ca', 'es'], 'unknown_option']],
  },
  checkbox: {
    reads: 'true or false, or a text as forms send it',
    accepted: [true, 'yes', 'on', '1', 'checked', false, 'no', 'off', '0'],
    refused: [['perhaps', 'invalid_checkbox']],
  },
  lead_source: {
    reads: 'the ID of an active source',
    accepted: [3, '3'],
    refused: [['Website', 'source_not_found']],
  },
  user: {
    reads: 'the ID of an active user',
    accepted: [1, '1'],
    refused: [['Asha Rao', 'user_not_found']],
  },
};
