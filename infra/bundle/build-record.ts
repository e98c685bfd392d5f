import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type BuildOptions,
  bundleFile,
  bundleFunctions,
  defaultFunctionsFolder,
  distFolder,
  projectFolder,
  publishBundles,
  writtenFunctions,
} from './bundle.ts';

/** What the bundles in a dist folder were built from. */
interface BuildRecord {
  /** A stamp of each file that the build read, by path. */
  readonly inputs: Readonly<Record<string, string>>;
  /** A hash of each bundle, by function. Another build may have replaced one. */
  readonly outputs: Readonly<Record<string, string>>;
}

const recordFile = (dist: string): string => join(dist, '.build-record.json');

/** What also decides about a bundle: which packages are installed, their order of resolution, and how functions are bundled. */
export const buildFiles = async (): Promise<readonly string[]> => [
  'package.json',
  'tsconfig.json',
  join('node_modules', '.package-lock.json'),
  ...(await readdir(import.meta.dirname)).map((file) => join(import.meta.dirname, file)),
];

/**
 * Builds the functions as `buildFunctions` does, without what only a deployment needs, unless the folder has the bundles of exactly these
 * sources. For the local service: a deployment always builds.
 * @returns the dist folder
 * @throws BuildFailure of esbuild; earlier builds are kept
 */
export async function buildChangedFunctions(
  options: Pick<BuildOptions, 'functionsFolder' | 'distFolder'> = {},
): Promise<string> {
  const { functionsFolder = defaultFunctionsFolder, distFolder: dist = distFolder } = options;
  if (await isBuilt(dist, writtenFunctions(functionsFolder))) return dist;
  const begunAtMs = Date.now();
  let inputs: readonly string[] = [];
  const bundles = await bundleFunctions(functionsFolder, {
    onRead: (files) => {
      inputs = files;
    },
  });
  await publishBundles(dist, bundles);
  const outputs = [...bundles].map(([name, { code }]) => [name, hash(code)] as const);
  const files = [...inputs.filter(isFile), ...(await buildFiles())];
  await writeRecord(dist, files, Object.fromEntries(outputs), begunAtMs);
  return dist;
}

/** Modules that a plugin makes have a namespace before a colon. */
const isFile = (input: string): boolean => existsSync(resolve(projectFolder, input));

async function isBuilt(dist: string, names: readonly string[]): Promise<boolean> {
  const record = await readRecord(dist);
  if (!record || names.toSorted().join() !== Object.keys(record.outputs).toSorted().join())
    return false;
  const expected = Object.entries(record.inputs);
  const stamps = await Promise.all(expected.map(async ([file]) => (await stampOf(file))?.text));
  if (expected.some(([, stamp], at) => stamps[at] !== stamp)) return false;
  const hashes = await Promise.all(names.map((name) => hashOfFile(join(dist, name, bundleFile))));
  return names.every((name, at) => hashes[at] === record.outputs[name]);
}

async function readRecord(dist: string): Promise<BuildRecord | undefined> {
  const file = recordFile(dist);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // damaged: build again
    throw error;
  }
}

/** A clock of the file system may be this much behind the process's. */
const clockStepMs = 20;

/** Writes no record if a file may have changed since the build read it: the next start then builds again. */
async function writeRecord(
  dist: string,
  files: readonly string[],
  outputs: BuildRecord['outputs'],
  begunAtMs: number,
): Promise<void> {
  const stamps = await Promise.all(files.map(stampOf));
  if (stamps.some((stamp) => !stamp || stamp.changedAtMs >= begunAtMs - clockStepMs)) return;
  const inputs = Object.fromEntries(files.map((file, at) => [file, stamps[at]?.text ?? '']));
  const newFile = `${recordFile(dist)}-${randomUUID()}`;
  await writeFile(newFile, JSON.stringify({ inputs, outputs } satisfies BuildRecord));
  await rename(newFile, recordFile(dist));
}

/** Changes with every write, rename and copy of the file: nothing sets the time of a change (ctime) back. */
export async function stampOf(
  file: string,
): Promise<{ text: string; changedAtMs: number } | undefined> {
  const path = resolve(projectFolder, file);
  if (!existsSync(path)) return undefined;
  const { size, mtimeMs, ctimeMs, ino } = await stat(path);
  return { text: `${size} ${mtimeMs} ${ctimeMs} ${ino}`, changedAtMs: ctimeMs };
}

const hash = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

async function hashOfFile(file: string): Promise<string | undefined> {
  return existsSync(file) ? hash(await readFile(file)) : undefined;
}
