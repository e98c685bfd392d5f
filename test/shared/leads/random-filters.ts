import fc from 'fast-check';
import type { FieldValue } from '../../../shared/leads/lead.ts';
import type { Filter } from '../../simulation/checker/refusals.ts';
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
  readonly type: string;
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

/** A value of a field, or undefined for empty. */
export function valueFor({ type, options }: FilterField): fc.Arbitrary<FieldValue | undefined> {
  const value = ((): fc.Arbitrary<FieldValue> => {
    switch (type) {
      case 'number':
        return numbers;
      case 'date':
        return dates;
      case 'phone':
        return phones;
      case 'checkbox':
        return fc.boolean();
      case 'multiselect':
        return fc.subarray(options.map(String), { minLength: 1 });
      case 'select':
      case 'lead_source':
      case 'user':
        return fc.constantFrom(...options);
      default:
        return texts;
    }
  })();
  return fc.option(value, { nil: undefined, freq: 3 });
}

/** A filter that can apply to a field. */
export function filterFor({ key, type, options }: FilterField): fc.Arbitrary<Filter> {
  const bare = (operator: string): fc.Arbitrary<Filter> => fc.constant({ field: key, operator });
  const one = (operators: readonly string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<Filter> =>
    fc.record({ field: fc.constant(key), operator: fc.constantFrom(...operators), value });
  const many = (operator: string, values: fc.Arbitrary<readonly unknown[]>): fc.Arbitrary<Filter> =>
    fc.record({ field: fc.constant(key), operator: fc.constant(operator), values });
  const empties = [bare('is_empty'), bare('is_not_empty')];
  switch (type) {
    case 'number':
      return fc.oneof(
        one(['equals', 'gt', 'lt'], numbers),
        many('between', fc.tuple(numbers, numbers)),
        ...empties,
      );
    case 'date':
      return fc.oneof(
        one(['on', 'before', 'after'], dates),
        many('between', fc.tuple(dates, dates)),
        ...empties,
      );
    case 'phone':
      return fc.oneof(one(['contains'], phoneParts), one(['equals'], phones), ...empties);
    case 'checkbox':
      return fc.oneof(bare('is_true'), bare('is_false'));
    case 'multiselect':
      return fc.oneof(many('has_any_of', fc.subarray([...options], { minLength: 1 })), ...empties);
    case 'select':
    case 'lead_source':
    case 'user':
      return fc.oneof(many('is_any_of', fc.subarray([...options], { minLength: 1 })), ...empties);
    default:
      return fc.oneof(one(['contains', 'equals'], texts), ...empties);
  }
}
