import type { AttributeValue, Item } from '../attribute-values.ts';
import type { ExpressionParameters } from '../request.ts';
import type { Random } from './random.ts';
import { attributeNames, randomValue, usualValue } from './random-items.ts';

/** Placeholders of a request, made as its expressions need them. */
export class Names {
  readonly #random: Random;
  readonly #names: Record<string, string> = {};
  readonly #values: Record<string, AttributeValue> = {};

  constructor(random: Random) {
    this.#random = random;
  }

  /** A name as an expression may write it: by a placeholder, where it must or likes to. */
  name(attribute: string): string {
    if (attribute !== 'size' && !this.#random.chance(0.3)) return attribute;
    if (this.#random.chance(0.02)) return attribute;
    this.#names[`#${attribute}`] = attribute;
    return `#${attribute}`;
  }

  value(value: AttributeValue): string {
    const name = `:v${Object.keys(this.#values).length}`;
    if (!this.#random.chance(0.005)) this.#values[name] = value;
    return name;
  }

  valueOf(name: string): AttributeValue {
    return this.#values[name] ?? { S: 'undefined' };
  }

  /** Seldom with one that no expression uses. */
  get parameters(): ExpressionParameters {
    if (this.#random.chance(0.01)) this.#values[':unused'] = { S: 'x' };
    if (this.#random.chance(0.01)) this.#names['#unused'] = 'x';
    const has = (object: object): boolean => Object.keys(object).length > 0;
    return {
      ...(has(this.#names) && { ExpressionAttributeNames: { ...this.#names } }),
      ...(has(this.#values) && { ExpressionAttributeValues: { ...this.#values } as Item }),
    };
  }
}

/** Those of a read by key, which takes names alone. */
export function namesOnly({
  ExpressionAttributeNames,
}: ExpressionParameters): ExpressionParameters {
  return ExpressionAttributeNames ? { ExpressionAttributeNames } : {};
}

type AttributeName = (typeof attributeNames)[number];
const randomName = (random: Random): AttributeName => random.pick(attributeNames);

function path(random: Random, names: Names): string {
  if (random.chance(0.75)) return names.name(randomName(random));
  return random.pick([
    () => `${names.name('details')}.a`,
    () => `${names.name('details')}.nested.c`,
    () => `${names.name('details')}.absent`,
  ])();
}

export function randomCondition(random: Random, names: Names, depth = 0): string {
  const inner = (): string => randomCondition(random, names, depth + 1);
  if (depth < 2 && random.chance(0.3)) {
    return random.pick([
      () => `${inner()} AND ${inner()}`,
      () => `${inner()} OR ${inner()}`,
      () => `(${inner()})`,
    ])();
  }
  const name = randomName(random);
  const value = (): string =>
    names.value(random.chance(0.9) ? usualValue(random, name) : randomValue(random));
  const one = (): string => (random.chance(0.8) ? names.name(name) : path(random, names));
  return random.pick([
    () => `${one()} ${random.pick(['=', '<>', '<', '<=', '>', '>='])} ${value()}`,
    () => `${one()} ${random.pick(['=', '<>', '<'])} ${path(random, names)}`,
    () => `attribute_exists(${path(random, names)})`,
    () => `attribute_not_exists(${path(random, names)})`,
    () => `begins_with(${one()}, ${names.value({ S: random.pick(['a', 'ab', 'é']) })})`,
    () =>
      `contains(${one()}, ${names.value(random.pick<AttributeValue>([{ S: 'a' }, { S: 'red' }, { N: '7' }]))})`,
    () =>
      `${one()} BETWEEN ${names.value({ N: '0' })} AND ${names.value({ N: random.pick(['5', '10', '-1']) })}`,
    () => `attribute_not_exists(pk)`,
    () => `attribute_exists(pk)`,
  ])();
}

export function randomUpdate(random: Random, names: Names): string {
  const sections: string[] = [];
  const list = (make: () => string): string =>
    Array.from({ length: random.pick([1, 1, 2, 3]) }, make).join(', ');
  if (random.chance(0.8)) sections.push(`SET ${list(() => setAction(random, names))}`);
  if (random.chance(0.25)) sections.push(`REMOVE ${list(() => names.name(randomName(random)))}`);
  if (random.chance(0.3)) sections.push(`ADD ${list(() => addAction(random, names))}`);
  return random.shuffle(sections).join(' ') || `SET ${setAction(random, names)}`;
}

function setAction(random: Random, names: Names): string {
  const name = randomName(random);
  const value = (): string => names.value(usualValue(random, name));
  return random.pick([
    () => `${names.name(name)} = ${value()}`,
    () => `${names.name(name)} = ${value()}`,
    () => `${names.name(name)} = ${names.value(randomValue(random))}`,
    () => `${names.name(name)} = ${path(random, names)}`,
    () => `n = n + ${names.value({ N: random.pick(['1', '0.5', '-2']) })}`,
    () => `n = if_not_exists(n, ${names.value({ N: '0' })}) + ${names.value({ N: '1' })}`,
    () => `${names.name(name)} = if_not_exists(${path(random, names)}, ${value()})`,
  ])();
}

const addAction = (random: Random, names: Names): string =>
  `${random.pick(['n', 'n', names.name(randomName(random))])} ${names.value({ N: random.pick(['1', '-1', '2.5']) })}`;

export const randomProjection = (random: Random, names: Names): string =>
  Array.from({ length: random.between(1, 3) }, () => names.name(randomName(random))).join(', ');
