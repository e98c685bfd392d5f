import { expect, test } from 'vitest';
import { presentNamed } from '../../../shared/leads/reference-lists.ts';

test('sources and users are listed by name as people order names, then by ID', () => {
  const named = (id: number, name: string, active = true) => ({ id, name, active });
  const items = [
    named(9, 'b10'),
    named(7, 'b9'),
    named(5, 'a'),
    named(8, 'Á'),
    named(4, 'A'),
    named(1, 'a', false),
  ];
  expect(presentNamed(items).map(({ id }) => id)).toEqual([4, 5, 8, 7, 9]);
});
