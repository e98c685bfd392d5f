import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModuleGraph, moduleGraph, projectFolder } from './bundle-text.ts';
import { withKeptState } from './kept-state.ts';

/** Changes source text on its way into a bundle. The path is relative to the project's folder. */
export type ChangeSource = (path: string, text: string) => string;

const sources = new Map<string, string>();
function sourceOf(path: string): string {
  const known = sources.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(projectFolder, path), 'utf8');
  sources.set(path, text);
  return text;
}

/** The service's own modules that are evaluated once for all processes. Paths relative to the project's folder. */
export interface OwnModules {
  /** Their texts are those of the files, and so are the texts of all that they import. */
  readonly unchanged: readonly string[];
  /** All others. */
  readonly changed: readonly string[];
}

/**
 * @param entry source text whose imports, and theirs, are looked at. Left out are modules that keep something which is not recognized as a
 *   process's own, and those that import one
 */
export async function ownModules(entry: string, change: ChangeSource): Promise<OwnModules> {
  const graph = await graphOf(entry);
  const isShared = new Set<string>();
  const isUnchanged = new Set<string>();
  for (const path of graph.keys()) {
    const text = sourceOf(path);
    const ownText = change(path, text);
    if (ownText === text) isUnchanged.add(path);
    if ((await withKeptState(path, ownText)) !== undefined) isShared.add(path);
  }
  const shared = withImports(graph, isShared);
  const unchanged = withImports(graph, isUnchanged);
  return {
    unchanged: [...shared].filter((path) => unchanged.has(path)),
    changed: [...shared].filter((path) => !unchanged.has(path)),
  };
}

/** The modules that are of a kind, as is all that they import. */
function withImports(graph: ModuleGraph, ofKind: ReadonlySet<string>): Set<string> {
  const left = new Set(graph.keys());
  for (const path of graph.keys()) if (!ofKind.has(path)) removeWithImporters(path, graph, left);
  return left;
}

function removeWithImporters(path: string, graph: ModuleGraph, modules: Set<string>): void {
  if (!modules.delete(path)) return;
  for (const [importer, imports] of graph)
    if (imports.includes(path)) removeWithImporters(importer, graph, modules);
}

const graphs = new Map<string, Promise<ModuleGraph>>();
function graphOf(entry: string): Promise<ModuleGraph> {
  const known = graphs.get(entry) ?? moduleGraph(entry);
  graphs.set(entry, known);
  return known;
}
