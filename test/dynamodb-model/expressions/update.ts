import { type AttributeValue, addNumbers, type Item } from '../attribute-values.ts';
import { ValidationError } from '../errors.ts';
import { cached, type Operand, Parser, type Path } from './parser.ts';
import {
  assertApart,
  assertDefined,
  literalType,
  type Placeholders,
  refuseOperand,
  resolvedName,
  type UsedPlaceholders,
  valueAt,
} from './scope.ts';
import { ExpressionError } from './tokens.ts';

type SetOperand =
  | Operand
  | { readonly kind: 'if_not_exists'; readonly path: Path; readonly otherwise: Operand };

/** The right side of `SET attribute = …`. */
type SetValue =
  | SetOperand
  | { readonly kind: 'sum'; readonly left: SetOperand; readonly right: SetOperand };

interface SetAction {
  readonly attribute: string;
  readonly value: SetValue;
}
interface AddAction {
  readonly attribute: string;
  /** The name of the value's placeholder. */
  readonly value: string;
}

/** An update expression, read. It writes whole attributes. */
export interface Update extends UsedPlaceholders {
  readonly set: readonly SetAction[];
  readonly remove: readonly string[];
  readonly add: readonly AddAction[];
}

const sections = ['SET', 'REMOVE', 'ADD'] as const;

/** @throws ExpressionError */
const parseUpdate = cached((expression: string): Update => {
  const parser = new Parser(expression);
  const update = { set: [] as SetAction[], remove: [] as string[], add: [] as AddAction[] };
  const seen = new Set<string>();
  while (!parser.isAtEnd || seen.size === 0) {
    const section = sections.find((one) => parser.takeWord(one));
    if (!section) throw parser.unexpected();
    if (seen.has(section)) {
      throw new ExpressionError(
        `The "${section}" section can only be used once in an update expression;`,
      );
    }
    seen.add(section);
    do {
      const attribute = parser.attribute();
      if (section === 'SET') update.set.push({ attribute, value: setValue(parser) });
      else if (section === 'REMOVE') update.remove.push(attribute);
      else update.add.push({ attribute, value: parser.value() });
    } while (parser.takeSign(','));
  }
  return { ...update, names: parser.names, values: parser.values };
});

function setValue(parser: Parser): SetValue {
  parser.expectSign('=');
  const left = setOperand(parser);
  return parser.takeSign('+') ? { kind: 'sum', left, right: setOperand(parser) } : left;
}

function setOperand(parser: Parser): SetOperand {
  const name = parser.takeFunction();
  if (name === undefined) return parser.operand();
  if (name !== 'if_not_exists')
    throw new ExpressionError(`Invalid function name; function: ${name}`);
  const path = parser.path();
  parser.expectSign(',');
  const otherwise = parser.operand();
  parser.expectSign(')');
  return { kind: 'if_not_exists', path, otherwise };
}

/** Reads an update and checks it against the placeholders of its request. @throws ExpressionError */
export function readUpdate(expression: string, placeholders: Placeholders): Update {
  const update = parseUpdate(expression);
  assertDefined(update, placeholders);
  assertApart(writtenAttributes(update, placeholders));
  for (const { value } of update.set)
    if (value.kind === 'sum')
      for (const operand of [value.left, value.right]) assertNumber('+', operand, placeholders);
  for (const { value } of update.add)
    assertNumber('ADD', { kind: 'value', name: value }, placeholders);
  return update;
}

function assertNumber(operator: string, operand: SetOperand, placeholders: Placeholders): void {
  const literal = operand.kind === 'if_not_exists' ? operand.otherwise : operand;
  const type = literalType(literal, placeholders);
  if (type !== undefined && type !== 'N') refuseOperand(operator, type);
}

/** The names of the attributes that an update writes or removes. */
export const writtenAttributes = (
  { set, remove, add }: Update,
  placeholders: Placeholders,
): string[] =>
  [
    ...set.map(({ attribute }) => attribute),
    ...remove,
    ...add.map(({ attribute }) => attribute),
  ].map((name) => resolvedName(name, placeholders));

/** Applies an update. All values are read from the item as it was. @throws ValidationError */
export function applyUpdate(update: Update, before: Item, placeholders: Placeholders): Item {
  const after: Record<string, AttributeValue> = { ...before };
  for (const { attribute, value } of update.set)
    after[resolvedName(attribute, placeholders)] = evaluated(value, before, placeholders);
  for (const attribute of update.remove) delete after[resolvedName(attribute, placeholders)];
  for (const { attribute, value } of update.add) {
    const added = placeholders.values[value] as AttributeValue;
    const there = valueAt(before, [attribute], placeholders);
    after[resolvedName(attribute, placeholders)] = there ? sum(there, added) : added;
  }
  return after;
}

function evaluated(value: SetValue, item: Item, placeholders: Placeholders): AttributeValue {
  switch (value.kind) {
    case 'value':
      return placeholders.values[value.name] as AttributeValue;
    case 'path': {
      const there = valueAt(item, value.path, placeholders);
      if (there) return there;
      throw new ValidationError(
        'The provided expression refers to an attribute that does not exist in the item',
      );
    }
    case 'if_not_exists':
      return (
        valueAt(item, value.path, placeholders) ?? evaluated(value.otherwise, item, placeholders)
      );
    case 'sum':
      return sum(
        evaluated(value.left, item, placeholders),
        evaluated(value.right, item, placeholders),
      );
  }
}

function sum(one: AttributeValue, other: AttributeValue): AttributeValue {
  if (one.N === undefined || other.N === undefined) {
    throw new ValidationError('An operand in the update expression has an incorrect data type');
  }
  return { N: addNumbers(one.N, other.N) };
}
