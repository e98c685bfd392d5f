import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';
import { endpoints } from '../../../../shared/contract/endpoints.ts';
import { bundled, sharedPackages } from './packages.ts';
import { ownGlobals } from './process-globals.ts';

/** Evaluates a program with all project modules that it imports, anew, as a new process does. @returns its exports */
export type Program = () => unknown;

/** A change of a module's source text, to run another version of the code. */
export interface Change {
  /** Relative to the project's folder. */
  readonly file: string;
  readonly of: (text: string) => string;
}

/** Every function, whose modules a process evaluates when it serves its endpoint, and what an administrator's process runs. */
const serviceSource = `
  export { openTable, runCommand } from './test/proof/simulation/administration.ts';
  export const handlers = {
    ${endpoints.map(({ name }) => `'${name}': () => import('./functions/${name}/handler.ts')`).join(', ')}
  };`;

/** The code of the service, read once and evaluated in as many processes as a simulation has. */
export const readService = (...changes: readonly Change[]): Promise<Program> =>
  readProgram(serviceSource, changes);

/** Bundles a source text in the project's folder with the project modules that it imports, directly or not. The packages are shared. */
export async function readProgram(source: string, changes: readonly Change[]): Promise<Program> {
  const packages = await sharedPackages();
  const evaluate = await bundled(source, { packages: 'external', plugins: [changedBy(changes)] });
  const { getBuiltinModule } = ownGlobals.process as NodeJS.Process;
  return () =>
    evaluate((name) => {
      if (isBuiltin(name)) return getBuiltinModule(name);
      if (!packages[name]) throw new Error(`Add ${name} to the packages in packages.ts.`);
      return packages[name];
    });
}

const changedBy = (changes: readonly Change[]): Plugin => ({
  name: 'changes',
  setup({ onLoad }) {
    for (const { file } of changes)
      onLoad({ filter: new RegExp(`/${file.replaceAll('.', '\\.')}$`) }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        const own = changes.filter((change) => change.file === file);
        return { contents: own.reduce((before, { of }) => of(before), text), loader: 'ts' };
      });
  },
});
