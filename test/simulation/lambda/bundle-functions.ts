import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { compileFunction } from 'node:vm';
import type { Plugin } from 'esbuild';
import { builtinsWithoutFacade } from '../../../infra/bundle/esbuild-plugins.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import { bundleText, projectFolder } from './bundle-text.ts';
import { currentProcess } from './current-process.ts';
import { keptState, withKeptState } from './kept-state.ts';
import { type ChangeSource, ownModules } from './own-modules.ts';
import { type Packages, sharedPackages } from './shared-packages.ts';
import { globalNames } from './simulated-process.ts';

type Names = Readonly<Record<string, unknown>>;

/**
 * A module in the process that is running, with its own state.
 * @param own global names that are the process's own, for a bundle that takes no others
 */
export type EvaluateBundle = (own: () => Names) => Names;

export interface BundleOptions {
  /**
   * Whether every process evaluates modules and packages for itself, and the SDK's client is whole down to HTTP requests.
   * @default false: they and the service's own modules are evaluated once, what these keep is each process's own, and `fast-client/` takes
   * the client's place
   */
  readonly isWhole?: boolean;
  /** For another version of the code. */
  readonly change?: ChangeSource;
  /** Files that take the place of packages, by the package's name. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/** Every function in one bundle; a process evaluates the modules of the endpoint that it serves. */
const functionsSource = `export const handlers = { ${endpoints
  .map(
    ({ name }) =>
      `${JSON.stringify(name)}: () => import(${JSON.stringify(`./functions/${name}.ts`)})`,
  )
  .join(', ')} };`;

export const bundleFunctions = (options: BundleOptions = {}): Promise<EvaluateBundle> =>
  bundleSource(functionsSource, options);

const asItIs: ChangeSource = (_path, text) => text;

/** Bundles a module as the functions are bundled, for evaluation in this process. */
export async function bundleSource(
  source: string,
  { isWhole = false, change = asItIs, replaced = {} }: BundleOptions = {},
): Promise<EvaluateBundle> {
  const plugins = [
    replacedPackages(replaced),
    ...(isWhole ? [simulatedHttpHandler, settingsFromEnvironment] : []),
    changed(change),
    builtinsWithoutFacade,
  ];
  if (isWhole) {
    const run = await compiled(source, plugins);
    return (ownGlobals) => run(ownGlobals());
  }
  const packages = await sharedPackages();
  const own = await sharedOwnModules(source, packages, { change, replaced });
  const modules = { ...packages, ...own };
  const run = await compiled(source, [sharedModules(modules), ...plugins]);
  return () => run(ofRunningProcess, modules);
}

const ofRunningProcess: Names = {
  ...currentProcess.globals,
  simulatedConnection: currentProcess.connection,
};

type Run = (globals: Names, shared?: Packages) => Names;

async function compiled(source: string, plugins: readonly Plugin[]): Promise<Run> {
  const code = await bundleText(source, plugins);
  const parameters = [
    'module',
    'exports',
    'simulatedConnection',
    'sharedPackages',
    'keptState',
    ...globalNames,
  ];
  const run = compileFunction(code, parameters, { filename: 'functions.cjs' }) as (
    ...values: unknown[]
  ) => void;
  return (globals, shared) => {
    const module = { exports: {} };
    run(
      module,
      module.exports,
      globals.simulatedConnection,
      shared,
      keptState(),
      ...globalNames.map((name) => globals[name]),
    );
    return module.exports;
  };
}

/**
 * The modules of the service, evaluated once for all processes, as its packages are: what is evaluated anew is slow each time. What they keep
 * is each process's own. Of a changed service, only what was changed and what imports it is evaluated again.
 */
async function sharedOwnModules(
  source: string,
  packages: Packages,
  { change, replaced }: Replacements,
): Promise<Packages> {
  const { unchanged: paths, changed: changedPaths } = await ownModules(source, change);
  const modules = await unchangedModules(source, packages, replaced);
  const kept = Object.fromEntries(paths.map((path) => [path, modules[path] ?? {}]));
  if (changedPaths.length === 0) return kept;
  const evaluated = await evaluate(changedPaths, { ...packages, ...kept }, { change, replaced });
  return { ...kept, ...evaluated };
}

type Replacements = Required<Pick<BundleOptions, 'change' | 'replaced'>>;

const unchangedBySource = new Map<string, Promise<Packages>>();
function unchangedModules(
  source: string,
  packages: Packages,
  replaced: Replacements['replaced'],
): Promise<Packages> {
  const known = unchangedBySource.get(source);
  if (known) return known;
  const replacements = { change: asItIs, replaced };
  const modules = ownModules(source, asItIs).then(({ unchanged }) =>
    evaluate(unchanged, packages, replacements),
  );
  unchangedBySource.set(source, modules);
  return modules;
}

/** Evaluates modules once for all processes. @param modules those that were evaluated before, which they may import */
async function evaluate(
  paths: readonly string[],
  modules: Packages,
  { change, replaced }: Replacements,
): Promise<Packages> {
  const imports = paths.map(
    (path, at) => `import * as m${at} from ${JSON.stringify(`./${path}`)};`,
  );
  const members = paths.map((path, at) => `${JSON.stringify(path)}: m${at}`);
  const ownState = async (path: string, text: string): Promise<string> => {
    const ownText = change(path, text);
    return (await withKeptState(path, ownText)) ?? ownText;
  };
  const run = await compiled(
    `${imports.join('\n')}\nexport const modules = { ${members.join(', ')} };`,
    [replacedPackages(replaced), sharedModules(modules), changed(ownState), builtinsWithoutFacade],
  );
  return run(ofRunningProcess, modules).modules as Packages;
}

/** Takes modules from those that are evaluated once. Only the members that a bundle uses are looked up. */
function sharedModules(modules: Packages): Plugin {
  return {
    name: 'shared-modules',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^[^/]/ }, ({ path, kind, resolveDir }) => {
        const name = path.startsWith('.') ? relative(projectFolder, join(resolveDir, path)) : path;
        return kind !== 'entry-point' && name in modules
          ? { path: name, namespace: 'shared-module', sideEffects: false }
          : undefined;
      });
      onLoad({ filter: /.*/, namespace: 'shared-module' }, ({ path }) => {
        const contents = Object.keys(modules[path] ?? {}).map((name, at) => {
          const member = `sharedPackages[${JSON.stringify(path)}][${JSON.stringify(name)}]`;
          return `const m${at} = /* @__PURE__ */ (() => ${member})(); export { m${at} as ${name} };`;
        });
        return { contents: contents.join('\n'), loader: 'js' };
      });
    },
  };
}

