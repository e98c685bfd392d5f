import { mkdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** Makes a folder for the files of a test file, and removes it after the tests. */
export function useFolder() {
  let folder = '';
  let files = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const path = (...names: string[]): string => join(folder, ...names);
  /** A path that no other file of the folder has. */
  const newPath = (name: string): string => {
    files += 1;
    return path(`${files}-${name}`);
  };
  return {
    path,
    newPath,
    /** @returns the path of a new folder */
    newFolder: (name: string): string => {
      const own = newPath(name);
      mkdirSync(own);
      return own;
    },
    read: (file: string): Promise<string> => readFile(file, 'utf8'),
    /** @returns the path of a new file */
    write: async (name: string, content: string | Buffer | object): Promise<string> => {
      const file = newPath(name);
      const isText = typeof content === 'string' || Buffer.isBuffer(content);
      await writeFile(file, isText ? content : JSON.stringify(content));
      return file;
    },
  };
}
