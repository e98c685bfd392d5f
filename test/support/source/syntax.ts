import { parseAst } from 'vitest/node';
import { sources } from './files.ts';

/** What the source files declare, as a parser reads them. */

export interface FunctionSize {
  /** The file and the name, `infra/app.ts main`; an unnamed function goes by the property or constant that holds it. */
  readonly name: string;
  readonly lines: number;
  readonly parameters: number;
}

type Node = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly start: number;
  readonly end: number;
};
type Visit = (node: Node, parent: Node | undefined) => void;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { type?: unknown }).type === 'string';

function walk(value: unknown, visit: Visit, parent?: Node): void {
  if (Array.isArray(value)) for (const one of value) walk(one, visit, parent);
  if (!isNode(value)) return;
  visit(value, parent);
  for (const child of Object.values(value)) walk(child, visit, value);
}

function walkFile(file: string, visit: Visit): void {
  const lang = file.endsWith('.mjs') ? 'js' : 'ts';
  walk(parseAst(sources.get(file) ?? '', { lang, astType: 'ts' }), visit);
}

const functionTypes = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'TSDeclareFunction',
]);
const nameIn = (node: Node | undefined): unknown =>
  ((node?.id ?? node?.key) as { name?: unknown } | undefined)?.name;

/** Every function of a file, methods and arrow functions included. */
export function functionsOf(file: string): FunctionSize[] {
  const source = sources.get(file) ?? '';
  const found: FunctionSize[] = [];
  walkFile(file, (node, parent) => {
    if (!functionTypes.has(node.type)) return;
    const parameters = (node.params as { name?: string }[]).filter(
      ({ name }) => name !== 'this',
    ).length;
    const lines = source.slice(node.start, node.end).split('\n').length;
    found.push({
      name: `${file} ${nameIn(node) ?? nameIn(parent) ?? '(unnamed)'}`,
      lines,
      parameters,
    });
  });
  return found;
}

/** Every identifier that a file uses, property names and types included. */
export function identifiersOf(file: string): ReadonlySet<string> {
  const found = new Set<string>();
  walkFile(file, (node) => {
    if (node.type === 'Identifier' || node.type === 'PrivateIdentifier')
      found.add(String(node.name));
  });
  return found;
}
