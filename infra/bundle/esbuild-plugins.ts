import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

const builtinNames: ReadonlySet<string> = new Set(builtinModules);

/** Modules of Node that the SDK imports for what a function seldom or never does: loaded when first used, not before. */
const lazyBuiltins: ReadonlySet<string> = new Set(['fs', 'fs/promises']);

/** An object whose prototype knows the module's members: no key of its own makes esbuild's interop look at them before they are used. */
const lazyModule = (path: string): string => `
  const members = new Proxy({}, { get: (_, name) => process.getBuiltinModule(${JSON.stringify(`node:${path}`)})[name] });
  module.exports = Object.create(members);`;

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
      contents: lazyBuiltins.has(path)
        ? lazyModule(path)
        : `module.exports = process.getBuiltinModule(${JSON.stringify(`node:${path}`)});`,
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

/**
 * Lets the SDK look for its settings in the environment alone: a Lambda has no `~/.aws/config` to read at its first call. The local run
 * hands its functions a whole environment too.
 */
export const settingsFromEnvironment: Plugin = {
  name: 'settings-from-environment',
  setup(build) {
    build.onLoad({ filter: /shared-ini-file-loader[\\/]readFile\.js$/ }, () => ({
      contents: `
        export const filePromises = {};
        export const fileIntercept = {};
        export const readFile = async (path) => { throw new Error('Settings come from the environment, not from ' + path); };`,
      loader: 'js',
    }));
  },
};

/** The SDK takes its random ids from the global `crypto`, which loads all of Web Crypto: 3 ms. `node:crypto`, loaded anyway, has them too. */
export const idsFromNodeCrypto: Plugin = {
  name: 'ids-from-node-crypto',
  setup(build) {
    build.onLoad({ filter: /serde[\\/]uuid[\\/]v4\.js$/ }, ({ path }) => ({
      contents: `import { randomUUID } from 'node:crypto'; export const bindV4 = () => () => randomUUID();`,
      loader: 'js',
      resolveDir: dirname(path),
    }));
  },
};

/** The CRC-32 of the SDK's event streams, which DynamoDB has none of: loads zlib when it is asked for one, not before. */
const lazyCrc32 = `
  export class Crc32Node {
    digestLength = 4;
    value = 0;
    update(data) { this.value = process.getBuiltinModule('node:zlib').crc32(data, this.value); }
    digestSync() { return this.value >>> 0; }
    async digest() { const out = new Uint8Array(4); new DataView(out.buffer).setUint32(0, this.digestSync(), false); return out; }
    reset() { this.value = 0; }
  }`;
export const checksumsWithoutZlib: Plugin = {
  name: 'checksums-without-zlib',
  setup(build) {
    build.onLoad({ filter: /checksum[\\/]crc32[\\/]Crc32Node\.js$/ }, () => ({ contents: lazyCrc32, loader: 'js' }));
  },
};

/** 83 KB of numbering plans, read when the first number is: 4 ms that a function without one in its request saves. */
export const phoneMetadataWhenAsked: Plugin = {
  name: 'phone-metadata-when-asked',
  setup(build) {
    build.onLoad({ filter: /libphonenumber-js[\\/]metadata\.min\.json\.js$/ }, async ({ path }) => {
      const text = await readFile(path.replace(/\.js$/, ''), 'utf8');
      const names = Object.keys(JSON.parse(text));
      return {
        contents: `
          let metadata;
          const read = () => (metadata ??= JSON.parse(${JSON.stringify(text)}));
          export default { ${names.map((name) => `get ${name}() { return read().${name}; }`).join(', ')} };`,
        loader: 'js',
      };
    });
  },
};

export const esbuildPlugins: readonly Plugin[] = [
  builtinsWithoutFacade,
  credentialsFromEnvironment,
  settingsFromEnvironment,
  idsFromNodeCrypto,
  checksumsWithoutZlib,
  phoneMetadataWhenAsked,
];
