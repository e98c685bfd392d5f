import fc from 'fast-check';
import { operators, type Takes } from '../../../shared/leads/field-types.ts';
import type { FieldValue } from '../../../shared/leads/lead.ts';
import type { FieldType } from '../../../shared/organization/field-kinds.ts';
import type { Filter } from '../../support/reference/filters.ts';
import { sampleOrganization } from '../../support/settings.ts';

/** Random field values, and random filters on fields. */

const words = ['Rao', 'RAO', 'asha', 'Ünal', 'ünal', 'संगीता', '😀', 'a b', '%', '"', 'x'];
const texts = fc.oneof(
  fc.constantFrom(...words),
  fc
    .string({ minLength: 1, maxLength: 4 })
    .filter((text) => text.trim() !== '' && text.isWellFormed() && !text.includes('\0')),
);
const phones = fc.constantFrom('+919812345678', '+919812345679', '+14155552671');
const phoneParts = fc.constantFrom('+91', '98123', '5678', '+919812345678', '555');
const dates = fc.constantFrom('2024-02-29', '2025-12-31', '2026-01-01', '2026-01-02', '2026-11-20');
const numbers = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc
    .double({ min: -5, max: 5, noNaN: true, noDefaultInfinity: true })
    .map((number) => Math.round(number * 100) / 100 + 0),
);

export interface FilterField {
  readonly key: string;
  readonly type: FieldType;
  /** The values of a choice, or the IDs of users or sources. */
  readonly options: readonly (string | number)[];
}

/** The active fields of the sample organization, with the IDs that filters and values have of users and sources. */
export function sampleFields(
  users: readonly number[],
  sources: readonly number[],
): readonly FilterField[] {
  const ids = new Map<string, readonly number[]>([
    ['user', users],
    ['lead_source', sources],
  ]);
  return sampleOrganization()
    .fields.filter(({ active }) => active)
    .map(({ key, type, options }) => ({
      key,
      type,
      options: ids.get(type) ?? options.map(({ value }) => value),
    }));
}

const valuesByType: Readonly<Partial<Record<FieldType, fc.Arbitrary<FieldValue>>>> = {
  number: numbers,
  date: dates,
  phone: phones,
  checkbox: fc.boolean(),
};

/** A value that is no list. */
const oneValueFor = ({ type, options }: FilterField): fc.Arbitrary<FieldValue> =>
  options.length > 0 ? fc.constantFrom(...options) : (valuesByType[type] ?? texts);

/** A value of a field, or undefined for empty. */
export function valueFor(field: FilterField): fc.Arbitrary<FieldValue | undefined> {
  const value =
    field.type === 'multiselect'
      ? fc.subarray(field.options.map(String), { minLength: 1 })
      : oneValueFor(field);
  return fc.option<FieldValue, undefined>(value, { nil: undefined, freq: 3 });
}

/** A filter that can apply to a field. `test/contract/contract.test.ts` holds the operators of each type to the contract. */
export function filterFor(field: FilterField): fc.Arbitrary<Filter> {
  const { key, type } = field;
  const filters = Object.entries(operators[type]).map(([operator, { takes }]) => {
    const isPart = type === 'phone' && operator === 'contains';
    const value = isPart ? phoneParts : oneValueFor(field);
    const operands: Record<Takes, fc.Arbitrary<Partial<Filter>>> = {
      nothing: fc.constant({}),
      value: fc.record({ value }),
      'two values': fc.record({ values: fc.tuple(value, value) }),
      values: fc.record({ values: fc.uniqueArray(value, { minLength: 1, maxLength: 3 }) }),
    };
    return operands[takes].map((sent) => ({ field: key, operator, ...sent }));
  });
  return fc.oneof(...filters);
}
