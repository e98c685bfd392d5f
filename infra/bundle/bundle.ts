import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { BuildOptions as EsbuildOptions, Plugin } from 'esbuild';
import { type Endpoint, endpoints } from '../../shared/endpoints.ts';
import { builtinsWithoutFacade, replacedPackages } from './esbuild-plugins.ts';
import { replaceFile } from './replace-file.ts';

export const projectFolder = resolve(import.meta.dirname, '..', '..');
export const defaultFunctionsFolder = join(projectFolder, 'functions');
export const distFolder = join(projectFolder, 'dist');

/** Lambda finds it by the handler setting `index.handler`. Beside it is its source map, `index.mjs.map`, by which a function logs source lines (shared/log.ts). */
export const bundleFile = 'index.mjs';

/** The folder that is uploaded for a function. */
export const bundleFolder = (name: string): string => join(distFolder, name);

const releaseDigits = 12;

/** Names a bundle by its content. The function has the name in its environment, and the lines of its errors have it. */
export const releaseOf = (code: Uint8Array): string =>
  createHash('sha256').update(code).digest('hex').slice(0, releaseDigits);

/** Which bundle of a function is built, as its log lines will say. */
export const builtRelease = (name: string): string =>
  releaseOf(readFileSync(join(bundleFolder(name), bundleFile)));

/** A built function. */
export interface Bundle {
  /** What is uploaded. */
  readonly code: Uint8Array;
  /** The source files that went into it, relative to the project's folder. */
  readonly inputs: readonly string[];
  /** The modules it still imports when it runs. */
  readonly imports: readonly string[];
}

/** As it is deployed. */
export interface FunctionBundle extends Bundle {
  readonly sourceMap: Uint8Array;
}

export interface BuildOptions {
  /** Contains `<function>.ts`. @default functions/ */
  readonly functionsFolder?: string;
  /** Gets `<function>/index.mjs` and its map. @default dist/ */
  readonly distFolder?: string;
}

/** The endpoints whose function exists. An endpoint without one is not routed. */
export function writtenEndpoints(
  functionsFolder: string = defaultFunctionsFolder,
): readonly Endpoint[] {
  return endpoints.filter(({ name }) => existsSync(join(functionsFolder, `${name}.ts`)));
}

/** Imported when something is built: an administrator's command, which builds nothing, saves 30 ms. */
const loadEsbuild = () => import('esbuild');

/** How every function is bundled (design, section 8). */
const esbuildOptions = {
  absWorkingDir: projectFolder,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  alias: replacedPackages,
  mainFields: ['module', 'main'],
  // A text of one byte a character compiles faster than one of two, which a single "…" of a package would make of the whole bundle.
  charset: 'ascii',
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
  // A function must export a handler.
  logOverride: { 'import-is-undefined': 'error' },
} as const satisfies EsbuildOptions;

/** The function that publishes events: it serves no endpoint. */
export const publisherName = 'publish-events';

/** Every function whose file exists. */
export const writtenFunctions = (
  functionsFolder: string = defaultFunctionsFolder,
): readonly string[] => [
  ...writtenEndpoints(functionsFolder).map(({ name }) => name),
  ...(existsSync(join(functionsFolder, `${publisherName}.ts`)) ? [publisherName] : []),
];

/**
 * Bundles a module with all its imports, as every function is bundled.
 * @param source the module's text
 * @param plugins other plugins, to measure what the default ones save
 */
export async function bundle(
  source: string,
  plugins: readonly Plugin[] = [builtinsWithoutFacade],
): Promise<Bundle> {
  const { build } = await loadEsbuild();
  const { outputFiles, metafile } = await build({
    ...esbuildOptions,
    stdin: { contents: source, resolveDir: projectFolder, sourcefile: 'entry.ts', loader: 'ts' },
    plugins: [...plugins],
  });
  const [output] = outputFiles;
  if (!output) throw new Error('esbuild returned no bundle.');
  const imports = Object.values(metafile.outputs).flatMap((file) =>
    file.imports.map(({ path }) => path),
  );
  return { code: output.contents, inputs: Object.keys(metafile.inputs), imports };
}

/** The module that is bundled for a function: only its handler, not the other exports of its file. */
const sourceOf = (name: string, functionsFolder: string): string =>
  `export { handler } from ${JSON.stringify(join(functionsFolder, `${name}.ts`))};`;

/** Bundles one function. */
export async function bundleFunction(
  name: string,
  functionsFolder: string = defaultFunctionsFolder,
): Promise<Bundle> {
  return bundle(sourceOf(name, functionsFolder));
}

/**
 * Bundles every existing function in one build, which parses each module once.
 * @returns byte for byte what `bundleFunction` returns, by name, and the source maps
 */
export async function bundleFunctions(
  functionsFolder: string = defaultFunctionsFolder,
): Promise<ReadonlyMap<string, FunctionBundle>> {
  const names = writtenFunctions(functionsFolder);
  const { build } = await loadEsbuild();
  const { outputFiles, metafile } = await build({
    ...esbuildOptions,
    entryPoints: Object.fromEntries(names.map((name) => [name, `${entryScheme}${name}`])),
    outdir: projectFolder,
    sourcemap: 'external',
    sourcesContent: false,
    plugins: [functionEntries(functionsFolder), builtinsWithoutFacade],
  });
  const contents = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  return new Map(
    names.map((name) => {
      const code = contents.get(`${name}.js`);
      const sourceMap = contents.get(`${name}.js.map`);
      if (!code || !sourceMap) throw new Error(`esbuild returned no bundle for ${name}.`);
      const output = metafile.outputs[`${name}.js`];
      const inputs = Object.keys(output?.inputs ?? {}).filter(
        (input) => !input.startsWith(entryScheme),
      );
      const imports = (output?.imports ?? []).map(({ path }) => path);
      return [name, { code, inputs, imports, sourceMap }];
    }),
  );
}

const entryScheme = 'function:';

/** Gives each entry point the text of its module. */
const functionEntries = (functionsFolder: string): Plugin => ({
  name: 'function-entries',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: new RegExp(`^${entryScheme}`) }, ({ path }) => ({
      path: path.slice(entryScheme.length),
      namespace: 'function',
    }));
    onLoad({ filter: /.*/, namespace: 'function' }, ({ path }) => ({
      contents: sourceOf(path, functionsFolder),
      resolveDir: projectFolder,
      loader: 'ts',
    }));
  },
});

/**
 * Builds every existing function to `<dist>/<name>/index.mjs`, with its source map. Safe during other builds and while services run: a
 * file is replaced by a rename, and only if its content changes.
 * @returns the dist folder
 * @throws BuildFailure of esbuild; earlier builds are kept
 */
export async function buildFunctions({
  functionsFolder = defaultFunctionsFolder,
  distFolder: dist = distFolder,
}: BuildOptions = {}): Promise<string> {
  const bundles = await bundleFunctions(functionsFolder);
  await Promise.all(
    [...bundles].flatMap(([name, { code, sourceMap }]) => {
      const file = join(dist, name, bundleFile);
      // The temporary files are outside the function's folder, because a deployment uploads the folder.
      return [replaceFile(file, code, dist), replaceFile(`${file}.map`, sourceMap, dist)];
    }),
  );
  return dist;
}

if (import.meta.main) {
  const dist = await buildFunctions();
  for (const name of writtenFunctions()) {
    const code = await readFile(join(dist, name, bundleFile));
    console.log(
      `${name.padEnd(20)} ${(code.byteLength / 1000).toFixed(1).padStart(7)} KB  release ${releaseOf(code)}`,
    );
  }
}
