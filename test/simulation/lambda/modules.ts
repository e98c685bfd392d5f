import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { projectFolder } from '../../../infra/bundle/built-functions.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import { bundled, sharedPackages } from './packages.ts';
import { ownGlobals } from './process-globals.ts';

/** Evaluates a program with all project modules that it imports, anew, as a new process does. @returns its exports */
export type Program = () => unknown;

/** Changes a module's source text, to run another version of the code. The path is relative to the project's folder. */
export type Change = (path: string, text: string) => string;

/** Every function, whose modules a process evaluates when it serves its endpoint, and what an administrator's process runs. */
const serviceSource = `
  export { openTable, runCommand } from './test/simulation/administration.ts';
  export const handlers = {
    ${endpoints.map(({ name }) => `'${name}': () => import('./functions/${name}.ts')`).join(', ')}
  };`;

/** The code of the service, read once and evaluated in as many processes as a simulation has. */
export const readService = (change?: Change): Promise<Program> =>
  readProgram(serviceSource, change);

/** Bundles a source text in the project's folder with the project modules that it imports, directly or not. The packages are shared. */
export async function readProgram(source: string, change?: Change): Promise<Program> {
  const packages = await sharedPackages();
  const plugins = change ? [changedBy(change)] : [];
  const evaluate = await bundled(source, { packages: 'external', plugins });
  const { getBuiltinModule } = ownGlobals.process as NodeJS.Process;
  return () =>
    evaluate((name) => {
      if (isBuiltin(name)) return getBuiltinModule(name);
      if (!packages[name]) throw new Error(`Add ${name} to the packages in packages.ts.`);
      return packages[name];
    });
}

const changedBy = (change: Change): Plugin => ({
  name: 'change',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: change(relative(projectFolder, path), text), loader: 'ts' };
    });
  },
});
