import { expect, test } from 'vitest';
import { BoundedMap } from '../../shared/bounded-map.ts';

const filled = (bound: number, ...keys: string[]): BoundedMap<string, string> => {
  const map = new BoundedMap<string, string>(bound);
  for (const key of keys) map.set(key, `value of ${key}`);
  return map;
};

test('a bounded map returns what was set, and undefined for an unknown key', () => {
  const map = filled(2, 'a');

  expect([map.get('a'), map.get('b')]).toEqual(['value of a', undefined]);
});

test('a bounded map within its bound keeps every entry', () => {
  const map = filled(3, 'a', 'b', 'c');

  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([
    'value of a',
    'value of b',
    'value of c',
  ]);
});

test('a bounded map beyond its bound drops the entry that was set longest ago', () => {
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

test('an undefined key of a bounded map counts as an entry', () => {
  const map = new BoundedMap<string | undefined, number>(1);
  map.set(undefined, 1);
  map.set('a', 2);

  expect(map.get('a')).toBe(2);
});
