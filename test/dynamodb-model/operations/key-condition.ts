import type { AttributeValue, Item } from '../attribute-values.ts';
import { invalidValue, ValidationError } from '../errors.ts';
import { attributesOf, type Condition, holds } from '../expressions/condition.ts';
import type { KeySchema } from '../table-schema.ts';

/** Which items of which partition a query asks for. */
export interface KeyRange {
  readonly partition: string;
  /** Whether an item meets the query's condition on the sort key. */
  readonly includes: (item: Item) => boolean;
}

/** Reads a key condition. @throws ValidationError for one that no key can have */
export function keyRangeOf(condition: Condition, schema: KeySchema): KeyRange {
  const parts = 'of' in condition && condition.join === 'AND' ? condition.of : [condition];
  for (const part of parts) assertKeyCondition(part);
  const names = parts.flatMap(attributesOf);
  if (new Set(names).size < names.length)
    throw new ValidationError('KeyConditionExpressions must only contain one condition per key');
  if (parts.length > 2) throw new ValidationError('Conditions can be of length 1 or 2 only');
  const on = (name: string): Condition | undefined => parts[names.indexOf(name)];
  const partition = on(schema.partition);
  if (!partition) throw missed(schema.partition);
  const sort = on(schema.sort);
  if (!sort && parts.length > 1) throw missed(schema.sort);
  if ('of' in partition || partition.operator !== '=')
    throw new ValidationError('Query key condition not supported');
  return {
    partition: partition.values[0]?.S ?? '',
    includes: (item) => !sort || holds(sort, item),
  };
}

const missed = (name: string): ValidationError =>
  new ValidationError(`Query condition missed key schema element: ${name}`);

/** A key condition is on one attribute, whose values are texts. @throws ValidationError */
function assertKeyCondition(condition: Condition): void {
  if ('of' in condition || !/^(=|[<>]=?|BETWEEN|begins_with)$/.test(condition.operator))
    throw new ValidationError('Invalid operator used in KeyConditionExpression');
  if (condition.path.length > 1)
    throw new ValidationError('KeyConditionExpressions have conditions on attributes alone');
  condition.values.forEach(assertKeyText);
}

function assertKeyText({ S }: AttributeValue): void {
  if (S === undefined) throw invalidValue('Condition parameter type does not match schema type');
  if (S === '')
    throw new ValidationError(
      'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value.',
    );
}