const replacedPackages = (files: Readonly<Record<string, string>>): Plugin => ({
  name: 'replaced-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) => {
      const file = files[path];
      return file === undefined ? undefined : { path: join(projectFolder, file) };
    });
  },
});

const simulatedHttpHandler: Plugin = {
  name: 'simulated-http-handler',
  setup({ onResolve }) {
    onResolve({ filter: /^@smithy\/node-http-handler$/ }, () => ({
      path: join(import.meta.dirname, 'simulated-http-handler.ts'),
    }));
  },
};

/** Nothing in simulated time waits for a file: a function has no `~/.aws/config`. */
const settingsFromEnvironment: Plugin = {
  name: 'settings-from-environment',
  setup({ onLoad }) {
    onLoad({ filter: /node-config-provider[\\/]configLoader\.js$/ }, () => ({
      contents: `
        export const loadConfig = (setting) => async () =>
          setting.environmentVariableSelector(process.env, {}) ??
          (typeof setting.default === 'function' ? setting.default() : setting.default);`,
      loader: 'js',
    }));
  },
};

function changed(change: (path: string, text: string) => string | Promise<string>): Plugin {
  return {
    name: 'changed-source',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/, namespace: 'file' }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        return { contents: await change(relative(projectFolder, path), text), loader: 'ts' };
      });
    },
  };
}
