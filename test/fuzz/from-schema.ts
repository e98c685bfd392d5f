import { type Json, resolved } from '../support/described.ts';
import type { Random } from './random.ts';

/** A schema of the document, as far as the generator reads it. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Json[];
  readonly anyOf?: readonly Json[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Json;
  readonly propertyNames?: { readonly maxLength?: number };
  readonly items?: Json;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly pattern?: string;
}

/**
 * What the document cannot know: values that mean something to the organization. Asked for each property, parameter and map by its name;
 * undefined leaves the value to the schema.
 */
export type Vocabulary = (name: string, random: Random) => unknown;

/** How often the vocabulary is passed over, in percent: a value that the schema allows and the organization does not know. */
const strangeShare = 3;
const textMax = 60;

/**
 * A value that fits the schema: every bound is met, bounds themselves more often than chance would have it.
 * @throws Error for a schema that it cannot read, so that a new one of the document is not passed over
 */
export function fromSchema(
  schema: Json,
  random: Random,
  vocabulary: Vocabulary,
  name = '',
): unknown {
  const { type: types, enum: choices, oneOf, anyOf, ...rest } = resolved<Schema>(schema);
  const known = random.percent(strangeShare) ? undefined : vocabulary(name, random);
  if (known !== undefined) return known;
  if ('const' in rest) return rest.const;
  if (choices) return random.pick(choices);
  const variants = oneOf ?? anyOf;
  if (variants) return fromSchema(random.pick(variants), random, vocabulary, name);
  const type = typeof types === 'object' ? random.pick(types) : types;
  switch (type) {
    case 'object':
      return objectFrom(rest, random, vocabulary);
    case 'array':
      return random.times(rest.minItems ?? 0, Math.min(rest.maxItems ?? 4, 10), () =>
        fromSchema(rest.items ?? { type: 'null' }, random, vocabulary),
      );
    case 'string':
      return textFrom(rest, random);
    case 'integer':
    case 'number':
      return numberFrom(rest, random, type === 'integer');
    case 'boolean':
      return random.percent(50);
    case 'null':
      return null;
    default:
      throw new Error(
        `The generator cannot read the schema ${JSON.stringify(schema)}: teach it in test/fuzz/from-schema.ts.`,
      );
  }
}

function objectFrom(
  schema: Schema,
  random: Random,
  vocabulary: Vocabulary,
): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const names = Object.keys(properties).filter(
    (name) => required.includes(name) || random.percent(40),
  );
  const own = names.map(
    (name) => [name, fromSchema(properties[name] ?? {}, random, vocabulary, name)] as const,
  );
  const isMap = typeof additionalProperties === 'object';
  const free = isMap
    ? random.times(0, 3, () => {
        const name =
          `x${textFrom({ maxLength: Math.min(propertyNames?.maxLength ?? 20, 20) }, random)}`.slice(
            0,
            20,
          );
        return [name, fromSchema(additionalProperties, random, vocabulary)] as const;
      })
    : [];
  return Object.fromEntries([...own, ...free]);
}

const letters = [...'abcXYZ019 _-.@+/नमéß', '\u{1F393}'];

function textFrom(
  { minLength = 0, maxLength = textMax, format, pattern }: Schema,
  random: Random,
): string {
  if (format === 'date-time')
    return new Date(random.integer(0, 2_000_000_000) * 1000).toISOString();
  const length = random.percent(10)
    ? random.pick([minLength, maxLength])
    : random.integer(minLength, Math.min(maxLength, textMax));
  if (pattern === undefined) return Array.from({ length }, () => random.pick(letters)).join('');
  const text = Array.from({ length: Math.max(1, length) }, () =>
    String.fromCharCode(random.integer(0x21, 0x7e)),
  ).join('');
  if (!new RegExp(pattern, 'u').test(text)) {
    throw new Error(
      `The generator knows no text of the form ${pattern}: teach it in test/fuzz/from-schema.ts.`,
    );
  }
  return text;
}

function numberFrom(
  { minimum = -1e6, maximum = 1e6 }: Schema,
  random: Random,
  isInteger: boolean,
): number {
  if (random.percent(15)) return random.pick([minimum, maximum]);
  const near = Math.min(maximum, minimum + 100);
  const number = random.percent(50)
    ? random.integer(minimum, near)
    : random.integer(minimum, maximum);
  return isInteger || random.percent(50) ? number : number + random.integer(-99, 99) / 100;
}
