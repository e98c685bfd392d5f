import { builtinModules } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const builtinNames: ReadonlySet<string> = new Set(builtinModules);

/**
 * Node.js modules that the SDK imports but a function rarely uses. They are loaded when one of their functions is first called.
 * `node:fs/promises` would load terminal readers, and `node:zlib` its streams: together 6 ms of a cold start. A bundle gets only their
 * functions, no constants.
 */
const lazyBuiltins: ReadonlySet<string> = new Set(['fs/promises', 'zlib']);

/**
 * An object whose prototype has the module's members. esbuild's interop reads the descriptor of each own key, which loads whatever the
 * members load lazily. For `node:util`, that is worker threads and the argument parser (4 ms). The interop also reads `__esModule`, and the
 * promise of an `import()` reads `then`.
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
 * Gets Node.js modules from `process.getBuiltinModule`, so that `import`, `import()` and a bundled `require` work without a banner.
 *
 * This saves a quarter of a cold start. ESM `import 'node:http'` reads every export to build its facade, and one of them is a getter that
 * loads undici: 33 ms instead of 3 (nodejs/node#59686). A CommonJS module is passed on unread, so a getter runs only when it is used.
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
 * The one package that is replaced in the bundles. The SDK can find credentials in profiles, SSO, web identity, and container and instance
 * metadata, but a function needs only the environment. The other ways take 100 KB and 15 % of a cold start (test/proof/bench/PROFILE.md).
 * To remove this exception, delete this object and `environment-credentials.ts`. The build fails if the SDK imports another name from the
 * package, and `bundle.test.ts` fails if the SDK gets the providers from elsewhere.
 */
export const replacedPackages = {
  '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'environment-credentials.ts'),
};
