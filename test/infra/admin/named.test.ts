import { expect, test } from 'vitest';
import { namedId } from '../../../infra/admin/named.ts';
import { type CountryCode, phoneOfCountry } from '../../../infra/admin/options.ts';
import { sampleOrganization } from '../../support/settings.ts';

const organization = sampleOrganization({
  users: [
    { id: 7, name: 'Asha Rao' },
    { id: 8, name: '9' },
    { id: 9, name: 'Ravi Iyer' },
    { id: 10, name: 'asha RAO', active: false },
    { id: 11, name: 'Zoë' },
  ],
});

test.each([
  ['stage', '12', 12],
  ['stage', ' enrolled ', 12],
  ['pipeline', 'CORPORATE', 2],
  ['source', 'Facebook Ads', 3],
  ['source', 'facebook\u00a0ads\u200b', 3],
  ['user', '9', 9],
  ['user', 'Asha Rao', 7],
  ['user', 'ZOE\u0308', 11],
] as const)('the %s %j is %i', (noun, named, id) => {
  expect(namedId(organization, noun, named)).toBe(id);
});

test.each([
  ['ASHA RAO', 'more than one user "ASHA RAO": use its ID; the IDs are 7 and 10.'],
  ['Asha', 'no user "Asha": its users are 7 (Asha Rao), 8 (9), '],
  ['99', 'no user 99: its users are '],
])('the user %j is refused', (named, sentence) => {
  expect(() => namedId(organization, 'user', named)).toThrow(`Organization 1 has ${sentence}`);
});

test.each<[text: string, country: CountryCode | undefined, phone: string | undefined]>([
  ['0151 23456782', 'DE', '+4915123456782'],
  ['4915123456782', 'DE', '+4915123456782'],
  ['49 (30) 1234567', 'DE', '+49301234567'],
  ['Mobil: 4915123456782.0', 'DE', '+4915123456782'],
  ['491 92870', 'DE', '+4949192870'], // Leer, without its leading 0.
  ['091 98765 43210', 'DE', '+49919876543210'],
  ['+91 98765 43210', 'DE', '+919876543210'],
  ['0043 664 1234567', 'DE', '+436641234567'],
  ['(202) 555-0123', 'US', '+12025550123'],
  ['07700 900123', 'GB', '+447700900123'],
  ['3933 31234567', 'IT', '+393331234567'],
  ['12', 'DE', undefined],
  ['0151 23456782', undefined, undefined],
  ['091 98765 43210', 'IN', '+919876543210'],
])('%j of %s is %s', (text, country, phone) => {
  expect(phoneOfCountry(text, country).phone).toBe(phone);
});
