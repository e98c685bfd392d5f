import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { compileFunction } from 'node:vm';
import type { Plugin } from 'esbuild';
import { esbuildPlugins } from '../../../infra/bundle/esbuild-plugins.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import { bundleText, projectFolder } from './bundle-text.ts';
import { currentProcess } from './current-process.ts';
import { type ChangeSource, ownModules } from './own-modules.ts';
import { type Packages, sharedPackages } from './shared-packages.ts';
import { globalNames } from './simulated-process.ts';

type Names = Readonly<Record<string, unknown>>;

/**
 * A module evaluated anew with each call, in the process that is running: its own state.
 * @param own global names that are the process's own, for a bundle that takes no others
 */
export type EvaluateBundle = (own: () => Names) => Names;

export interface BundleOptions {
  /**
   * Whether every process evaluates its packages for itself, and the SDK's client is whole down to HTTP requests.
   * @default false: packages, and modules that keep nothing, are evaluated once, and `fast-client/` takes the client's place
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

/** Bundles a module as the functions are bundled, for evaluation in this process. */
export async function bundleSource(
  source: string,
  { isWhole = false, change, replaced = {} }: BundleOptions = {},
): Promise<EvaluateBundle> {
  const packages = isWhole ? undefined : await sharedPackages();
  const isShared = packages !== undefined && Object.keys(replaced).length === 0;
  const own = isShared ? await sharedOwnModules(source, packages, change) : {};
  const run = await compiled(source, [
    replacedPackages(replaced),
    packages ? sharedModules({ ...packages, ...own }) : simulatedHttpHandler,
    ...(change ? [changed(change)] : []),
    ...esbuildPlugins,
  ]);
  if (!packages) return (ownGlobals) => run(ownGlobals());
  const { globals, connection: simulatedConnection } = currentProcess;
  const modules = { ...packages, ...own };
  return () => run({ ...globals, simulatedConnection }, modules);
}

type Run = (globals: Names, shared?: Packages) => Names;

async function compiled(source: string, plugins: readonly Plugin[]): Promise<Run> {
  const code = await bundleText(source, plugins);
  const parameters = ['module', 'exports', 'simulatedConnection', 'sharedPackages', ...globalNames];
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
      ...globalNames.map((name) => globals[name]),
    );
    return module.exports;
  };
}

const unchangedModules = new Map<string, Promise<Packages>>();

/**
 * The modules of the service that keep nothing, evaluated once for all processes, as its packages are: they are most of its code, and what is
 * evaluated anew is slow each time.
 */
async function sharedOwnModules(
  source: string,
  packages: Packages,
  change: ChangeSource | undefined,
): Promise<Packages> {
  const { shared, changed: changedPaths } = await ownModules(source, change);
  const evaluate = async (): Promise<Packages> => {
    const imports = shared.map(
      (path, at) => `import * as m${at} from ${JSON.stringify(`./${path}`)};`,
    );
    const members = shared.map((path, at) => `${JSON.stringify(path)}: m${at}`);
    const run = await compiled(
      `${imports.join('\n')}\nexport const modules = { ${members.join(', ')} };`,
      [sharedModules(packages), ...(change ? [changed(change)] : []), ...esbuildPlugins],
    );
    return run(currentProcess.globals, packages).modules as Packages;
  };
  if (changedPaths.length > 0) return evaluate();
  const name = shared.join(' ');
  const modules = unchangedModules.get(name) ?? evaluate();
  unchangedModules.set(name, modules);
  return modules;
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

function changed(change: ChangeSource): Plugin {
  return {
    name: 'changed-source',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/](functions|shared)[\\/].*\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        return { contents: change(path.slice(projectFolder.length + 1), text), loader: 'ts' };
      });
    },
  };
}
