import { compileFunction } from 'node:vm';
import { type BuildOptions, build } from 'esbuild';
import { projectFolder } from '../../../../infra/bundle/built-functions.ts';
import {
  builtinsWithoutFacade,
  replacedPackages,
} from '../../../../infra/bundle/esbuild-plugins.ts';
import { ownGlobals } from './process-globals.ts';
import { simulatedClient } from './simulated-client.ts';

type Require = (name: string) => unknown;

/** Bundles a source text in the project's folder. @returns evaluates the bundle, with the globals of the process that is running */
export async function bundled(
  contents: string,
  options: BuildOptions,
): Promise<(require?: Require) => object> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: projectFolder, sourcefile: 'entry.ts', loader: 'ts' },
    absWorkingDir: projectFolder,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    charset: 'utf8',
    legalComments: 'none',
    // A module without a place: nothing of a simulation reads files.
    define: { 'import.meta.dirname': JSON.stringify(projectFolder) },
    logLevel: 'warning',
    ...options,
    write: false,
  });
  const code = outputFiles[0]?.text ?? '';
  const run = compileFunction(code, ['module', 'require', ...Object.keys(ownGlobals)]);
  return (require) => {
    const module = { exports: {} };
    run(module, require, ...Object.values(ownGlobals));
    return module.exports;
  };
}

/** What the project's own modules import. Packages keep nothing of a request. */
const packageNames = [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-eventbridge',
  '@aws-sdk/lib-dynamodb',
  '@aws-sdk/util-dynamodb',
  'commander',
  'libphonenumber-js/max',
  'libphonenumber-js/min',
  'valibot',
] as const;
/** Those of which they import the default export. */
const defaultNames = ['@middy/core', '@middy/http-json-body-parser'] as const;

/** Packages by the name under which they are imported, with their members. */
export type Packages = Readonly<Record<string, object>>;

let evaluated: Promise<Packages> | undefined;

/** The packages, evaluated once for all processes. Their clock, timers and randomness are those of the process that is running when they ask. */
export function sharedPackages(): Promise<Packages> {
  evaluated ??= evaluate();
  return evaluated;
}

/** Members are inherited: esbuild's `import *` copies each own member of a CommonJS module, at every import. */
async function evaluate(): Promise<Packages> {
  const spaces = packageNames.map((name, at) => `import * as p${at} from '${name}';`);
  const defaults = defaultNames.map((name, at) => `import d${at} from '${name}';`);
  const members = [
    ...packageNames.map((name, at) => `'${name}': Object.create(p${at})`),
    ...defaultNames.map((name, at) => `'${name}': d${at}`),
  ];
  const run = await bundled(
    [...spaces, ...defaults, `export const packages = { ${members.join(', ')} };`].join('\n'),
    {
      mainFields: ['module', 'main'],
      alias: replacedPackages,
      plugins: [builtinsWithoutFacade],
    },
  );
  const { packages } = run() as { packages: Packages };
  const withSimulated = (name: (typeof packageNames)[number], client: string) => {
    const own = packages[name] as Parameters<typeof simulatedClient>[0];
    return { [name]: Object.create(own, { [client]: { value: simulatedClient(own, client) } }) };
  };
  return {
    ...packages,
    ...withSimulated('@aws-sdk/client-dynamodb', 'DynamoDBClient'),
    ...withSimulated('@aws-sdk/client-eventbridge', 'EventBridgeClient'),
  };
}
