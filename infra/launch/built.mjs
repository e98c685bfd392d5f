import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Programs that are bundled after their first run, by their file: to import hundreds of files takes longer than most commands. */
export const bundledPrograms = new Set(['infra/admin/main.ts']);

/** What bundles a program after a run that found no bundle of its sources. */
export const builder = join('infra', 'admin', 'build.ts');

/**
 * The bundle of a program, if it is of exactly the sources that are there now.
 * @param {string} projectFolder
 * @param {string} target
 * @returns {string | undefined}
 */
export function builtProgram(projectFolder, target) {
  if (!bundledPrograms.has(target)) return undefined;
  const folder = join(projectFolder, 'node_modules', '.cache', 'programs');
  try {
    const { main, inputs } = JSON.parse(readFileSync(join(folder, 'admin.json'), 'utf8'));
    const isCurrent = Object.entries(inputs).every(
      ([file, stamp]) => stampOf(resolve(projectFolder, file)) === stamp,
    );
    return isCurrent ? join(folder, main) : undefined;
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** As `infra/bundle/build-record.ts` writes it: changes with every write, rename and copy of the file. */
function stampOf(file) {
  const { size, mtimeMs, ctimeMs, ino } = statSync(file);
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}
