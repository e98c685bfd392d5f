import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

const builtinNames: ReadonlySet<string> = new Set(builtinModules);

/** Node.js modules that the SDK imports but a function rarely uses: loaded on first use. */
const lazyBuiltins: ReadonlySet<string> = new Set(['fs', 'fs/promises']);

/**
 * An object whose prototype has the module's members. esbuild's interop asks for the descriptor of each own key, and so would load what
 * the module loads with its members: of `node:util`, worker threads and the parser of arguments (4 ms).
 */
const moduleWithoutOwnKeys = (path: string): string => {
  const builtin = `process.getBuiltinModule(${JSON.stringify(`node:${path}`)})`;
  if (lazyBuiltins.has(path)) {
    return `
  const members = new Proxy({}, { get: (_, name) => ${builtin}[name] });
  module.exports = Object.create(members);`;
  }
  return `
  const builtin = ${builtin};
  module.exports = typeof builtin === 'function' ? builtin : Object.create(builtin);`;
};

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
      // Read once, as the SDK's own chain reads them: they are those of the function's environment for all its life.
      contents: `
        import { fromEnv } from '@aws-sdk/credential-provider-env';
        export const defaultProvider = (init) => {
          const read = fromEnv(init);
          let credentials;
          return () => (credentials ??= read());
        };`,
      loader: 'js',
      resolveDir: String(pluginData),
    }));
  },
};

/**
 * Lets the SDK read its settings only from the environment: a Lambda function has no `~/.aws/config`. The local service passes a complete
 * environment to its functions too. The SDK's own reader makes two errors, with their stacks, for each of nine settings that are not set.
 */
export const settingsFromEnvironment: Plugin = {
  name: 'settings-from-environment',
  setup(build) {
    build.onLoad({ filter: /node-config-provider[\\/]configLoader\.js$/ }, () => ({
      contents: `
        export const loadConfig = (setting, { signingName, logger } = {}) => {
          const read = async () =>
            setting.environmentVariableSelector(process.env, { signingName, logger }) ??
            (typeof setting.default === 'function' ? setting.default() : setting.default);
          let value;
          return () => (value ??= read());
        };`,
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

/**
 * Modules of the SDK that no call of the service reaches, by the end of their path, with what replaces them: 30 KB of each function.
 * `bundle.test.ts` builds every function and imports it, and every endpoint's tests call DynamoDB through these bundles.
 */
const unreachedModules: readonly (readonly [path: RegExp, contents: string])[] = [
  // Loaded by an operation with an event stream. DynamoDB and EventBridge have none.
  [
    /submodules[\\/]event-streams[\\/]index\.js$/,
    `throw new Error('The bundles contain no event streams.');`,
  ],
  // Of Timestream's clients: those of DynamoDB create the cache and never read it.
  [/endpoint-cache[\\/]dist-es[\\/]EndpointCache\.js$/, `export class EndpointCache {}`],
  // The client of a table removes this middleware: it describes the program to AWS, and finds functions that call themselves.
  [
    /middleware-user-agent[\\/]user-agent-middleware\.js$/,
    `export const userAgentMiddleware = undefined, getUserAgentMiddlewareOptions = undefined;
     export const getUserAgentPlugin = () => ({ applyToStack: () => undefined });`,
  ],
  [
    /util-user-agent-node[\\/]defaultUserAgent\.js$/,
    `export const defaultUserAgent = undefined, crtAvailability = undefined;
     export const createDefaultUserAgentProvider = () => undefined;`,
  ],
  [
    /middleware-recursion-detection[\\/]getRecursionDetectionPlugin\.js$/,
    `export const getRecursionDetectionPlugin = () => ({ applyToStack: () => undefined });`,
  ],
  // Asks for the global classes, which loads all of web streams: `node:http` gives neither.
  [
    /util-stream[\\/]stream-type-check\.js$/,
    `export const isReadableStream = () => false; export const isBlob = () => false;`,
  ],
  // For a Node.js without `node:crypto`.
  [/checksum[\\/]sha256[\\/]Sha256Js\.js$/, `export const Sha256Js = undefined;`],
];
const withoutUnreachedModules: Plugin = {
  name: 'without-unreached-modules',
  setup(build) {
    for (const [filter, contents] of unreachedModules) {
      build.onLoad({ filter }, () => ({ contents, loader: 'js' }));
    }
  },
};

/** The SDK imports its whole package.json for the version that its user agent names. */
export const versionOfPackage: Plugin = {
  name: 'version-of-package',
  setup(build) {
    const filter = /@aws-sdk[\\/]client-[a-z-]+[\\/]package\.json$/;
    build.onLoad({ filter }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

interface PhoneMetadata {
  readonly version: number;
  readonly countries: Readonly<Record<string, readonly unknown[]>>;
  readonly nonGeographic: Readonly<Record<string, readonly unknown[]>>;
}
/** The version of the metadata in which a numbering plan has its formats here. */
const formatsVersion = 4;
const formatsAt = 4;

/**
 * The numbering plans without the formats in which a number is displayed, which are 60 % of them: numbers are parsed, checked and
 * written as E.164, never displayed.
 * @throws if a release of the library orders the metadata in another way
 */
export function withoutFormats(metadata: PhoneMetadata): PhoneMetadata {
  if (metadata.version !== formatsVersion) {
    throw new Error(
      `The phone metadata has version ${metadata.version}: check where its formats are.`,
    );
  }
  const plans = (byName: PhoneMetadata['countries']) =>
    Object.fromEntries(
      Object.entries(byName).map(([name, plan]) => [
        name,
        plan.map((value, at) => (at === formatsAt ? 0 : value)),
      ]),
    );
  return {
    ...metadata,
    countries: plans(metadata.countries),
    nonGeographic: plans(metadata.nonGeographic),
  };
}

/** The numbering plans as a text, parsed with the first phone number: a request without one does not pay for them. */
export const phoneMetadataWhenAsked: Plugin = {
  name: 'phone-metadata-when-asked',
  setup(build) {
    build.onLoad({ filter: /libphonenumber-js[\\/]metadata\.min\.json\.js$/ }, async ({ path }) => {
      const metadata = withoutFormats(
        JSON.parse(await readFile(path.replace(/\.js$/, ''), 'utf8')),
      );
      const names = Object.keys(metadata);
      return {
        contents: `
          let metadata;
          const read = () => (metadata ??= JSON.parse(${JSON.stringify(JSON.stringify(metadata))}));
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
  withoutUnreachedModules,
  versionOfPackage,
  phoneMetadataWhenAsked,
];

/** For a bundle that calls AWS by other clients than the service's own, or that adds middlewares to them. */
export const pluginsForOtherClients: readonly Plugin[] = esbuildPlugins.filter(
  (plugin) => plugin !== withoutUnreachedModules,
);
