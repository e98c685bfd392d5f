import { type AttributeValue, compareValues, typeOf } from '../attribute-values.ts';
import { cached, type Operand, Parser } from './parser.ts';
import {
  assertDefined,
  literalType,
  type Placeholders,
  refuseOperand,
  resolvedName,
  type UsedPlaceholders,
} from './scope.ts';
import { ExpressionError } from './tokens.ts';

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';
const comparators: readonly string[] = ['=', '<>', '<', '<=', '>', '>='];

/** A condition, key condition or filter expression, read. */
export type Condition =
  | { readonly kind: 'and'; readonly of: readonly Condition[] }
  | { readonly kind: 'or'; readonly of: readonly Condition[] }
  | {
      readonly kind: 'compare';
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | {
      readonly kind: 'between';
      readonly value: Operand;
      readonly low: Operand;
      readonly high: Operand;
    }
  | { readonly kind: 'function'; readonly name: string; readonly operands: readonly Operand[] };

const operandCounts: Readonly<Record<string, number>> = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  begins_with: 2,
};

export interface ParsedCondition extends UsedPlaceholders {
  readonly condition: Condition;
  /** Attributes that its paths begin with, as they are written. */
  readonly attributes: ReadonlySet<string>;
}

/** Reads a condition and checks it against the placeholders of its request. @throws ExpressionError */
export function readCondition(expression: string, placeholders: Placeholders): ParsedCondition {
  const parsed = parseCondition(expression);
  assertDefined(parsed, placeholders);
  checkTypes(parsed.condition, placeholders);
  return parsed;
}

/** @throws ExpressionError */
const parseCondition = cached((expression: string): ParsedCondition => {
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
  const of = [single(parser)];
  while (parser.takeWord('AND')) of.push(single(parser));
  return of.length === 1 ? (of[0] as Condition) : { kind: 'and', of };
}

/** Conditions that stand in parentheses of their own. */
const inParentheses = new WeakSet<Condition>();

function single(parser: Parser): Condition {
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

function predicate(parser: Parser): Condition {
  const name = parser.takeFunction();
  if (name !== undefined) return called(name, parser);
  const left = parser.operand();
  if (comparators.includes(parser.next.text)) {
    const comparator = parser.take() as Comparator;
    return { kind: 'compare', comparator, left, right: parser.operand() };
  }
  parser.expectWord('BETWEEN');
  const low = parser.operand();
  parser.expectWord('AND');
  return { kind: 'between', value: left, low, high: parser.operand() };
}

function called(name: string, parser: Parser): Condition {
  const operands = [parser.operand()];
  while (parser.takeSign(',')) operands.push(parser.operand());
  parser.expectSign(')');
  const count = operandCounts[name];
  if (count === undefined) throw new ExpressionError(`Invalid function name; function: ${name}`);
  if (operands.length !== count) {
    throw new ExpressionError(
      `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${operands.length}`,
    );
  }
  if (count === 1 && operands[0]?.kind !== 'path') {
    throw new ExpressionError(
      `Operator or function requires a document path; operator or function: ${name}`,
    );
  }
  return { kind: 'function', name, operands };
}

/** Refuses what DynamoDB refuses before it looks at an item. @throws ExpressionError */
function checkTypes(condition: Condition, placeholders: Placeholders): void {
  if (condition.kind === 'and' || condition.kind === 'or') {
    for (const one of condition.of) checkTypes(one, placeholders);
  } else if (condition.kind === 'compare') {
    const { comparator, left, right } = condition;
    if (comparator !== '=' && comparator !== '<>')
      assertTypes(comparator, ['S', 'N'], [left, right], placeholders);
    checkDistinct(comparator, [left, right], placeholders);
  } else if (condition.kind === 'between') {
    const { value, low, high } = condition;
    assertTypes('BETWEEN', ['S', 'N'], [value, low, high], placeholders);
    checkBounds(low, high, placeholders);
  } else {
    const { name, operands } = condition;
    if (name === 'begins_with') assertTypes(name, ['S'], operands, placeholders);
    checkDistinct(name, operands, placeholders);
  }
}

function assertTypes(
  operator: string,
  allowed: readonly string[],
  operands: readonly Operand[],
  placeholders: Placeholders,
): void {
  for (const operand of operands) {
    const type = literalType(operand, placeholders);
    if (type !== undefined && !allowed.includes(type)) refuseOperand(operator, type);
  }
}

function checkDistinct(
  operator: string,
  [left, right]: readonly Operand[],
  placeholders: Placeholders,
): void {
  if (left?.kind !== 'path' || right?.kind !== 'path') return;
  const [one, other] = [left, right].map(({ path }) =>
    path.map((part) => resolvedName(part, placeholders)).join('.'),
  );
  if (one !== other) return;
  throw new ExpressionError(
    `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: ${one}`,
  );
}

function checkBounds(low: Operand, high: Operand, { values }: Placeholders): void {
  if (low.kind !== 'value' || high.kind !== 'value') return;
  const [from, to] = [values[low.name] as AttributeValue, values[high.name] as AttributeValue];
  if (typeOf(from) !== typeOf(to)) {
    throw new ExpressionError(
      'The BETWEEN operator requires same data type for lower and upper bounds',
    );
  }
  if ((compareValues(from, to) ?? 0) > 0) {
    throw new ExpressionError(
      'The BETWEEN operator requires upper bound to be greater than or equal to lower bound',
    );
  }
}
