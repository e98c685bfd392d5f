import { expect, test } from 'vitest';
import { storedBytes } from '../../../shared/base/item-size.ts';

test.each<[value: unknown, bytes: number]>([
  ['', 0],
  ['न😀a', 8],
  [null, 1],
  [true, 1],
  [7, 2],
  [-7, 3],
  [12_000, 3],
  [123, 3],
  [1.5e-7, 3],
  [1234567890.12345, 9],
  [[], 3],
  [{}, 3],
  [[7, 8], 9],
  [{ users: [7], when: null }, 3 + (1 + 5 + 3 + 1 + 2) + (1 + 4 + 1)],
])('%j is %i bytes of an item, names and overheads counted', (value, bytes) => {
  expect(storedBytes(value)).toBe(bytes);
});
