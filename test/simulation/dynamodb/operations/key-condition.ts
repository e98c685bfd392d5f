import { type AttributeValue, compareValues, typeOf } from '../attribute-values.ts';
import { invalidValue, ValidationError } from '../errors.ts';
import type { Comparator, Condition } from '../expressions/parsed-condition.ts';
import type { Operand } from '../expressions/parser.ts';
import { type Placeholders, resolvedName } from '../expressions/scope.ts';
import type { KeyAttribute, KeySchema } from '../table-schema.ts';

/** Which items of which partition a query asks for. */
export interface KeyRange {
  readonly partition: AttributeValue;
  /** Whether the query's condition on the sort key holds; without one, undefined. */
  readonly sort: ((value: AttributeValue) => boolean) | undefined;
}

interface Part {
  readonly name: string;
  readonly comparator: Comparator | 'between' | 'begins_with';
  readonly values: readonly AttributeValue[];
}

const mirrored: Readonly<Record<string, Comparator>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '=': '=',
};

/** Reads a key condition. @throws ValidationError */
export function keyRangeOf(
  condition: Condition,
  schema: KeySchema,
  placeholders: Placeholders,
): KeyRange {
  const parts = partsOf(condition, placeholders);
  const names = parts.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    throw new ValidationError('KeyConditionExpressions must only contain one condition per key');
  }
  if (parts.length > 2) throw new ValidationError('Conditions can be of length 1 or 2 only');
  const partition = parts.find(({ name }) => name === schema.partition.name);
  if (!partition) throw missed(schema.partition.name);
  const [value] = partition.values;
  if (partition.comparator !== '=' || !value)
    throw new ValidationError('Query key condition not supported');
  assertType(value, schema.partition);
  const sort = parts.find((part) => part !== partition);
  if (!sort) return { partition: value, sort: undefined };
  if (!schema.sort || sort.name !== schema.sort.name) throw missed(schema.sort?.name ?? sort.name);
  for (const bound of sort.values) assertType(bound, schema.sort);
  return { partition: value, sort: (candidate) => isWithin(sort, candidate) };
}

const missed = (name: string): ValidationError =>
  new ValidationError(`Query condition missed key schema element: ${name}`);

function assertType(value: AttributeValue, { name, type }: KeyAttribute): void {
  if (value[type] === undefined) {
    throw invalidValue('Condition parameter type does not match schema type');
  }
  if (value.S === '') {
    throw new ValidationError(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
    );
  }
}

function partsOf(condition: Condition, placeholders: Placeholders): Part[] {
  if (condition.kind === 'and') return condition.of.flatMap((one) => partsOf(one, placeholders));
  if (condition.kind === 'compare' && condition.comparator !== '<>') {
    const isMirrored = condition.left.kind === 'value';
    const [path, value] = isMirrored
      ? [condition.right, condition.left]
      : [condition.left, condition.right];
    const comparator = isMirrored ? (mirrored[condition.comparator] ?? '=') : condition.comparator;
    return [
      { name: nameOf(path, placeholders), comparator, values: [valueOf(value, placeholders)] },
    ];
  }
  if (condition.kind === 'between') {
    const values = [condition.low, condition.high].map((bound) => valueOf(bound, placeholders));
    return [{ name: nameOf(condition.value, placeholders), comparator: 'between', values }];
  }
  if (condition.kind === 'function' && condition.name === 'begins_with') {
    const [path, prefix] = condition.operands as [Operand, Operand];
    return [
      {
        name: nameOf(path, placeholders),
        comparator: 'begins_with',
        values: [valueOf(prefix, placeholders)],
      },
    ];
  }
  const operator =
    condition.kind === 'function'
      ? condition.name
      : condition.kind === 'compare'
        ? '<>'
        : condition.kind.toUpperCase();
  throw new ValidationError(`Invalid operator used in KeyConditionExpression: ${operator}`);
}

function nameOf(operand: Operand, placeholders: Placeholders): string {
  if (operand.kind !== 'path')
    throw new ValidationError(
      'Invalid condition in KeyConditionExpression: No key attribute specified',
    );
  const [name] = operand.path;
  if (operand.path.length > 1 || typeof name !== 'string') {
    throw new ValidationError(
      'KeyConditionExpressions cannot have conditions on nested attributes',
    );
  }
  return resolvedName(name, placeholders);
}

function valueOf(operand: Operand, { values }: Placeholders): AttributeValue {
  if (operand.kind === 'path') {
    throw new ValidationError(
      'Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition',
    );
  }
  if (operand.kind === 'function')
    throw new ValidationError('KeyConditionExpressions cannot contain nested operations');
  return values[operand.name] as AttributeValue;
}

function isWithin({ comparator, values }: Part, candidate: AttributeValue): boolean {
  const [first, second] = values as [AttributeValue, AttributeValue];
  if (comparator === 'begins_with') return candidate.S?.startsWith(first.S ?? '') ?? false;
  const order = compareValues(candidate, first);
  if (order === undefined) return typeOf(candidate) === typeOf(first) && false;
  if (comparator === 'between') return order >= 0 && (compareValues(candidate, second) ?? 1) <= 0;
  if (comparator === '=') return order === 0;
  return comparator === '<'
    ? order < 0
    : comparator === '<='
      ? order <= 0
      : comparator === '>'
        ? order > 0
        : order >= 0;
}
