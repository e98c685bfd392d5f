import { type AttributeValue, compareValues, equalValues, type Item } from '../attribute-values.ts';
import type { Comparator, Condition } from './condition.ts';
import type { Operand } from './parser.ts';
import { type Placeholders, valueAt } from './scope.ts';

/** Whether an item meets a condition; one that is not there is an item without attributes. */
export function holds(condition: Condition, item: Item, placeholders: Placeholders): boolean {
  const valueOf = (operand: Operand): AttributeValue | undefined =>
    operand.kind === 'value'
      ? placeholders.values[operand.name]
      : valueAt(item, operand.path, placeholders);
  switch (condition.kind) {
    case 'and':
      return condition.of.every((one) => holds(one, item, placeholders));
    case 'or':
      return condition.of.some((one) => holds(one, item, placeholders));
    case 'compare':
      return compares(condition.comparator, valueOf(condition.left), valueOf(condition.right));
    case 'between': {
      const value = valueOf(condition.value);
      return (
        compares('>=', value, valueOf(condition.low)) &&
        compares('<=', value, valueOf(condition.high))
      );
    }
    case 'function':
      return answerOf(condition.name, condition.operands.map(valueOf));
  }
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
  if (order === 0) return comparator === '<=' || comparator === '>=';
  return order < 0 ? comparator.startsWith('<') : comparator.startsWith('>');
}

function answerOf(name: string, [value, other]: readonly (AttributeValue | undefined)[]): boolean {
  switch (name) {
    case 'attribute_exists':
      return value !== undefined;
    case 'attribute_not_exists':
      return value === undefined;
    default: // begins_with
      return value?.S !== undefined && other?.S !== undefined && value.S.startsWith(other.S);
  }
}
