import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import type { Plugin } from 'esbuild';
import { esbuildPlugins } from '../../../infra/bundle/esbuild-plugins.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import { bundleText, projectFolder } from './bundle-text.ts';
import { type Packages, sharedPackages } from './shared-packages.ts';
import { globalNames } from './simulated-process.ts';

/** A module evaluated anew with each call: its own state, its own globals. */
export type EvaluateBundle = (
  globals: Readonly<Record<string, unknown>>,
) => Readonly<Record<string, unknown>>;

export interface BundleOptions {
  /**
   * Whether every process evaluates its packages for itself, and the SDK's client is whole down to HTTP requests.
   * @default false: packages are evaluated once, and `fast-client.ts` takes the client's place
   */
  readonly isWhole?: boolean;
  /** Changes source text on its way into the bundle, for another version of the code. The path is relative to the project's folder. */
  readonly change?: (path: string, text: string) => string;
  /** Files that take the place of packages, by the package's name. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/** Every function in one bundle; a process evaluates the modules of the endpoint that it serves. */
export function bundleFunctions(options: BundleOptions = {}): Promise<EvaluateBundle> {
  const handlers = endpoints.map(
    ({ name }) =>
      `${JSON.stringify(name)}: () => import(${JSON.stringify(`./functions/${name}.ts`)})`,
  );
  return bundleSource(`export const handlers = { ${handlers.join(', ')} };`, options);
}

/** Bundles a module as the functions are bundled, for evaluation in this process. */
export async function bundleSource(
  source: string,
  { isWhole = false, change, replaced = {} }: BundleOptions = {},
): Promise<EvaluateBundle> {
  const packages = isWhole ? undefined : await sharedPackages();
  const plugins = [
    replacedPackages(replaced),
    packages ? sharedModules(packages) : simulatedHttpHandler,
    ...(change ? [changed(change)] : []),
    ...esbuildPlugins,
  ];
  const code = await bundleText(source, plugins);
  const parameters = ['module', 'exports', 'simulatedConnection', 'sharedPackages', ...globalNames];
  const run = compileFunction(code, parameters, { filename: 'functions.cjs' }) as (
    ...values: unknown[]
  ) => void;
  return (globals) => {
    const module = { exports: {} };
    run(
      module,
      module.exports,
      globals.simulatedConnection,
      packages,
      ...globalNames.map((name) => globals[name]),
    );
    return module.exports;
  };
}

/** Takes packages from those that are evaluated once. Only the members that a bundle uses are looked up. */
function sharedModules(packages: Packages): Plugin {
  return {
    name: 'shared-packages',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
        kind !== 'entry-point' && path in packages
          ? { path, namespace: 'shared-package', sideEffects: false }
          : undefined,
      );
      onLoad({ filter: /.*/, namespace: 'shared-package' }, ({ path }) => {
        const contents = Object.keys(packages[path] ?? {}).map((name, at) => {
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

function changed(change: NonNullable<BundleOptions['change']>): Plugin {
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
