import type { AttributeValue, Item } from '../attribute-values.ts';
import { invalidValue, ValidationError } from '../errors.ts';
import { type Condition, holds, type Predicate } from '../expressions/condition.ts';
import { type Placeholders, resolvedName } from '../expressions/scope.ts';
import type { KeySchema } from '../table-schema.ts';

/** Which items of which partition a query asks for. */
export interface KeyRange {
  readonly partition: string;
  /** Whether an item meets the query's condition on the sort key. */
  readonly includes: (item: Item) => boolean;
}

/** Reads a key condition. @throws ValidationError */
export function keyRangeOf(
  condition: Condition,
  schema: KeySchema,
  placeholders: Placeholders,
): KeyRange {
  const parts = ('of' in condition && condition.join === 'AND' ? condition.of : [condition]).map(
    (one) => partOf(one, placeholders),
  );
  const names = parts.map(({ name }) => name);
  if (new Set(names).size < names.length)
    throw new ValidationError('KeyConditionExpressions must only contain one condition per key');
  if (parts.length > 2) throw new ValidationError('Conditions can be of length 1 or 2 only');
  const partition = parts.find(({ name }) => name === schema.partition);
  if (!partition) throw missed(schema.partition);
  const [value] = partition.values;
  if (partition.condition.operator !== '=' || !value)
    throw new ValidationError('Query key condition not supported');
  const sort = parts.find((part) => part !== partition);
  if (!sort) return { partition: value, includes: () => true };
  if (sort.name !== schema.sort) throw missed(schema.sort);
  return { partition: value, includes: (item) => holds(sort.condition, item, placeholders) };
}

const missed = (name: string): ValidationError =>
  new ValidationError(`Query condition missed key schema element: ${name}`);

/** A condition on one attribute, whose values are texts. @throws ValidationError for a condition that no key can have */
function partOf(condition: Condition, placeholders: Placeholders) {
  if ('of' in condition || !/^(=|[<>]=?|BETWEEN|begins_with)$/.test(condition.operator))
    throw new ValidationError('Invalid operator used in KeyConditionExpression');
  const { values } = condition;
  return {
    name: nameOf(condition, placeholders),
    condition,
    values: values.map((value) => textOf(placeholders.values[value])),
  };
}

function nameOf({ path: [name = '', ...inner] }: Predicate, placeholders: Placeholders): string {
  if (inner.length === 0) return resolvedName(name, placeholders);
  throw new ValidationError('KeyConditionExpressions have conditions on attributes alone');
}

function textOf(value: AttributeValue | undefined): string {
  if (value?.S === undefined)
    throw invalidValue('Condition parameter type does not match schema type');
  if (value.S !== '') return value.S;
  throw new ValidationError(
    'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value.',
  );
}
