import { type AttributeValue, addNumbers, type Item } from '../attribute-values.ts';
import { ValidationError } from '../errors.ts';
import { cached, Parser, type Path } from './parser.ts';
import {
  assertApart,
  assertDefined,
  assertType,
  type Placeholders,
  resolvedName,
  type UsedPlaceholders,
  valueAt,
} from './scope.ts';
import { ExpressionError } from './tokens.ts';

/** An attribute, a value by its placeholder, or the first where it is there and else the second: `if_not_exists`. */
interface SetOperand {
  readonly path?: Path;
  readonly value?: string;
}

/** `SET attribute = …`, the sum of its operands. */
interface SetAction {
  readonly attribute: string;
  readonly operands: readonly SetOperand[];
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
      if (section === 'SET') update.set.push({ attribute, operands: operandsOf(parser) });
      else if (section === 'REMOVE') update.remove.push(attribute);
      else update.add.push({ attribute, value: parser.value() });
    } while (parser.takeSign(','));
  }
  return { ...update, names: parser.names, values: parser.values };
});

function operandsOf(parser: Parser): SetOperand[] {
  parser.expectSign('=');
  const first = setOperand(parser);
  return parser.takeSign('+') ? [first, setOperand(parser)] : [first];
}

function setOperand(parser: Parser): SetOperand {
  const name = parser.takeFunction();
  if (name === undefined)
    return parser.next.kind === 'value' ? { value: parser.value() } : { path: parser.path() };
  if (name !== 'if_not_exists')
    throw new ExpressionError(`Invalid function name; function: ${name}`);
  const path = parser.path();
  parser.expectSign(',');
  const value = parser.value();
  parser.expectSign(')');
  return { path, value };
}

/** Reads an update and checks it against the placeholders of its request. @throws ExpressionError */
export function readUpdate(expression: string, placeholders: Placeholders): Update {
  const update = parseUpdate(expression);
  assertDefined(update, placeholders);
  assertApart(writtenAttributes(update, placeholders));
  for (const { operands } of update.set)
    for (const { value } of operands)
      if (operands.length > 1 && value) assertType('+', value, placeholders, ['N']);
  for (const { value } of update.add) assertType('ADD', value, placeholders, ['N']);
  return update;
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
  for (const { attribute, operands } of update.set)
    after[resolvedName(attribute, placeholders)] = operands
      .map((operand) => evaluated(operand, before, placeholders))
      .reduce(sum);
  for (const attribute of update.remove) delete after[resolvedName(attribute, placeholders)];
  for (const { attribute, value } of update.add) {
    const added = placeholders.values[value] as AttributeValue;
    const there = valueAt(before, [attribute], placeholders);
    after[resolvedName(attribute, placeholders)] = there ? sum(there, added) : added;
  }
  return after;
}

function evaluated(
  { path, value }: SetOperand,
  item: Item,
  placeholders: Placeholders,
): AttributeValue {
  const there = path && valueAt(item, path, placeholders);
  const found = there ?? (value === undefined ? undefined : placeholders.values[value]);
  if (found) return found;
  throw new ValidationError(
    'The provided expression refers to an attribute that does not exist in the item',
  );
}

function sum(one: AttributeValue, other: AttributeValue): AttributeValue {
  if (one.N === undefined || other.N === undefined) {
    throw new ValidationError('An operand in the update expression has an incorrect data type');
  }
  return { N: addNumbers(one.N, other.N) };
}
