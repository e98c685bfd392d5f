import fc from 'fast-check';
import type { AttributeValue } from '../attribute-values.ts';
import type { ExpressionParameters } from '../request.ts';
import {
  type AttributeName,
  anyValue,
  attributeNames,
  seldom,
  usualValue,
} from './random-items.ts';

/** Expressions, with their values in them as JSON: `withPlaceholders` takes these out. */

const literal = (value: AttributeValue): string => `«${JSON.stringify(value)}»`;

/** Text with arbitrary parts. */
export const phrase = (
  texts: TemplateStringsArray,
  ...parts: readonly fc.Arbitrary<string>[]
): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((values) => String.raw({ raw: texts }, ...values));

/** A value, as the expression holds it. */
export const oneOfValues = (...values: readonly AttributeValue[]): fc.Arbitrary<string> =>
  fc.constantFrom(...values).map(literal);

/** A name as an expression may write it: by a placeholder, where it must or may. */
const written = (name: AttributeName): fc.Arbitrary<string> =>
  name === 'size'
    ? seldom(fc.constant('#size'), fc.constant('size'), 50)
    : seldom(fc.constant(name), fc.constant(`#${name}`), 3);
const anyName = fc.constantFrom(...attributeNames).chain(written);
const path = seldom(
  anyName,
  phrase`${written('details')}.${fc.constantFrom('a', 'nested.c', 'absent')}`,
  4,
);

const predicate = fc.constantFrom(...attributeNames).chain((name) => {
  const one = seldom(written(name), path, 5);
  const value = seldom(usualValue(name), anyValue, 10).map(literal);
  return fc.oneof(
    phrase`${one} ${fc.constantFrom('=', '<>', '<', '<=', '>', '>=')} ${value}`,
    phrase`attribute_exists(${path})`,
    phrase`attribute_not_exists(${path})`,
    phrase`begins_with(${one}, ${oneOfValues({ S: 'a' }, { S: 'ab' }, { S: 'é' })})`,
    phrase`${one} BETWEEN ${oneOfValues({ N: '0' })} AND ${oneOfValues({ N: '5' }, { N: '10' }, { N: '-1' })}`,
    fc.constant('attribute_not_exists(pk)'),
    fc.constant('attribute_exists(pk)'),
  );
});

export const { condition } = fc.letrec<{ condition: string }>((tie) => {
  const inner = tie('condition');
  return {
    condition: fc.oneof(
      { maxDepth: 2 },
      { weight: 7, arbitrary: predicate },
      { weight: 1, arbitrary: phrase`${inner} AND ${inner}` },
      { weight: 1, arbitrary: phrase`${inner} OR ${inner}` },
      { weight: 1, arbitrary: phrase`(${inner})` },
    ),
  };
});

const setAction = fc.constantFrom(...attributeNames).chain((name) => {
  const [attribute, value] = [written(name), usualValue(name).map(literal)];
  return fc.oneof(
    { weight: 2, arbitrary: phrase`${attribute} = ${value}` },
    phrase`${attribute} = ${anyValue.map(literal)}`,
    phrase`${attribute} = ${path}`,
    phrase`n = n + ${oneOfValues({ N: '1' }, { N: '5' }, { N: '-2' })}`,
    phrase`n = if_not_exists(n, ${oneOfValues({ N: '0' })}) + ${oneOfValues({ N: '1' })}`,
    phrase`${attribute} = if_not_exists(${path}, ${value})`,
  );
});
const addAction = phrase`${seldom(fc.constant('n'), anyName, 3)} ${oneOfValues({ N: '1' }, { N: '-1' }, { N: '25' })}`;

const listOf = (one: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(one, { minLength: 1, maxLength: 3 }).map((all) => all.join(', '));
const sections = [
  phrase`SET ${listOf(setAction)}`,
  phrase`REMOVE ${listOf(anyName)}`,
  phrase`ADD ${listOf(addAction)}`,
];
export const update = fc
  .shuffledSubarray(sections, { minLength: 1 })
  .chain((some) => fc.tuple(...some).map((texts) => texts.join(' ')));
export const projection = listOf(anyName);

export const placeholderMistake = fc.oneof(
  { weight: 96, arbitrary: fc.constant('none' as const) },
  fc.constantFrom('unused value', 'unused name', 'undefined value'),
);

/** The same request with placeholders for its values and names; seldom with one more than it uses, or one less. */
export function withPlaceholders<Request extends ExpressionParameters>(
  request: Request,
  mistake: 'none' | 'unused value' | 'unused name' | 'undefined value',
): Request {
  const values: Record<string, AttributeValue> = {};
  const names: Record<string, string> = {};
  const expressions = Object.entries(request).filter(([name]) => name.endsWith('Expression'));
  const changed = expressions.map(([parameter, expression]) => {
    const text = String(expression).replace(/«(.*?)»/g, (_, json) => {
      const name = `:v${Object.keys(values).length}`;
      values[name] = JSON.parse(json) as AttributeValue;
      return name;
    });
    for (const [placeholder, name = ''] of text.matchAll(/#(\w+)/g)) names[placeholder] = name;
    return [parameter, text] as const;
  });
  const hasValues = Object.keys(values).length > 0;
  if (mistake === 'unused name') names['#unused'] = 'x';
  if (hasValues && mistake === 'unused value') values[':unused'] = { S: 'x' };
  if (mistake === 'undefined value') delete values[':v0'];
  const given = (all: object) => Object.keys(all).length > 0;
  return {
    ...request,
    ...Object.fromEntries(changed),
    ...(given(names) && { ExpressionAttributeNames: names }),
    ...(given(values) && { ExpressionAttributeValues: values }),
  };
}
