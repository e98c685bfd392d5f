import { expect, test } from 'vitest';
import { idNamed } from '../../../shared/organization/named.ts';

test('a name that two have, neither or both of them active, says not which', () => {
  const named = (...active: boolean[]) =>
    idNamed(
      active.map((one, index) => ({ id: index + 1, name: 'Asha', active: one })),
      'ASHA ',
    );

  expect([
    named(),
    named(false),
    named(true, false, false),
    named(false, false),
    named(true, true),
  ]).toEqual([undefined, 1, 1, 'several', 'several']);
});
