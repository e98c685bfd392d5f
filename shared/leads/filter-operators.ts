import type { FieldType } from '../organization/field-kinds.ts';
import type { FieldValue } from './lead.ts';
import { foldText, partFinder } from './text-search.ts';

/** What an operator takes beside the field (contract, section 4.1). */
export type Takes = 'nothing' | 'value' | 'two values' | 'values';

/** A value that is there. */
export type Test = (value: ComparedValue) => boolean;

export interface Operator {
  readonly takes: Takes;
  /** The operand is part of a value, not a whole one. */
  readonly isPart?: true;
  /** What finds the values that match. Made once for a filter, asked for each lead. @param operands in the form values are stored in */
  readonly testFor: (operands: readonly FieldValue[]) => Test;
}

/** A lead's value of a field. Several filters may ask for its folded text, which is made once. */
export class ComparedValue {
  readonly value: FieldValue;
  #folded: string | undefined;

  constructor(value: FieldValue) {
    this.value = value;
  }

  get folded(): string {
    this.#folded ??= foldText(String(this.value));
    return this.#folded;
  }
}

const first = (operands: readonly FieldValue[]): FieldValue => operands[0] ?? '';
const foldedFirst = (operands: readonly FieldValue[]): string => foldText(String(first(operands)));
const between: Operator = {
  takes: 'two values',
  testFor:
    ([from, to]) =>
    ({ value }) =>
      from !== undefined && to !== undefined && value >= from && value <= to,
};
/** An operator that compares the value with one operand. */
const comparing = (holds: (value: FieldValue, operand: FieldValue) => boolean): Operator => ({
  takes: 'value',
  testFor: (operands) => {
    const operand = first(operands);
    return ({ value }) => holds(value, operand);
  },
});
const anyOf: Operator = {
  takes: 'values',
  testFor: (operands) => {
    const wanted = new Set(operands);
    return ({ value }) => (typeof value === 'object' ? value.some((one) => wanted.has(one)) : wanted.has(value));
  },
};
const always =
  (answer: boolean): Operator['testFor'] =>
  () =>
  () =>
    answer;

/** Absent, empty and cleared values are alike: a lead holds none of them. */
const emptiness = {
  is_empty: { takes: 'nothing', testFor: always(false) },
  is_not_empty: { takes: 'nothing', testFor: always(true) },
} as const;
const ofText = {
  contains: {
    takes: 'value',
    isPart: true,
    testFor: (operands) => {
      const isIn = partFinder(foldedFirst(operands));
      return ({ folded }) => isIn(folded);
    },
  },
  equals: {
    takes: 'value',
    testFor: (operands) => {
      const operand = foldedFirst(operands);
      return ({ folded }) => folded === operand;
    },
  },
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
    equals: comparing((value, operand) => value === operand),
    gt: comparing((value, operand) => value > operand),
    lt: comparing((value, operand) => value < operand),
    between,
    ...emptiness,
  },
  date: {
    on: comparing((value, operand) => value === operand),
    before: comparing((value, operand) => value < operand),
    after: comparing((value, operand) => value > operand),
    between,
    ...emptiness,
  },
  select: ofChoice,
  lead_source: ofChoice,
  user: ofChoice,
  multiselect: { has_any_of: anyOf, ...emptiness },
  // A box that was never ticked is not ticked: each lead is one of the two.
  checkbox: {
    is_true: {
      takes: 'nothing',
      testFor:
        () =>
        ({ value }) =>
          value === true,
    },
    is_false: {
      takes: 'nothing',
      testFor:
        () =>
        ({ value }) =>
          value === false,
    },
  },
};

/** What matches although the field is empty. */
export const matchingEmpty = new Set(['is_empty', 'is_false']);
