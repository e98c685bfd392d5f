import type { AttributeValue, Item } from '../attribute-values.ts';
import { cached, Parser } from './parser.ts';
import {
  assertApart,
  assertDefined,
  type Placeholders,
  resolvedName,
  type UsedPlaceholders,
} from './scope.ts';

export interface Projection extends UsedPlaceholders {
  readonly attributes: readonly string[];
}

/** @throws ExpressionError */
const parseProjection = cached((expression: string): Projection => {
  const parser = new Parser(expression);
  const attributes = [parser.attribute()];
  while (parser.takeSign(',')) attributes.push(parser.attribute());
  parser.expectEnd();
  return { attributes, names: parser.names, values: parser.values };
});

/** Reads a projection, with the names that its placeholders stand for. @throws ExpressionError */
export function readProjection(expression: string, placeholders: Placeholders): Projection {
  const projection = parseProjection(expression);
  assertDefined(projection, placeholders);
  const attributes = projection.attributes.map((name) => resolvedName(name, placeholders));
  assertApart(attributes);
  return { ...projection, attributes };
}

/** An item's attributes of these names. */
export function projected(item: Item, attributes: readonly string[]): Item {
  const part: Record<string, AttributeValue> = {};
  for (const name of attributes)
    if (Object.hasOwn(item, name)) part[name] = item[name] as AttributeValue;
  return part;
}
