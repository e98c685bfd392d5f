import {
  type AttributeValue,
  compareValues,
  equalValues,
  type Item,
  membersOf,
  textSize,
  typeOf,
} from '../attribute-values.ts';
import { checkCondition } from './condition-checks.ts';
import type { Comparator, Condition, ParsedCondition } from './parsed-condition.ts';
import { cached, type Operand, Parser } from './parser.ts';
import { type Placeholders, valueAt } from './scope.ts';
import { ExpressionError } from './tokens.ts';

/** @throws ExpressionError */
export const parseCondition = cached((expression: string): ParsedCondition => {
  const parser = new Parser(expression);
  const condition = either(parser);
  parser.expectEnd();
  return { condition, names: parser.names, values: parser.values, attributes: parser.attributes };
});

function either(parser: Parser): Condition {
  const of = [both(parser)];
  while (parser.takeWord('OR')) of.push(both(parser));
  return of.length === 1 ? (of[0] as Condition) : { kind: 'or', of };
}

function both(parser: Parser): Condition {
  const of = [negation(parser)];
  while (parser.takeWord('AND')) of.push(negation(parser));
  return of.length === 1 ? (of[0] as Condition) : { kind: 'and', of };
}

/** Conditions that stand in parentheses of their own. */
const inParentheses = new WeakSet<Condition>();

function negation(parser: Parser): Condition {
  if (parser.takeWord('NOT')) return { kind: 'not', of: negation(parser) };
  if (!parser.takeSign('(')) return predicate(parser);
  const inner = either(parser);
  parser.expectSign(')');
  if (inParentheses.has(inner))
    throw new ExpressionError('The expression has redundant parentheses;');
  // A copy, so that what is inside is not taken for what is in parentheses itself.
  const condition = { ...inner };
  inParentheses.add(condition);
  return condition;
}

const comparators: readonly string[] = ['=', '<>', '<', '<=', '>', '>='];

function predicate(parser: Parser): Condition {
  const left = parser.operand();
  const { kind, text } = parser.next;
  if (kind === 'sign' && comparators.includes(text)) {
    parser.take();
    return { kind: 'compare', comparator: text as Comparator, left, right: parser.operand() };
  }
  if (parser.takeWord('BETWEEN')) {
    const low = parser.operand();
    parser.expectWord('AND');
    return { kind: 'between', value: left, low, high: parser.operand() };
  }
  if (parser.takeWord('IN')) {
    parser.expectSign('(');
    const among = [parser.operand()];
    while (parser.takeSign(',')) among.push(parser.operand());
    parser.expectSign(')');
    return { kind: 'in', value: left, among };
  }
  if (left.kind !== 'function') throw parser.unexpected();
  return left;
}

/** Whether an item meets a condition; one that is not there is an item without attributes. */
export function holds(condition: Condition, item: Item, placeholders: Placeholders): boolean {
  const valueOf = (operand: Operand): AttributeValue | undefined =>
    operandValue(operand, item, placeholders);
  switch (condition.kind) {
    case 'and':
      return condition.of.every((one) => holds(one, item, placeholders));
    case 'or':
      return condition.of.some((one) => holds(one, item, placeholders));
    case 'not':
      return !holds(condition.of, item, placeholders);
    case 'compare':
      return compares(condition.comparator, valueOf(condition.left), valueOf(condition.right));
    case 'between': {
      const value = valueOf(condition.value);
      return (
        compares('>=', value, valueOf(condition.low)) &&
        compares('<=', value, valueOf(condition.high))
      );
    }
    case 'in': {
      const value = valueOf(condition.value);
      return condition.among.some((one) => compares('=', value, valueOf(one)));
    }
    case 'function':
      return answerOf(condition.name, condition.operands.map(valueOf));
  }
}

function operandValue(
  operand: Operand,
  item: Item,
  placeholders: Placeholders,
): AttributeValue | undefined {
  if (operand.kind === 'value') return placeholders.values[operand.name];
  if (operand.kind === 'path') return valueAt(item, operand.path, placeholders);
  const size = sizeOf(operandValue(operand.operands[0] as Operand, item, placeholders));
  return size === undefined ? undefined : { N: String(size) };
}

/** What is not there equals nothing, and differs from everything, even from what is not there either. */
function compares(
  comparator: Comparator,
  left: AttributeValue | undefined,
  right: AttributeValue | undefined,
): boolean {
  if (left === undefined || right === undefined) return comparator === '<>';
  if (comparator === '=') return equalValues(left, right);
  if (comparator === '<>') return !equalValues(left, right);
  const order = compareValues(left, right);
  if (order === undefined) return false;
  return comparator === '<'
    ? order < 0
    : comparator === '<='
      ? order <= 0
      : comparator === '>'
        ? order > 0
        : order >= 0;
}

/** The length of a text in bytes, of everything else its members; numbers and booleans have none. */
function sizeOf(value: AttributeValue | undefined): number | undefined {
  if (value?.S !== undefined) return textSize(value.S);
  if (value?.B) return value.B.byteLength;
  if (value?.L) return value.L.length;
  if (value?.M) return Object.keys(value.M).length;
  if (value?.SS || value?.NS || value?.BS) return membersOf(value).length;
  return undefined;
}

function answerOf(name: string, [value, other]: readonly (AttributeValue | undefined)[]): boolean {
  switch (name) {
    case 'attribute_exists':
      return value !== undefined;
    case 'attribute_not_exists':
      return value === undefined;
    case 'attribute_type':
      return value !== undefined && typeOf(value) === other?.S;
    case 'begins_with':
      if (value?.B && other?.B)
        return Buffer.compare(value.B.subarray(0, other.B.byteLength), other.B) === 0;
      return value?.S !== undefined && other?.S !== undefined && value.S.startsWith(other.S);
    default:
      return value !== undefined && other !== undefined && isIn(other, value);
  }
}

/** `contains`: a part of a text, an element of a list, a member of a set. */
function isIn(sought: AttributeValue, value: AttributeValue): boolean {
  if (value.S !== undefined) return sought.S !== undefined && value.S.includes(sought.S);
  if (value.B)
    return sought.B !== undefined && Buffer.from(value.B).includes(Buffer.from(sought.B));
  if (value.L) return value.L.some((one) => equalValues(one, sought));
  if (value.SS) return sought.S !== undefined && value.SS.includes(sought.S);
  if (value.NS)
    return sought.N !== undefined && value.NS.some((one) => equalValues({ N: one }, sought));
  return value.BS?.some((one) => equalValues({ B: one }, sought)) ?? false;
}

/** Reads a condition and checks it against the placeholders of its request. @throws ExpressionError */
export function readCondition(expression: string, placeholders: Placeholders): ParsedCondition {
  const parsed = parseCondition(expression);
  checkCondition(parsed, placeholders);
  return parsed;
}
