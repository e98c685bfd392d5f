import type { Item } from '../attribute-values.ts';
import { invalidValue, ValidationError } from '../errors.ts';
import type { Condition } from '../expressions/condition.ts';
import { holds } from '../expressions/holds.ts';
import type { Operand } from '../expressions/parser.ts';
import { type Placeholders, resolvedName } from '../expressions/scope.ts';
import { type KeySchema, keyTextOf } from '../table-schema.ts';

/** Which items of which partition a query asks for. */
export interface KeyRange {
  readonly partition: string;
  /** Whether an item meets the query's condition on the sort key. */
  readonly includes: (item: Item) => boolean;
}

/** A condition on one attribute. */
interface Part {
  readonly name: string;
  readonly condition: Condition;
  readonly values: readonly string[];
}

/** Reads a key condition. @throws ValidationError */
export function keyRangeOf(
  condition: Condition,
  schema: KeySchema,
  placeholders: Placeholders,
): KeyRange {
  const parts = (condition.kind === 'and' ? condition.of : [condition]).map((one) =>
    partOf(one, placeholders),
  );
  const names = parts.map(({ name }) => name);
  if (new Set(names).size < names.length)
    throw new ValidationError('KeyConditionExpressions must only contain one condition per key');
  if (parts.length > 2) throw new ValidationError('Conditions can be of length 1 or 2 only');
  const partition = parts.find(({ name }) => name === schema.partition);
  if (!partition) throw missed(schema.partition);
  const [value] = partition.values;
  if (partition.condition.kind !== 'compare' || partition.condition.comparator !== '=' || !value)
    throw new ValidationError('Query key condition not supported');
  const sort = parts.find((part) => part !== partition);
  if (!sort) return { partition: value, includes: () => true };
  if (sort.name !== schema.sort) throw missed(schema.sort);
  return { partition: value, includes: (item) => holds(sort.condition, item, placeholders) };
}

const missed = (name: string): ValidationError =>
  new ValidationError(`Query condition missed key schema element: ${name}`);

function partOf(condition: Condition, placeholders: Placeholders): Part {
  const [attribute, ...values] = operandsOf(condition);
  return {
    name: nameOf(attribute, placeholders),
    condition,
    values: values.map((value) => valueOf(value, placeholders)),
  };
}

/** The attribute first. @throws ValidationError for a condition that no key can have */
function operandsOf(condition: Condition): readonly Operand[] {
  if (condition.kind === 'compare' && condition.comparator !== '<>')
    return [condition.left, condition.right];
  if (condition.kind === 'between') return [condition.value, condition.low, condition.high];
  if (condition.kind === 'function' && condition.name === 'begins_with') return condition.operands;
  throw new ValidationError('Invalid operator used in KeyConditionExpression');
}

function nameOf(operand: Operand | undefined, placeholders: Placeholders): string {
  const [name, ...inner] = operand?.kind === 'path' ? operand.path : [];
  if (name === undefined || inner.length > 0)
    throw new ValidationError('KeyConditionExpressions have conditions on attributes alone');
  return resolvedName(name, placeholders);
}

function valueOf(operand: Operand, { values }: Placeholders): string {
  if (operand.kind === 'path') {
    throw new ValidationError(
      'Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition',
    );
  }
  const value = values[operand.name];
  if (value?.S === undefined)
    throw invalidValue('Condition parameter type does not match schema type');
  const text = keyTextOf(value);
  if (text !== '') return text;
  throw new ValidationError(
    'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value.',
  );
}
