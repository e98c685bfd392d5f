import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

const builtinNames: ReadonlySet<string> = new Set(builtinModules);

/**
 * Takes Node's own modules from `process.getBuiltinModule`, so that `import`, `import()` and a bundled `require` all work without a banner.
 *
 * ESM `import 'node:http'` reads every export while it builds its facade, and one of them is a getter that loads undici:
 * 33 ms instead of 3 (nodejs/node#59686). A CommonJS module is handed on as it is: its getters are not read until somebody does.
 */
export const builtinsWithoutFacade: Plugin = {
  name: 'builtins-without-facade',
  setup(build) {
    build.onResolve({ filter: /^[\w:/]+$/ }, ({ path }) => {
      const isBuiltin = path.startsWith('node:') || builtinNames.has(path);
      return isBuiltin ? { path: path.replace(/^node:/, ''), namespace: 'builtin' } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(`node:${path}`)});`,
      loader: 'js',
    }));
  },
};

/**
 * Keeps of the SDK's chain of credential providers the one that Lambda needs: it puts a role's credentials into the environment.
 * The others (profiles, SSO, web identity, container and instance metadata) are a quarter of the client's bundle.
 */
export const credentialsFromEnvironment: Plugin = {
  name: 'credentials-from-environment',
  setup(build) {
    build.onResolve({ filter: /^@aws-sdk\/credential-provider-node$/ }, ({ resolveDir }) => ({
      path: 'environment',
      namespace: 'credentials',
      pluginData: resolveDir,
    }));
    build.onLoad({ filter: /.*/, namespace: 'credentials' }, ({ pluginData }) => ({
      contents: `export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';`,
      loader: 'js',
      resolveDir: String(pluginData),
    }));
  },
};

export const leanImports: readonly Plugin[] = [builtinsWithoutFacade, credentialsFromEnvironment];
