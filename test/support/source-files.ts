import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { projectFolder } from './service-process.ts';

/** The project's source files, and who imports whom. */

export interface Import {
  readonly from: string;
  /** The file, relative to the project's folder; a package or a module of Node by its name. */
  readonly to: string;
  /** Gone when the types are stripped. */
  readonly isTypeOnly: boolean;
}

/** Every .ts and .mjs file, by its path from the project's folder. */
export const files: readonly string[] = ['functions', 'shared', 'infra', 'test'].flatMap((folder) =>
  readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.(ts|mjs)$/.test(file)),
);
export const sources: ReadonlyMap<string, string> = new Map(
  files.map((file) => [file, readFileSync(join(projectFolder, file), 'utf8')]),
);

// Skips imports in generated code, whose path is a placeholder.
const statement =
  /^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|^import\s+()'([^']+)'|\bimport\(\s*()'([^'$]+)'/gm;

function importsOf(file: string, source: string): Import[] {
  return [...source.matchAll(statement)].map(([, type, ...rest]) => {
    const named = rest.find((one) => one) ?? '';
    return {
      from: file,
      to: named.startsWith('.') ? normalize(join(dirname(file), named)) : named,
      isTypeOnly: type !== undefined,
    };
  });
}

export const imports: readonly Import[] = [...sources].flatMap(([file, source]) =>
  importsOf(file, source),
);
/** Those of the project's own files. */
export const ownImports: readonly Import[] = imports.filter(({ to }) => sources.has(to));

const importsByFile = Map.groupBy(imports, ({ from }) => from);

/** All that a file imports, directly or not: files, packages and modules of Node. */
export function reachedFrom(
  file: string,
  { withTypes }: { readonly withTypes: boolean },
): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (from: string): void => {
    for (const { to, isTypeOnly } of importsByFile.get(from) ?? []) {
      if ((isTypeOnly && !withTypes) || reached.has(to)) continue;
      reached.add(to);
      visit(to);
    }
  };
  visit(file);
  return reached;
}

/** The groups of files that import each other, directly or not, type imports included. */
export function importCircles(): string[][] {
  const reached = new Map(files.map((file) => [file, reachedFrom(file, { withTypes: true })]));
  const inCircle = files.filter((file) => reached.get(file)?.has(file));
  const members = (file: string): string[] =>
    inCircle
      .filter((other) => reached.get(file)?.has(other) && reached.get(other)?.has(file))
      .sort();
  return [...new Map(inCircle.map((file) => [members(file).join(), members(file)])).values()];
}
