import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { replacedPackages } from '../../../infra/bundle/esbuild-plugins.ts';

export const projectFolder = resolve(import.meta.dirname, '../../..');

/** The text of a CommonJS bundle. */
export async function bundleText(source: string, plugins: readonly Plugin[]): Promise<string> {
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
    alias: replacedPackages,
    plugins: [...plugins],
    write: false,
    logLevel: 'warning',
  });
  const code = outputFiles[0]?.text;
  if (code === undefined) throw new Error('esbuild gave no bundle.');
  return code;
}

/** The project's own modules by their paths in its folder, with those that each imports. */
export type ModuleGraph = ReadonlyMap<string, readonly string[]>;

export async function moduleGraph(source: string): Promise<ModuleGraph> {
  const { metafile } = await build({
    stdin: { contents: source, resolveDir: projectFolder, sourcefile: 'entry.ts', loader: 'ts' },
    absWorkingDir: projectFolder,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: 'out',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const own = Object.entries(metafile.inputs).filter(([path]) => path !== 'entry.ts');
  return new Map(
    own.map(([path, { imports }]) => [
      path,
      imports.filter(({ external }) => !external).map((one) => one.path),
    ]),
  );
}
