import { expect, test } from 'vitest';
import { namedId } from '../../../infra/admin/named-id.ts';
import { sampleOrganization } from '../../support/settings.ts';

const organization = sampleOrganization({
  users: [
    { id: 7, name: 'Asha Rao' },
    { id: 8, name: '9' },
    { id: 9, name: 'Ravi Iyer' },
    { id: 10, name: 'asha RAO', active: false },
  ],
});

test.each([
  ['stage', '12', 12],
  ['stage', ' enrolled ', 12],
  ['pipeline', 'CORPORATE', 2],
  ['source', 'Facebook Ads', 3],
  ['user', '9', 9],
] as const)('the %s %j is %i', (noun, named, id) => {
  expect(namedId(organization, noun, named)).toBe(id);
});

test.each([
  ['Asha Rao', 'more than one user "Asha Rao": use its ID; the IDs are 7 and 10.'],
  ['Asha', 'no user "Asha": its users are 7 (Asha Rao), 8 (9), '],
  ['99', 'no user 99: its users are '],
])('the user %j is refused', (named, sentence) => {
  expect(() => namedId(organization, 'user', named)).toThrow(`Organization 1 has ${sentence}`);
});
