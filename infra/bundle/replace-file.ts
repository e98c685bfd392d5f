import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a file by a rename, so that no reader meets half of it, and only if its content changes.
 * @param temporaryFolder on the same file system
 */
export async function replaceFile(
  file: string,
  content: Uint8Array,
  temporaryFolder: string = dirname(file),
): Promise<void> {
  if (existsSync(file) && (await readFile(file)).equals(content)) return;
  await mkdir(dirname(file), { recursive: true });
  const newFile = join(temporaryFolder, `.${basename(file)}-${randomUUID()}`);
  try {
    await writeFile(newFile, content);
    await rename(newFile, file);
  } finally {
    await rm(newFile, { force: true });
  }
}
