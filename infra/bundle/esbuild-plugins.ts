import { builtinModules } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const builtinNames: ReadonlySet<string> = new Set(builtinModules);

/**
 * Node.js modules that the SDK imports but a function rarely uses: loaded when one of their functions is first called. `node:fs/promises`
 * loads the readers of terminals, and `node:zlib` its streams: 6 ms of a cold start together. A bundle gets their functions alone, no constants.
 */
const lazyBuiltins: ReadonlySet<string> = new Set(['fs/promises', 'zlib']);

/**
 * An object whose prototype has the module's members. esbuild's interop asks for the descriptor of each own key, and so would load what
 * the module loads with its members: of `node:util`, worker threads and the parser of arguments (4 ms). It also asks for `__esModule`,
 * and a promise of `import()` for `then`.
 */
const moduleWithoutOwnKeys = (path: string): string => {
  const builtin = `process.getBuiltinModule(${JSON.stringify(`node:${path}`)})`;
  if (lazyBuiltins.has(path)) {
    return `
  const functionNamed = (_, name) =>
    name === '__esModule' || name === 'then' ? undefined : (...values) => ${builtin}[name](...values);
  module.exports = Object.create(new Proxy({}, { get: functionNamed }));`;
  }
  return `
  const builtin = ${builtin};
  module.exports = typeof builtin === 'function' ? builtin : Object.create(builtin);`;
};

/**
 * Takes Node.js modules from `process.getBuiltinModule`, so that `import`, `import()` and a bundled `require` work without a banner.
 *
 * This is a quarter of a cold start. ESM `import 'node:http'` reads every export to build its facade, and one of them is a getter that loads undici: 33 ms instead of 3
 * (nodejs/node#59686). A CommonJS module is passed on unread: a getter runs only when it is used.
 */
export const builtinsWithoutFacade: Plugin = {
  name: 'builtins-without-facade',
  setup(build) {
    build.onResolve({ filter: /^[\w:/]+$/ }, ({ path }) => {
      const isBuiltin = path.startsWith('node:') || builtinNames.has(path);
      return isBuiltin
        ? { path: path.replace(/^node:/, ''), namespace: 'builtin', sideEffects: false }
        : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: moduleWithoutOwnKeys(path),
      loader: 'js',
    }));
  },
};

/**
 * Packages that are replaced in the bundles, with their replacements. Only one is: of the SDK's ways to find credentials (profiles, SSO, web
 * identity, container and instance metadata), a function uses the environment. The others take 100 KB and 15 % of a cold start
 * (test/proof/bench/PROFILE.md). To remove the exception, delete this object and `environment-credentials.ts`. The build fails if the SDK imports
 * another name from the package, and `bundle.test.ts` if it takes the providers from elsewhere.
 */
export const replacedPackages = {
  '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'environment-credentials.ts'),
};
