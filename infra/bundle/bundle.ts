import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { build, type BuildOptions as EsbuildOptions, type Plugin } from 'esbuild';
import {
  bundleFile,
  bundleFolder,
  distFolder,
  projectFolder,
  releaseOf,
} from './built-functions.ts';
import { builtinsWithoutFacade, replacedPackages } from './esbuild-plugins.ts';

const defaultFunctionsFolder = join(projectFolder, 'functions');

interface Bundle {
  /** The bundle, as it is uploaded. */
  readonly code: Uint8Array;
  readonly sourceMap: Uint8Array;
  /** The source files in the bundle, relative to the project's folder. */
  readonly inputs: readonly string[];
  /** The modules that the bundle still imports at run time. */
  readonly imports: readonly string[];
}

/** How every function is bundled (design, section 8). */
const esbuildOptions = {
  absWorkingDir: projectFolder,
  outdir: projectFolder,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  alias: replacedPackages,
  mainFields: ['module', 'main'],
  // V8 compiles text with one byte per character faster. A single "…" in a package would make the whole bundle two bytes per character.
  charset: 'ascii',
  legalComments: 'none',
  sourcemap: 'external',
  sourcesContent: false,
  metafile: true,
  write: false,
  logLevel: 'warning',
  // A function must export a handler.
  logOverride: { 'import-is-undefined': 'error' },
} as const satisfies EsbuildOptions;

const entryScheme = 'entry:';

/** Provides the source text of each entry point. */
const entriesFrom = (sources: Readonly<Record<string, string>>): Plugin => ({
  name: 'entries',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: new RegExp(`^${entryScheme}`) }, ({ path }) => ({
      path: path.slice(entryScheme.length),
      namespace: 'entry',
    }));
    onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({
      contents: sources[path] ?? '',
      resolveDir: projectFolder,
      loader: 'ts',
    }));
  },
});

/** Bundles each module with all its imports. A single build parses each shared import only once. */
async function bundleModules(
  sources: Readonly<Record<string, string>>,
  plugins: readonly Plugin[] = [builtinsWithoutFacade],
): Promise<ReadonlyMap<string, Bundle>> {
  const names = Object.keys(sources);
  const { outputFiles, metafile } = await build({
    ...esbuildOptions,
    entryPoints: names.map((name) => ({ in: `${entryScheme}${name}`, out: name })),
    plugins: [entriesFrom(sources), ...plugins],
  });
  const contentsOf = (file: string): Uint8Array => {
    const output = outputFiles.find(({ path }) => basename(path) === file);
    if (!output) throw new Error(`esbuild returned no ${file}.`);
    return output.contents;
  };
  return new Map(
    names.map((name) => {
      const { inputs = {}, imports = [] } = metafile.outputs[`${name}.js`] ?? {};
      const bundle = {
        code: contentsOf(`${name}.js`),
        sourceMap: contentsOf(`${name}.js.map`),
        inputs: Object.keys(inputs).filter((input) => !input.startsWith(entryScheme)),
        imports: imports.map(({ path }) => path),
      };
      return [name, bundle];
    }),
  );
}

/**
 * Bundles a module the way functions are bundled.
 * @param source the module's text
 * @param plugins replaces the default plugins, to measure what they save
 */
export async function bundle(source: string, plugins?: readonly Plugin[]): Promise<Bundle> {
  const [bundle] = (await bundleModules({ entry: source }, plugins)).values();
  if (!bundle) throw new Error('esbuild returned no bundle.');
  return bundle;
}

/** The functions: each is a folder with its `handler.ts`. */
export const functionNames = (functionsFolder: string = defaultFunctionsFolder): string[] =>
  readdirSync(functionsFolder).sort();

/** Bundles every function. @returns by name */
export const bundleFunctions = (
  functionsFolder: string = defaultFunctionsFolder,
): Promise<ReadonlyMap<string, Bundle>> =>
  bundleModules(
    Object.fromEntries(
      functionNames(functionsFolder).map((name) => {
        const file = JSON.stringify(join(functionsFolder, name, 'handler.ts'));
        return [name, `export { handler } from ${file};`]; // only the handler, not the other exports of its file
      }),
    ),
  );

interface BuildOptions {
  /** Contains `<function>/handler.ts`. @default functions/ */
  readonly functionsFolder?: string;
  /** Receives `<function>/index.mjs` and its source map. @default dist/ */
  readonly distFolder?: string;
}

/**
 * Builds every function to `<dist>/<name>/index.mjs`, with its source map. Other builds and running services are safe: a file is replaced
 * by a rename, and only if its content changes.
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
      return [replaceFile(file, code, dist), replaceFile(`${file}.map`, sourceMap, dist)];
    }),
  );
  return dist;
}

/** @param temporaryFolder not the function's folder, because a deployment uploads that folder */
async function replaceFile(
  file: string,
  content: Uint8Array,
  temporaryFolder: string,
): Promise<void> {
  if (existsSync(file) && (await readFile(file)).equals(content)) return;
  await mkdir(dirname(file), { recursive: true });
  const newFile = join(temporaryFolder, `.${basename(file)}-${randomUUID()}`);
  try {
    await writeFile(newFile, content);
    await rename(newFile, file);
  } finally {
    await rm(newFile, { force: true });
  }
}

if (import.meta.main) {
  await buildFunctions();
  for (const name of functionNames()) {
    const code = readFileSync(join(bundleFolder(name), bundleFile));
    console.log(
      `${name.padEnd(20)} ${(code.byteLength / 1000).toFixed(1).padStart(7)} KB  release ${releaseOf(code)}`,
    );
  }
}
