import type { AttributeValue, Item } from '../attribute-values.ts';
import { typeOf } from '../attribute-values.ts';
import type { Path } from './parser.ts';
import { ExpressionError } from './tokens.ts';

/** What the placeholders of a request's expressions stand for. */
export interface Placeholders {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Item;
}

/** The placeholders that an expression uses. */
export interface UsedPlaceholders {
  readonly names: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

/** @throws ExpressionError for a placeholder that stands for nothing */
export function assertDefined(used: UsedPlaceholders, { names, values }: Placeholders): void {
  for (const name of used.names) {
    if (!Object.hasOwn(names, name)) {
      throw new ExpressionError(
        `An expression attribute name used in the document path is not defined; attribute name: ${name}`,
      );
    }
  }
  for (const value of used.values) {
    if (!Object.hasOwn(values, value)) {
      throw new ExpressionError(
        `An expression attribute value used in expression is not defined; attribute value: ${value}`,
      );
    }
  }
}

export const resolvedName = (part: string, { names }: Placeholders): string =>
  part.startsWith('#') ? (names[part] as string) : part;

/** @throws ExpressionError where two of the attributes are one */
export function assertApart(attributes: readonly string[]): void {
  if (new Set(attributes).size < attributes.length) {
    throw new ExpressionError(
      'Two document paths overlap with each other; must remove or rewrite one of these paths',
    );
  }
}

/** The value under a path; undefined where there is none. */
export function valueAt(
  item: Item,
  path: Path,
  placeholders: Placeholders,
): AttributeValue | undefined {
  let map: Item | undefined = item;
  let value: AttributeValue | undefined;
  for (const part of path) {
    const name = resolvedName(part, placeholders);
    value = map && Object.hasOwn(map, name) ? map[name] : undefined;
    map = value?.M;
  }
  return value;
}

/** @throws ExpressionError naming the operator and the type of a value that it does not take */
export function assertType(
  operator: string,
  name: string,
  { values }: Placeholders,
  types: readonly string[],
): void {
  const type = typeOf(values[name] ?? {});
  if (type === undefined || types.includes(type)) return;
  throw new ExpressionError(
    `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`,
  );
}
