import { expect, test } from 'vitest';
import {
  activeSourceNamed,
  idNamed,
  itemsNamed,
  optionFinder,
} from '../../../shared/organization/named.ts';
import { sampleOrganization } from '../../support/settings.ts';

const items = [
  { id: 1, name: 'asha' },
  { id: 2, name: 'Asha ' },
  { id: 3, name: '12345678901' },
  { id: 4, name: 'Ravi', active: false },
  { id: 5, name: 'RAVI' },
  { id: 6, name: 'Meera', active: false },
];

test.each([
  [2, [2]],
  ['٢', [2]],
  [' Asha', [2]],
  ['ASHA', [1, 2]],
  ['12345678901', [3]],
  ['x2', []],
  ['2x', []],
])('%j names the items %j', (named, ids) => {
  expect(itemsNamed(items, named).map(({ id }) => id)).toEqual(ids);
});

test.each([
  ['ASHA', 'several'],
  ['ravi', 5],
  ['meera', 6],
  ['Tara', undefined],
])('%j identifies %j', (named, id) => {
  expect(idNamed(items, named)).toBe(id);
});

test('a capture names an active source alone', () => {
  const organization = sampleOrganization({
    sources: [
      { id: 1, name: 'Fair', active: false },
      { id: 2, name: 'Website' },
    ],
  });

  expect(activeSourceNamed(organization, 'website')?.id).toBe(2);
  expect(activeSourceNamed(organization, 'Fair')).toBeUndefined();
});

test.each([
  ['B', 'B'],
  ['A', 'B'],
  ['a', 'a'],
  [' mba 2026 ', 'mba'],
  ['old', undefined],
])('%j finds the option %j: values before labels, exact before comparable', (text, value) => {
  const find = optionFinder([
    { value: 'old', label: 'Old', retired: true },
    { value: 'a', label: 'First' },
    { value: 'B', label: 'A' },
    { value: 'mba', label: 'MBA 2026' },
  ]);

  expect(find(text)?.value).toBe(value);
});
