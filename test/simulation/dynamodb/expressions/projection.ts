import type { AttributeValue, Item } from '../attribute-values.ts';
import { cached, Parser, type Path } from './parser.ts';
import {
  assertDefined,
  type Placeholders,
  resolvedPath,
  shownPath,
  type UsedPlaceholders,
  valueAt,
} from './scope.ts';
import { ExpressionError } from './tokens.ts';

export interface Projection extends UsedPlaceholders {
  readonly paths: readonly Path[];
}

/** @throws ExpressionError */
const parseProjection = cached((expression: string): Projection => {
  const parser = new Parser(expression);
  const paths = [parser.path()];
  while (parser.takeSign(',')) paths.push(parser.path());
  parser.expectEnd();
  return { paths, names: parser.names, values: parser.values };
});

/** Reads a projection and checks it against the placeholders of its request. @throws ExpressionError */
export function readProjection(expression: string, placeholders: Placeholders): Projection {
  const projection = parseProjection(expression);
  assertDefined(projection, placeholders);
  const paths = projection.paths.map((path) => resolvedPath(path, placeholders));
  for (const [at, path] of paths.entries()) {
    const twin = paths
      .slice(0, at)
      .find((before) =>
        before.every((part, place) => path[place] === part || place >= path.length),
      );
    if (!twin) continue;
    throw new ExpressionError(
      `Two document paths overlap with each other; must remove or rewrite one of these paths; path one: ${shownPath(twin)}, path two: ${shownPath(path)}`,
    );
  }
  return projection;
}

/** The part of an item that paths name. Elements of a list come one after the other, without the others between them. */
export function projected(item: Item, paths: readonly Path[], placeholders: Placeholders): Item {
  const tree: Tree = new Map();
  for (const path of paths) {
    if (!valueAt(item, path, placeholders)) continue;
    let node = tree;
    for (const part of resolvedPath(path, placeholders)) {
      const next = node.get(part) ?? new Map();
      node.set(part, next);
      node = next;
    }
  }
  return tree.size === 0 ? {} : (pick({ M: item }, tree).M ?? {});
}

interface Tree extends Map<string | number, Tree> {}

function pick(value: AttributeValue, tree: Tree): AttributeValue {
  if (tree.size === 0) return value;
  if (value.L) {
    const { L } = value;
    const places = [...tree.keys()]
      .filter((part) => typeof part === 'number')
      .sort((a, b) => a - b);
    return {
      L: places.map((place) => pick(L[place] as AttributeValue, tree.get(place) ?? new Map())),
    };
  }
  const { M = {} } = value;
  return {
    M: Object.fromEntries(
      [...tree].map(([part, inner]) => [part, pick(M[part as string] as AttributeValue, inner)]),
    ),
  };
}
