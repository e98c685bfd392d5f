import { expect, test } from 'vitest';
import { BoundedMap } from '../../../shared/base/maps.ts';

const filled = (bound: number, ...keys: string[]): BoundedMap<string, string> => {
  const map = new BoundedMap<string, string>(bound);
  for (const key of keys) map.set(key, `value of ${key}`);
  return map;
};

test('a bounded map beyond its bound drops its oldest entry', () => {
  const map = filled(2, 'a', 'b', 'c');

  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([
    undefined,
    'value of b',
    'value of c',
  ]);
});

test('setting a key of a bounded map again replaces its value and makes it the newest entry', () => {
  const map = filled(2, 'a', 'b');
  map.set('a', 'again');
  map.set('c', 'value of c');

  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual(['again', undefined, 'value of c']);
});
