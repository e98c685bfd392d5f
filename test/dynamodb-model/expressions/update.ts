import { type AttributeValue, addNumbers, type Item, valueAt } from '../attribute-values.ts';
import { ValidationError } from '../errors.ts';
import type { Parser } from './parser.ts';
import { assertApart, assertType, ExpressionError } from './tokens.ts';

/** Computes a value from the item as it was before the update. @throws ValidationError */
type ValueIn = (before: Item) => AttributeValue;

/** The change of one attribute: to a value or, without one, its removal. */
interface Change {
  readonly attribute: string;
  readonly valueIn: ValueIn | undefined;
}

/** An update expression, read. It writes whole attributes, each once. */
export type Update = readonly Change[];

const sections: Readonly<Record<string, (parser: Parser) => Change>> = {
  SET: (parser) => ({ attribute: parser.attribute(), valueIn: assigned(parser) }),
  REMOVE: (parser) => ({ attribute: parser.attribute(), valueIn: undefined }),
  ADD: (parser) => {
    const attribute = parser.attribute();
    const added = assertType('ADD', parser.value(), ['N']);
    const there = (item: Item) => valueAt(item, [attribute]) ?? { N: '0' };
    return { attribute, valueIn: (item) => sum(there(item), added) };
  },
};

/** @throws ExpressionError */
export function readUpdate(parser: Parser): Update {
  const changes: Change[] = [];
  const seen = new Set<string>();
  while (!parser.isAtEnd || seen.size === 0) {
    const section = Object.keys(sections).find((one) => parser.takeWord(one));
    if (!section) throw parser.unexpected();
    if (seen.has(section))
      throw new ExpressionError(
        `The "${section}" section can only be used once in an update expression;`,
      );
    seen.add(section);
    do changes.push((sections[section] as (parser: Parser) => Change)(parser));
    while (parser.takeSign(','));
  }
  assertApart(changes.map(({ attribute }) => attribute));
  return changes;
}

/** What is on the right of `SET attribute =`: an operand, or the sum of two. */
function assigned(parser: Parser): ValueIn {
  parser.expectSign('=');
  const first = operand(parser);
  if (!parser.takeSign('+')) return first.valueIn;
  const second = operand(parser);
  for (const { literal } of [first, second]) if (literal) assertType('+', literal, ['N']);
  return (item) => sum(first.valueIn(item), second.valueIn(item));
}

/** A value, an attribute, or `if_not_exists`: the attribute if it exists, otherwise the value. */
function operand(parser: Parser): { literal?: AttributeValue; valueIn: ValueIn } {
  const name = parser.takeFunction();
  if (name !== undefined && name !== 'if_not_exists')
    throw new ExpressionError(`Invalid function name; function: ${name}`);
  if (name === undefined && parser.next.kind === 'value') {
    const literal = parser.value();
    return { literal, valueIn: () => literal };
  }
  const path = parser.path();
  if (name === undefined) return { valueIn: (item) => present(valueAt(item, path)) };
  parser.expectSign(',');
  const literal = parser.value();
  parser.expectSign(')');
  return { literal, valueIn: (item) => valueAt(item, path) ?? literal };
}

function present(value: AttributeValue | undefined): AttributeValue {
  if (value) return value;
  throw new ValidationError(
    'The provided expression refers to an attribute that does not exist in the item',
  );
}

/** Applies an update. All values are read from the item as it was. @throws ValidationError */
export function applyUpdate(update: Update, before: Item): Item {
  const after: Record<string, AttributeValue> = { ...before };
  for (const { attribute, valueIn } of update)
    if (valueIn) after[attribute] = valueIn(before);
    else delete after[attribute];
  return after;
}

function sum(one: AttributeValue, other: AttributeValue): AttributeValue {
  if (one.N === undefined || other.N === undefined)
    throw new ValidationError('An operand in the update expression has an incorrect data type');
  return { N: addNumbers(one.N, other.N) };
}
