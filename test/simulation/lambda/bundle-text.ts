import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

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
    plugins: [...plugins],
    write: false,
    logLevel: 'warning',
  });
  const code = outputFiles[0]?.text;
  if (code === undefined) throw new Error('esbuild gave no bundle.');
  return code;
}
