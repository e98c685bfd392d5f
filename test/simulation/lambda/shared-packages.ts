import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import type { Plugin } from 'esbuild';
import { builtinsWithoutFacade } from '../../../infra/bundle/esbuild-plugins.ts';
import { bundleText } from './bundle-text.ts';
import { currentProcess } from './current-process.ts';
import { globalNames } from './simulated-process.ts';

/** Packages by the name under which they are imported, with their members. */
export type Packages = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What the service's own modules import. They keep nothing of a request: what is shared is their code and what they worked out from it. */
const packageNames = [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/lib-dynamodb',
  '@aws-sdk/util-dynamodb',
  '@middy/core',
  '@middy/http-json-body-parser',
  'libphonenumber-js/min',
  'valibot',
] as const;

let evaluated: Promise<Packages> | undefined;

/**
 * The packages, evaluated once for all simulated processes: evaluating them anew takes 4 ms of each cold start. Their clock, timers, randomness
 * and connection are those of the process that is running when they ask.
 */
export function sharedPackages(): Promise<Packages> {
  evaluated ??= evaluate();
  return evaluated;
}

async function evaluate(): Promise<Packages> {
  const imports = packageNames.map(
    (name, at) => `import * as p${at} from ${JSON.stringify(name)};`,
  );
  const members = packageNames.map((name, at) => `${JSON.stringify(name)}: p${at}`);
  const code = await bundleText(
    `${imports.join('\n')}\nexport const packages = { ${members.join(', ')} };`,
    [fastClient, builtinsWithoutFacade],
  );
  const parameters = ['module', 'exports', 'simulatedConnection', ...globalNames];
  const run = compileFunction(code, parameters, { filename: 'packages.cjs' }) as (
    ...values: unknown[]
  ) => void;
  const module = { exports: {} as { packages: Packages } };
  run(
    module,
    module.exports,
    currentProcess.connection,
    ...globalNames.map((name) => currentProcess.globals[name]),
  );
  return module.exports.packages;
}

const fastClientFile = (name: string): string =>
  join(import.meta.dirname, 'fast-client', `${name}.ts`);

const fastClient: Plugin = {
  name: 'fast-client',
  setup({ onResolve }) {
    onResolve({ filter: /^@aws-sdk\/client-dynamodb$/ }, ({ importer }) =>
      importer === fastClientFile('client') ? undefined : { path: fastClientFile('client') },
    );
    onResolve({ filter: /\/DynamoDBDocumentClient(Command)?$/ }, ({ importer }) =>
      /lib-dynamodb[\\/]/.test(importer) ? { path: fastClientFile('document-client') } : undefined,
    );
  },
};
