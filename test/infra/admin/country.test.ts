import { expect, test } from 'vitest';
import { type CountryCode, phoneOfCountry } from '../../../infra/admin/country.ts';

test.each<[text: string, country: CountryCode | undefined, phone: string | undefined]>([
  ['0151 23456782', 'DE', '+4915123456782'],
  ['4915123456782', 'DE', '+4915123456782'],
  ['49 (30) 1234567', 'DE', '+49301234567'],
  ['491 92870', 'DE', '+4949192870'], // Leer, without its leading 0.
  ['091 98765 43210', 'DE', '+49919876543210'],
  ['+91 98765 43210', 'DE', '+919876543210'],
  ['0043 664 1234567', 'DE', '+436641234567'],
  ['(202) 555-0123', 'US', '+12025550123'],
  ['07700 900123', 'GB', '+447700900123'],
  ['3933 31234567', 'IT', '+393331234567'],
  ['12', 'DE', undefined],
  ['0151 23456782', undefined, '+9115123456782'],
  ['091 98765 43210', 'IN', '+919876543210'],
])('%j of %s is %s', (text, country, phone) => {
  expect(phoneOfCountry(text, country)).toBe(phone);
});
