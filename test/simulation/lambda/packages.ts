import { join, resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { builtinsWithoutFacade, replacedPackages } from '../../../infra/bundle/esbuild-plugins.ts';
import { currentProcess } from './current-process.ts';
import { globalNames } from './simulated-process.ts';

/** Packages by the name under which they are imported, with their members. */
export type Packages = Readonly<Record<string, object>>;

/** What the project's own modules import. Packages keep nothing of a request. */
const packageNames = [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/lib-dynamodb',
  '@aws-sdk/util-dynamodb',
  '@middy/core',
  '@middy/http-json-body-parser',
  'commander',
  'libphonenumber-js/min',
  'valibot',
] as const;

/**
 * The packages, evaluated once for all processes: the SDK's client is whole down to HTTP requests. Their clock, timers, randomness and
 * connection are those of the process that is running when they ask.
 */
export function sharedPackages(): Promise<Packages> {
  evaluated ??= evaluate();
  return evaluated;
}

let evaluated: Promise<Packages> | undefined;

async function evaluate(): Promise<Packages> {
  const { simulatedConnection, ...globals } = currentProcess.surroundings;
  const run = compileFunction(
    await bundleText(),
    ['module', 'exports', 'simulatedConnection', ...globalNames],
    { filename: 'packages.cjs' },
  ) as (...values: unknown[]) => void;
  const module = { exports: {} as { packages: Packages } };
  const values = globalNames.map((name) => globals[name]);
  run(module, module.exports, simulatedConnection, ...values);
  return module.exports.packages;
}

/** Nobody verifies a signature here, and computing it takes a fifth of a history's time. */
const withoutSignatures = `
  const sdk = packages['@aws-sdk/client-dynamodb'];
  class UnsignedClient extends sdk.DynamoDBClient {
    constructor(config) {
      super({ ...config, signer: { sign: async (request) => request } });
    }
  }
  Object.defineProperty(sdk, 'DynamoDBClient', { value: UnsignedClient });`;

/** Members are inherited: esbuild's `import *` copies each own member of a CommonJS module, at every import. */
async function bundleText(): Promise<string> {
  const projectFolder = resolve(import.meta.dirname, '../../..');
  const imports = packageNames.map(
    (name, at) => `import * as p${at} from ${JSON.stringify(name)};`,
  );
  const members = packageNames.map(
    (name, at) => `${JSON.stringify(name)}: Object.create(p${at}, { __esModule: { value: true } })`,
  );
  const contents = `${imports.join('\n')}\nexport const packages = { ${members.join(', ')} };\n${withoutSignatures}`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: projectFolder, sourcefile: 'packages.ts', loader: 'ts' },
    absWorkingDir: projectFolder,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    charset: 'utf8',
    legalComments: 'none',
    alias: replacedPackages,
    plugins: [simulatedHttpHandler, settingsFromEnvironment, builtinsWithoutFacade],
    write: false,
    logLevel: 'warning',
  });
  const code = outputFiles[0]?.text;
  if (code === undefined) throw new Error('esbuild wrote no bundle.');
  return code;
}

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
