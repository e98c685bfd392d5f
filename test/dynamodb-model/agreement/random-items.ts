import type { AttributeValue, Item } from '../attribute-values.ts';
import type { Random } from './random.ts';

export const randomPartition = (random: Random): string => random.pick(['p', 'q']);
export const randomSort = (random: Random): string =>
  random.pick(['a1', 'a2', 'a3', 'b1', 'b2', 'é']);

/** Attributes besides the key; `size` and `name` are reserved words. */
export const attributeNames = [
  'n',
  's',
  'flag',
  'steps',
  'details',
  'note',
  'team',
  'score',
  'size',
] as const;

/** A key, seldom one that no item could have. */
export function randomKey(random: Random): Item {
  const key: Record<string, AttributeValue> = {
    pk: { S: randomPartition(random) },
    sk: { S: randomSort(random) },
  };
  if (!random.chance(0.03)) return key;
  const [mistake, value] = random.pick<[string, AttributeValue | undefined]>([
    ['sk', undefined],
    ['pk', { N: '1' }],
    ['pk', { S: '' }],
    ['other', { S: 'x' }],
    ['sk', { S: 'x'.repeat(1025) }],
    ['pk', { S: 'x'.repeat(2049) }],
  ]);
  if (value) key[mistake] = value;
  else delete key[mistake];
  return key;
}

/** Mostly of the type that its name suggests, so that conditions and updates meet what they are written for. */
export function randomItem(random: Random): Item {
  const item: Record<string, AttributeValue> = { ...randomKey(random) };
  for (const name of attributeNames) if (random.chance(0.4)) item[name] = usualValue(random, name);
  return item;
}

export function usualValue(random: Random, name: (typeof attributeNames)[number]): AttributeValue {
  if (random.chance(0.06)) return randomValue(random);
  const usual: Readonly<Record<typeof name, () => AttributeValue>> = {
    n: () => ({ N: randomNumber(random) }),
    s: () => ({ S: randomText(random) }),
    flag: () => ({ BOOL: random.chance(0.5) }),
    steps: () => ({ L: Array.from({ length: random.below(4) }, () => randomValue(random, 1)) }),
    details: () => ({
      M: { a: randomValue(random, 1), b: { N: '1' }, nested: { M: { c: { S: 'deep' } } } },
    }),
    note: () => ({ S: 'note '.repeat(random.pick([1, 1, 300])) }),
    team: () => ({ S: random.pick(['red', 'blue']) }),
    score: () => ({ S: String(random.between(0, 9)) }),
    size: () => ({ N: '1' }),
  };
  return usual[name]();
}

const randomNumber = (random: Random): string =>
  random.pick([
    '0',
    '1',
    '-1',
    '2',
    '10',
    '3.14',
    '12345678901234567890',
    '0.000001',
    '99999999999999999999999999999999999999',
  ]);
const randomText = (random: Random): string =>
  random.pick(['', 'a', 'ab', 'abc', 'b', 'é', '😀', '\uffff', 'Zürich']);

/** Any value; seldom one that DynamoDB does not take. */
export function randomValue(random: Random, depth = 0): AttributeValue {
  const simple: (() => AttributeValue)[] = [
    () => ({ S: randomText(random) }),
    () => ({ N: depth === 0 ? randomNumber(random) : String(random.below(9)) }),
    () => ({ BOOL: random.chance(0.5) }),
    () => ({ NULL: true }),
  ];
  const nested: (() => AttributeValue)[] = [
    () => ({ L: [randomValue(random, depth + 1), { N: '7' }] }),
    () => ({ M: { a: randomValue(random, depth + 1) } }),
  ];
  const wrong: (() => AttributeValue)[] = [
    () => ({ N: 'seven' }),
    () => ({ N: '1e126' }),
    () => ({ NULL: false }),
  ];
  if (random.chance(0.015)) return random.pick(wrong)();
  return random.pick(depth < 2 ? [...simple, ...nested] : simple)();
}
