import { resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import { build } from 'esbuild';
import { builtinsWithoutFacade, replacedPackages } from '../../../infra/bundle/esbuild-plugins.ts';
import { ownGlobals } from './process-globals.ts';
import { simulatedClient } from './simulated-client.ts';

/** Packages by the name under which they are imported, with their members. */
export type Packages = Readonly<Record<string, object>>;

/** What the project's own modules import. Packages keep nothing of a request. */
const packageNames = [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-eventbridge',
  '@aws-sdk/lib-dynamodb',
  '@aws-sdk/util-dynamodb',
  '@middy/core',
  '@middy/http-json-body-parser',
  'commander',
  'libphonenumber-js/max',
  'libphonenumber-js/min',
  'valibot',
] as const;

/** The packages, evaluated once for all processes. Their clock, timers and randomness are those of the process that is running when they ask. */
export function sharedPackages(): Promise<Packages> {
  evaluated ??= evaluate();
  return evaluated;
}

let evaluated: Promise<Packages> | undefined;

async function evaluate(): Promise<Packages> {
  const run = compileFunction(
    await bundleText(),
    ['module', 'exports', ...Object.keys(ownGlobals)],
    {
      filename: 'packages.cjs',
    },
  ) as (...values: unknown[]) => void;
  const module = { exports: {} as { packages: Packages } };
  run(module, module.exports, ...Object.values(ownGlobals));
  const { packages } = module.exports;
  const withSimulated = (name: (typeof packageNames)[number], client: string): object => {
    const members = packages[name] as Parameters<typeof simulatedClient>[0];
    return Object.create(members, { [client]: { value: simulatedClient(members, client) } });
  };
  return {
    ...packages,
    '@aws-sdk/client-dynamodb': withSimulated('@aws-sdk/client-dynamodb', 'DynamoDBClient'),
    '@aws-sdk/client-eventbridge': withSimulated(
      '@aws-sdk/client-eventbridge',
      'EventBridgeClient',
    ),
  };
}

/** Members are inherited: esbuild's `import *` copies each own member of a CommonJS module, at every import. */
async function bundleText(): Promise<string> {
  const projectFolder = resolve(import.meta.dirname, '../../..');
  const imports = packageNames.map(
    (name, at) => `import * as p${at} from ${JSON.stringify(name)};`,
  );
  const members = packageNames.map(
    (name, at) => `${JSON.stringify(name)}: Object.create(p${at}, { __esModule: { value: true } })`,
  );
  const contents = `${imports.join('\n')}\nexport const packages = { ${members.join(', ')} };`;
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
    plugins: [builtinsWithoutFacade],
    write: false,
    logLevel: 'warning',
  });
  const code = outputFiles[0]?.text;
  if (code === undefined) throw new Error('esbuild wrote no bundle.');
  return code;
}
