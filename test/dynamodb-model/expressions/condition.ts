import {
  type AttributeValue,
  compareValues,
  equalValues,
  type Item,
  typeOf,
  valueAt,
} from '../attribute-values.ts';
import { NotModelledError } from '../errors.ts';
import type { Parser, Path } from './parser.ts';
import { assertType, ExpressionError } from './tokens.ts';

/** A condition on one attribute. */
export interface Predicate {
  readonly operator: string;
  readonly path: Path;
  readonly values: readonly AttributeValue[];
}

/** A condition, key condition or filter expression, read. */
export type Condition =
  | Predicate
  | { readonly join: 'AND' | 'OR'; readonly of: readonly Condition[] };

/** @throws ExpressionError */
export const readCondition = (parser: Parser): Condition =>
  joined(parser, 'OR', () => joined(parser, 'AND', () => single(parser)));

function joined(parser: Parser, join: 'AND' | 'OR', read: () => Condition): Condition {
  const of = [read()];
  while (parser.takeWord(join)) of.push(read());
  return of.length === 1 ? (of[0] as Condition) : { join, of };
}

function single(parser: Parser): Condition {
  if (!parser.takeSign('(')) return checked(predicate(parser));
  const inner = readCondition(parser);
  parser.expectSign(')');
  return inner;
}

function predicate(parser: Parser): Predicate {
  const name = parser.takeFunction();
  if (name !== undefined) return called(name, parser);
  const path = parser.path();
  if (parser.takeWord('BETWEEN')) {
    const low = parser.value();
    if (!parser.takeWord('AND')) throw parser.unexpected();
    return { operator: 'BETWEEN', path, values: [low, parser.value()] };
  }
  const operator = parser.take();
  if (!comparators.includes(operator)) throw parser.unexpected();
  if (parser.next.kind !== 'value') throw new NotModelledError('comparisons of two attributes');
  return { operator, path, values: [parser.value()] };
}

function called(operator: string, parser: Parser): Predicate {
  if (!functions.includes(operator))
    throw new ExpressionError(`Invalid function name; function: ${operator}`);
  const path = parser.path();
  const values = parser.takeSign(',') ? [parser.value()] : [];
  parser.expectSign(')');
  if (values.length === (operator === 'begins_with' ? 1 : 0)) return { operator, path, values };
  throw new ExpressionError(
    `Incorrect number of operands for operator or function; operator or function: ${operator}, number of operands: ${values.length + 1}`,
  );
}

/** Refuses what DynamoDB refuses before it looks at an item. @throws ExpressionError */
function checked(predicate: Predicate): Predicate {
  const { operator, values } = predicate;
  if (operator !== '=' && operator !== '<>')
    for (const value of values)
      assertType(operator, value, operator === 'begins_with' ? ['S'] : ['S', 'N']);
  const [low, high] = values;
  if (low && high && (typeOf(low) !== typeOf(high) || (compareValues(low, high) ?? 0) > 0))
    throw new ExpressionError(
      'The BETWEEN operator requires bounds of one data type, the upper one greater than or equal to the lower one',
    );
  return predicate;
}

type Judge = (
  value: AttributeValue | undefined,
  one: AttributeValue,
  other: AttributeValue,
) => boolean;

const byOrder =
  (isMeant: (order: number) => boolean): Judge =>
  (value, one) => {
    const order = value && compareValues(value, one);
    return order !== undefined && isMeant(order);
  };
const atLeast = byOrder((order) => order >= 0);
const atMost = byOrder((order) => order <= 0);

/** What is not there equals nothing, and differs from everything. */
const judges: Readonly<Record<string, Judge>> = {
  '=': (value, one) => value !== undefined && equalValues(value, one),
  '<>': (value, one) => value === undefined || !equalValues(value, one),
  '<': byOrder((order) => order < 0),
  '<=': atMost,
  '>': byOrder((order) => order > 0),
  '>=': atLeast,
  BETWEEN: (value, low, high) => atLeast(value, low, low) && atMost(value, high, high),
  attribute_exists: (value) => value !== undefined,
  attribute_not_exists: (value) => value === undefined,
  begins_with: (value, one) =>
    value?.S !== undefined && one.S !== undefined && value.S.startsWith(one.S),
};
const comparators = Object.keys(judges).filter((name) => /[<=>]/.test(name));
const functions = Object.keys(judges).filter((name) => /_/.test(name));

/** The attributes that a condition is about. */
export const attributesOf = (condition: Condition): string[] =>
  'of' in condition ? condition.of.flatMap(attributesOf) : [condition.path[0] as string];

/** Whether an item meets a condition; one that is not there is an item without attributes. */
export function holds(condition: Condition, item: Item): boolean {
  if ('of' in condition) {
    const isMet = (one: Condition): boolean => holds(one, item);
    return condition.join === 'AND' ? condition.of.every(isMet) : condition.of.some(isMet);
  }
  const { operator, path, values } = condition;
  const [one, other = one] = values as readonly [AttributeValue, AttributeValue];
  return (judges[operator] as Judge)(valueAt(item, path), one, other);
}
