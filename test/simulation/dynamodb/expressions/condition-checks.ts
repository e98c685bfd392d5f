import { type AttributeValue, compareValues, typeOf } from '../attribute-values.ts';
import type { Condition, ParsedCondition } from './parsed-condition.ts';
import type { Operand } from './parser.ts';
import {
  assertDefined,
  literalType,
  type Placeholders,
  refuseOperand,
  resolvedPath,
  shownPath,
} from './scope.ts';
import { ExpressionError } from './tokens.ts';

const operandCounts: Readonly<Record<string, number>> = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  attribute_type: 2,
  begins_with: 2,
  contains: 2,
  size: 1,
};
const ordered: readonly string[] = ['S', 'N', 'B'];
const sizeless: readonly string[] = ['N', 'BOOL', 'NULL'];

type Predicate = Extract<
  Condition,
  { kind: 'compare' } | { kind: 'between' } | { kind: 'in' } | { kind: 'function' }
>;

/** Conditions whose form was checked; what depends on the request's values is checked each time. */
const checkedForms = new WeakSet<ParsedCondition>();

/** Refuses what DynamoDB refuses before it looks at an item. @throws ExpressionError */
export function checkCondition(parsed: ParsedCondition, placeholders: Placeholders): void {
  if (!checkedForms.has(parsed)) {
    checkForm(parsed.condition);
    checkedForms.add(parsed);
  }
  assertDefined(parsed, placeholders);
  checkTypes(parsed.condition, placeholders);
}

function checkForm(condition: Condition): void {
  if (condition.kind === 'and' || condition.kind === 'or') {
    for (const one of condition.of) checkForm(one);
  } else if (condition.kind === 'not') checkForm(condition.of);
  else checkPredicate(condition);
}

function checkPredicate(condition: Predicate): void {
  if (condition.kind === 'function') {
    checkFunction(condition.name, condition.operands);
    if (condition.name === 'size') throw misused('size');
  }
  for (const operand of operandsOf(condition)) {
    if (operand.kind !== 'function') continue;
    checkFunction(operand.name, operand.operands);
    if (operand.name !== 'size' || condition.kind === 'function') throw misused(operand.name);
  }
}

function checkFunction(name: string, operands: readonly Operand[]): void {
  const count = operandCounts[name];
  if (count === undefined) throw new ExpressionError(`Invalid function name; function: ${name}`);
  if (operands.length !== count) {
    throw new ExpressionError(
      `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${operands.length}`,
    );
  }
  if (name.startsWith('attribute_') && name !== 'attribute_type' && operands[0]?.kind !== 'path') {
    throw new ExpressionError(
      `Operator or function requires a document path; operator or function: ${name}`,
    );
  }
}

const misused = (name: string): ExpressionError =>
  new ExpressionError(
    `The function is not allowed to be used this way in an expression; function: ${name}`,
  );

function operandsOf(condition: Predicate): readonly Operand[] {
  if (condition.kind === 'compare') return [condition.left, condition.right];
  if (condition.kind === 'between') return [condition.value, condition.low, condition.high];
  return condition.kind === 'in' ? [condition.value, ...condition.among] : condition.operands;
}

function checkTypes(condition: Condition, placeholders: Placeholders): void {
  if (condition.kind === 'and' || condition.kind === 'or') {
    for (const one of condition.of) checkTypes(one, placeholders);
  } else if (condition.kind === 'not') checkTypes(condition.of, placeholders);
  else if (condition.kind === 'compare') {
    const { comparator, left, right } = condition;
    if (comparator !== '=' && comparator !== '<>')
      checkOrdered(comparator, [left, right], placeholders);
    checkDistinct(comparator, left, right, placeholders);
  } else if (condition.kind === 'between') {
    checkOrdered('BETWEEN', [condition.value, condition.low, condition.high], placeholders);
    checkBounds(condition.low, condition.high, placeholders);
  } else if (condition.kind === 'function')
    checkFunctionTypes(condition.name, condition.operands, placeholders);
}

function checkOrdered(
  operator: string,
  operands: readonly Operand[],
  placeholders: Placeholders,
): void {
  for (const operand of operands) {
    const type = literalType(operand, placeholders);
    if (type !== undefined && !ordered.includes(type)) refuseOperand(operator, type);
  }
}

function checkDistinct(
  operator: string,
  left: Operand,
  right: Operand,
  placeholders: Placeholders,
): void {
  if (left.kind !== 'path' || right.kind !== 'path') return;
  const [one, other] = [left, right].map(({ path }) => shownPath(resolvedPath(path, placeholders)));
  if (one !== other) return;
  throw new ExpressionError(
    `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: ${one}`,
  );
}

function checkBounds(low: Operand, high: Operand, { values }: Placeholders): void {
  if (low.kind !== 'value' || high.kind !== 'value') return;
  const [from, to] = [values[low.name] as AttributeValue, values[high.name] as AttributeValue];
  const shown = `lower bound operand: AttributeValue: {${shownValue(from)}}, upper bound operand: AttributeValue: {${shownValue(to)}}`;
  if (typeOf(from) !== typeOf(to)) {
    throw new ExpressionError(
      `The BETWEEN operator requires same data type for lower and upper bounds; ${shown}`,
    );
  }
  if ((compareValues(from, to) ?? 0) > 0) {
    throw new ExpressionError(
      `The BETWEEN operator requires upper bound to be greater than or equal to lower bound; ${shown}`,
    );
  }
}

const shownValue = (value: AttributeValue): string =>
  `${typeOf(value)}:${value.S ?? value.N ?? ''}`;

function checkFunctionTypes(
  name: string,
  operands: readonly Operand[],
  placeholders: Placeholders,
): void {
  const types = operands.map((operand) => literalType(operand, placeholders));
  if (name === 'size' && sizeless.includes(types[0] ?? '')) refuseOperand(name, types[0] ?? '');
  if (name === 'begins_with') {
    const other = types.find((type) => type !== undefined && type !== 'S' && type !== 'B');
    if (other !== undefined) refuseOperand(name, other);
  }
  if (name === 'attribute_type') {
    if (types[1] !== 'S') refuseOperand(name, types[1] ?? '{NS,SS,L,BS,N,M,B,BOOL,NULL,S}');
    const type =
      operands[1]?.kind === 'value' ? (placeholders.values[operands[1].name]?.S ?? '') : '';
    if (!['S', 'N', 'B', 'NULL', 'SS', 'BOOL', 'L', 'BS', 'NS', 'M'].includes(type)) {
      throw new ExpressionError(
        `Invalid attribute type name found; type: ${type}, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}`,
      );
    }
  }
  if (operands.length === 2)
    checkDistinct(name, operands[0] as Operand, operands[1] as Operand, placeholders);
}
