import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { replaceFile } from './replace-file.ts';

/**
 * The source maps of bundles: `<dist>/source-maps/<function>/<release>.json.gz`. They are outside the functions' folders, because a deployment
 * uploads those; `npm run admin -- request` reads them to show the stack of an error in source lines.
 */
const folderOf = (dist: string, functionName: string): string =>
  join(dist, 'source-maps', functionName);
const fileOf = (dist: string, functionName: string, release: string): string =>
  join(folderOf(dist, functionName), `${release}.json.gz`);

/** Of a function: the maps of older builds are removed. The same commit gives the same map again. */
const keptMaps = 30;
const releaseDigits = 12;

/** Names a bundle by its content. The function has the name in its environment, and the lines of its errors have it. */
export const releaseOf = (code: Uint8Array): string =>
  createHash('sha256').update(code).digest('hex').slice(0, releaseDigits);

interface MappedBundle {
  readonly code: Uint8Array;
  readonly sourceMap?: Uint8Array | undefined;
}

/** Keeps the map of each bundle that has one, beside those of earlier builds. */
export async function writeSourceMaps(
  dist: string,
  bundles: ReadonlyMap<string, MappedBundle>,
): Promise<void> {
  await Promise.all(
    [...bundles].map(async ([name, { code, sourceMap }]) => {
      const file = fileOf(dist, name, releaseOf(code));
      if (!sourceMap || existsSync(file)) return;
      await replaceFile(file, await promisify(gzip)(sourceMap));
      await removeOldMaps(folderOf(dist, name));
    }),
  );
}

async function removeOldMaps(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => /^\w+\.json\.gz$/.test(name));
  if (files.length <= keptMaps) return;
  const dated = await Promise.all(
    files.map(async (name) => ({ name, writtenAt: (await stat(join(folder, name))).mtimeMs })),
  );
  const old = dated.sort((one, other) => other.writtenAt - one.writtenAt).slice(keptMaps);
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })));
}

/** @returns undefined when this folder never built that bundle, or built it long ago */
export async function readSourceMap(
  dist: string,
  functionName: string,
  release: string,
): Promise<SourceMap | undefined> {
  const file = fileOf(dist, functionName, release);
  if (!existsSync(file)) return undefined;
  const payload = (await promisify(gunzip)(await readFile(file))).toString();
  return new SourceMap(JSON.parse(payload) as SourceMapPayload);
}

/** A place in a bundle, as a stack writes it: `file:///var/task/index.mjs:12:3456`. */
const bundlePlace = /(?:file:\/\/)?[^\s()]*\/index\.mjs:(\d+):(\d+)/g;

/** The same stack with the places in source files: `shared/store/table/transact.ts:66:27`. A place that the map does not have stays. */
export const mappedStack = (stack: string, sourceMap: SourceMap): string =>
  stack.replace(bundlePlace, (place, line: string, column: string) => {
    const origin = sourceMap.findOrigin(Number(line), Number(column));
    return 'fileName' in origin
      ? `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
      : place;
  });
