import { join, resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { leanImports } from '../../../infra/bundle/lean-imports.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import { globalNames } from './simulated-process.ts';

const projectFolder = resolve(import.meta.dirname, '../../..');

/** A module evaluated anew with each call: its own state, its own globals. */
export type EvaluateBundle = (globals: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

export interface BundleOptions {
  /** Whether the SDK's whole client is kept, down to HTTP requests. @default false, `fast-client.ts` */
  readonly wholeClient?: boolean;
  /** Changes source text on its way into the bundle, for another version of the code. The path is relative to the project's folder. */
  readonly change?: (path: string, text: string) => string;
}

/** Every function in one bundle: modules are evaluated per instance, and each instance serves one endpoint. */
export function bundleFunctions(options: BundleOptions = {}): Promise<EvaluateBundle> {
  const names = endpoints.map(({ name }) => name);
  const imports = names.map(
    (name, at) => `import { handler as h${at} } from ${JSON.stringify(join(projectFolder, 'functions', `${name}.ts`))};`,
  );
  const handlers = names.map((name, at) => `${JSON.stringify(name)}: h${at}`);
  return bundleSource(`${imports.join('\n')}\nexport const handlers = { ${handlers.join(', ')} };`, options);
}

/** Bundles a module as the functions are bundled, for evaluation in this process. */
export async function bundleSource(source: string, { wholeClient = false, change }: BundleOptions): Promise<EvaluateBundle> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: projectFolder, sourcefile: 'entry.ts', loader: 'ts' },
    absWorkingDir: projectFolder,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    charset: 'utf8',
    legalComments: 'none',
    plugins: [wholeClient ? simulatedHttpHandler : fastClient, ...(change ? [changed(change)] : []), ...leanImports],
    write: false,
    logLevel: 'warning',
  });
  const code = outputFiles[0]?.text;
  if (code === undefined) throw new Error('esbuild gave no bundle.');
  const parameters = ['module', 'exports', 'simulatedConnection', ...globalNames];
  const run = compileFunction(code, parameters, { filename: 'functions.cjs' }) as (...values: unknown[]) => void;
  return (globals) => {
    const module = { exports: {} };
    run(module, module.exports, globals.simulatedConnection, ...globalNames.map((name) => globals[name]));
    return module.exports;
  };
}

const fastClientFile = join(import.meta.dirname, 'fast-client.ts');

const fastClient: Plugin = {
  name: 'fast-client',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^@aws-sdk\/client-dynamodb$/ }, ({ importer }) =>
      importer === fastClientFile ? undefined : { path: fastClientFile },
    );
    // Each command of the client adds a middleware that looks an endpoint up: there is none here.
    onResolve({ filter: /^@smithy\/core\/endpoints$/ }, ({ importer }) =>
      /client-dynamodb[\\/].*commandBuilder\.js$/.test(importer) ? { path: 'no-endpoints', namespace: 'fast-client' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'fast-client' }, () => ({
      contents: 'export const getEndpointPlugin = () => ({ applyToStack() {} });',
      loader: 'js',
    }));
  },
};

const simulatedHttpHandler: Plugin = {
  name: 'simulated-http-handler',
  setup({ onResolve }) {
    onResolve({ filter: /^@smithy\/node-http-handler$/ }, () => ({
      path: join(import.meta.dirname, 'simulated-http-handler.ts'),
    }));
  },
};

function changed(change: NonNullable<BundleOptions['change']>): Plugin {
  return {
    name: 'changed-source',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/](functions|shared)[\\/].*\.ts$/ }, async ({ path }) => {
        const { readFile } = await import('node:fs/promises');
        const text = await readFile(path, 'utf8');
        return { contents: change(path.slice(projectFolder.length + 1), text), loader: 'ts' };
      });
    },
  };
}
