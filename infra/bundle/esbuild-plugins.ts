import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

const builtinNames: ReadonlySet<string> = new Set(builtinModules);

/** Node.js modules that the SDK imports but a function rarely uses: loaded on first use. */
const lazyBuiltins: ReadonlySet<string> = new Set(['fs', 'fs/promises']);

/** An object whose prototype has the module's members. Own keys would make esbuild's interop read the members before they are used. */
const lazyModule = (path: string): string => `
  const members = new Proxy({}, { get: (_, name) => process.getBuiltinModule(${JSON.stringify(`node:${path}`)})[name] });
  module.exports = Object.create(members);`;

/**
 * Takes Node.js modules from `process.getBuiltinModule`, so that `import`, `import()` and a bundled `require` work without a banner.
 *
 * ESM `import 'node:http'` reads every export to build its facade, and one of them is a getter that loads undici: 33 ms instead of 3
 * (nodejs/node#59686). A CommonJS module is passed on unread: a getter runs only when it is used.
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
 * Keeps only the credential provider that Lambda needs: it reads a role's credentials from the environment.
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
 * Lets the SDK read its settings only from the environment: a Lambda function has no `~/.aws/config`. The local service passes a complete
 * environment to its functions too.
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

/** The SDK uses the global `crypto` for random IDs, which loads all of Web Crypto: 3 ms. `node:crypto`, which is loaded anyway, has them too. */
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

/** The CRC-32 of the SDK's event streams, which DynamoDB does not use: loads zlib on first use. */
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
    build.onLoad({ filter: /checksum[\\/]crc32[\\/]Crc32Node\.js$/ }, () => ({
      contents: lazyCrc32,
      loader: 'js',
    }));
  },
};

/** 83 KB of numbering plans, parsed with the first phone number: a request without one saves 4 ms. */
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
