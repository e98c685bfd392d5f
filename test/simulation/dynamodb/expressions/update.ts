import { type AttributeValue, typeNames, typeOf } from '../attribute-values.ts';
import { cached, type Operand, Parser, type Path } from './parser.ts';
import {
  assertDefined,
  literalType,
  type Placeholders,
  refuseOperand,
  resolvedPath,
  shownPath,
  type UsedPlaceholders,
} from './scope.ts';
import { ExpressionError } from './tokens.ts';

/** The right side of `SET path = …`. */
export type SetValue = Operand | Arithmetic;
export interface Arithmetic {
  readonly kind: 'arithmetic';
  readonly sign: '+' | '-';
  readonly left: Operand;
  readonly right: Operand;
}
export interface SetAction {
  readonly path: Path;
  readonly value: SetValue;
}
export interface ValueAction {
  readonly path: Path;
  /** The name of the value's placeholder. */
  readonly value: string;
}

/** An update expression, read. */
export interface Update extends UsedPlaceholders {
  readonly set: readonly SetAction[];
  readonly remove: readonly Path[];
  readonly add: readonly ValueAction[];
  readonly delete: readonly ValueAction[];
}

type Section = 'SET' | 'REMOVE' | 'ADD' | 'DELETE';
const sections: readonly Section[] = ['SET', 'REMOVE', 'ADD', 'DELETE'];

/** @throws ExpressionError */
export const parseUpdate = cached((expression: string): Update => {
  const parser = new Parser(expression);
  const update = {
    set: [] as SetAction[],
    remove: [] as Path[],
    add: [] as ValueAction[],
    delete: [] as ValueAction[],
  };
  const seen = new Set<Section>();
  while (!parser.isAtEnd) {
    const section = sections.find((one) => parser.takeWord(one));
    if (!section) throw parser.unexpected();
    if (seen.has(section)) {
      throw new ExpressionError(
        `The "${section}" section can only be used once in an update expression;`,
      );
    }
    seen.add(section);
    do {
      if (section === 'SET') update.set.push(setAction(parser));
      else if (section === 'REMOVE') update.remove.push(parser.path());
      else update[section === 'ADD' ? 'add' : 'delete'].push(valueAction(parser));
    } while (parser.takeSign(','));
  }
  if (seen.size === 0) throw parser.unexpected();
  return { ...update, names: parser.names, values: parser.values };
});

function setAction(parser: Parser): SetAction {
  const path = parser.path();
  parser.expectSign('=');
  return { path, value: setValue(parser) };
}

function setValue(parser: Parser): SetValue {
  if (parser.takeSign('(')) {
    const inner = setValue(parser);
    parser.expectSign(')');
    return inner;
  }
  const left = setOperand(parser);
  const sign = parser.takeSign('+') ? '+' : parser.takeSign('-') ? '-' : undefined;
  return sign ? { kind: 'arithmetic', sign, left, right: setOperand(parser) } : left;
}

const operandCounts: Readonly<Record<string, number>> = { if_not_exists: 2, list_append: 2 };

function setOperand(parser: Parser): Operand {
  const operand = parser.operand();
  if (operand.kind === 'function') checkFunction(operand.name, operand.operands);
  return operand;
}

function checkFunction(name: string, operands: readonly Operand[]): void {
  if (operandCounts[name] === undefined)
    throw new ExpressionError(`Invalid function name; function: ${name}`);
  if (operands.length !== 2) {
    throw new ExpressionError(
      `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${operands.length}`,
    );
  }
  if (name === 'if_not_exists' && operands[0]?.kind !== 'path') {
    throw new ExpressionError(
      `Operator or function requires a document path; operator or function: ${name}`,
    );
  }
  for (const operand of operands)
    if (operand.kind === 'function') checkFunction(operand.name, operand.operands);
}

function valueAction(parser: Parser): ValueAction {
  const path = parser.path();
  const { kind, text } = parser.next;
  if (kind !== 'value') throw parser.unexpected();
  parser.take();
  parser.values.add(text);
  return { path, value: text };
}

/** Reads an update and checks it against the placeholders of its request. @throws ExpressionError */
export function readUpdate(expression: string, placeholders: Placeholders): Update {
  const update = parseUpdate(expression);
  assertDefined(update, placeholders);
  assertApart(update, placeholders);
  for (const { value } of update.set) checkSetTypes(value, placeholders);
  for (const { value } of update.add)
    assertTaken('ADD', placeholders.values[value] as AttributeValue);
  for (const { value } of update.delete)
    assertTaken('DELETE', placeholders.values[value] as AttributeValue);
  return update;
}

/** No attribute is written twice, and none together with a part of itself. */
function assertApart(update: Update, placeholders: Placeholders): void {
  const all = [...update.set, ...update.add, ...update.delete]
    .map(({ path }) => path)
    .concat(update.remove);
  const paths = all.map((path) => resolvedPath(path, placeholders));
  if (
    paths.every(({ length }) => length === 1) &&
    new Set(paths.map(([name]) => name)).size === paths.length
  )
    return;
  for (const [at, path] of paths.entries())
    for (const before of paths.slice(0, at)) assertPair(before, path);
}

function assertPair(one: Path, other: Path): void {
  const shown = `must remove or rewrite one of these paths; path one: ${shownPath(one)}, path two: ${shownPath(other)}`;
  for (let at = 0; at < one.length && at < other.length; at += 1) {
    if (typeof one[at] !== typeof other[at]) {
      throw new ExpressionError(`Two document paths conflict with each other; ${shown}`);
    }
    if (one[at] !== other[at]) return;
  }
  throw new ExpressionError(`Two document paths overlap with each other; ${shown}`);
}

function checkSetTypes(value: SetValue, placeholders: Placeholders): void {
  if (value.kind === 'arithmetic') {
    for (const operand of [value.left, value.right]) {
      const type = literalType(operand, placeholders);
      if (type !== undefined && type !== 'N') refuseOperand(value.sign, type);
      checkSetTypes(operand, placeholders);
    }
  } else if (value.kind === 'function') {
    for (const operand of value.operands) {
      const type = literalType(operand, placeholders);
      if (value.name === 'list_append' && type !== undefined && type !== 'L')
        refuseOperand(value.name, type);
      checkSetTypes(operand, placeholders);
    }
  }
}

function assertTaken(operator: 'ADD' | 'DELETE', value: AttributeValue): void {
  const type = typeOf(value);
  const takes =
    type === 'SS' || type === 'NS' || type === 'BS' || (operator === 'ADD' && type === 'N');
  if (takes || type === undefined) return;
  throw new ExpressionError(
    `Incorrect operand type for operator or function; operator: ${operator}, operand type: ${typeNames[type]}`,
  );
}
