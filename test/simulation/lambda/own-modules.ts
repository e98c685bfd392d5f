import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModuleGraph, moduleGraph, projectFolder } from './bundle-text.ts';

/** Changes source text on its way into a bundle. The path is relative to the project's folder. */
export type ChangeSource = (path: string, text: string) => string;

/**
 * Text that may keep something from one request to the next, or ask for its process's environment, when it is evaluated: a variable, a
 * cache, an object made of a class. What holds only words, patterns and rules does not.
 */
const keeping: readonly RegExp[] = [
  /^(export )?(let|var) /m,
  /^(export )?const [^=\n]*=\s*(\[\]|\{\}|Object\.create\()/m,
  /^(export )?const [^=\n]*=\s*new (?!RegExp\b|FieldIssue\b|(Set|Map)(<[^()]*>)?\([^)])/m,
  /^\s*static (?!override )[^(\n]*=/m,
  /^\S.*\bprocess\.env\b/m,
];

const sources = new Map<string, string>();
function sourceOf(path: string): string {
  const known = sources.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(projectFolder, path), 'utf8');
  sources.set(path, text);
  return text;
}

/** The service's own modules by what becomes of them. */
export interface OwnModules {
  /** Neither they nor what they import keep anything: evaluated once for all processes. Paths relative to the project's folder. */
  readonly shared: readonly string[];
  /** Of these, the text is another than in the file. */
  readonly changed: readonly string[];
}

/** @param entry source text whose imports, and theirs, are looked at */
export async function ownModules(
  entry: string,
  change: ChangeSource = (_path, text) => text,
): Promise<OwnModules> {
  const graph = await graphOf(entry);
  const texts = new Map([...graph.keys()].map((path) => [path, change(path, sourceOf(path))]));
  const shared = new Set(graph.keys());
  for (const [path, text] of texts)
    if (keeping.some((one) => one.test(text))) removeWithImporters(path, graph, shared);
  return {
    shared: [...shared].sort(),
    changed: [...shared].filter((path) => texts.get(path) !== sourceOf(path)),
  };
}

function removeWithImporters(path: string, graph: ModuleGraph, shared: Set<string>): void {
  if (!shared.delete(path)) return;
  for (const [importer, imports] of graph)
    if (imports.includes(path)) removeWithImporters(importer, graph, shared);
}

const graphs = new Map<string, Promise<ModuleGraph>>();
function graphOf(entry: string): Promise<ModuleGraph> {
  const known = graphs.get(entry) ?? moduleGraph(entry);
  graphs.set(entry, known);
  return known;
}
