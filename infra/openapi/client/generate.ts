import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { apiTypeFiles } from './api-types.ts';

const projectFolder = resolve(import.meta.dirname, '../../..');
export const clientFolder = join(projectFolder, 'shared', 'client');

/** The client's generated files by their path, formatted as `npm run format` formats them. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const files = Object.entries(await apiTypeFiles());
  return new Map(
    files.map(([name, text]) => {
      const file = join(clientFolder, name);
      return [file, formatted(file, text)];
    }),
  );
}

function formatted(file: string, text: string): string {
  const biome = join(projectFolder, 'node_modules', '.bin', 'biome');
  const options = { cwd: projectFolder, input: text, encoding: 'utf8' } as const;
  return execFileSync(biome, ['format', `--stdin-file-path=${file}`], options);
}

/** Writes the generated files that are not current. @returns their paths */
export async function writeGeneratedFiles(): Promise<string[]> {
  const written: string[] = [];
  for (const [file, text] of await generatedFiles()) {
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue;
    await writeFile(file, text);
    written.push(file);
  }
  return written;
}

if (import.meta.main) {
  const written = await writeGeneratedFiles();
  console.log(written.length === 0 ? 'The client is current.' : `Written: ${written.join(', ')}`);
}
