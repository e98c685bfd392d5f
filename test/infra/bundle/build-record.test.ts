import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildChangedFunctions } from '../../../infra/bundle/build-record.ts';

let folder: string;
let functionsFolder: string;
let distFolder: string;
const source = (name: string): string => join(functionsFolder, `${name}.ts`);
const bundleOf = (name: string): string => join(distFolder, name, 'index.mjs');
const recordFile = (): string => join(distFolder, '.build-record.json');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'build-record-test-'));
  functionsFolder = join(folder, 'functions');
  distFolder = join(folder, 'dist');
  await mkdir(functionsFolder);
  await writeFile(join(functionsFolder, 'answer.ts'), `export const answer = 'first';`);
  await writeFile(
    source('get-lead'),
    `import { answer } from './answer.ts';\nexport const handler = () => answer;`,
  );
  await sleep(30); // a file that changed just before a build could have changed during it
});
afterEach(() => rm(folder, { recursive: true }));

/** Builds, and tells whether that was a build: each one writes a new record. */
async function builds(): Promise<boolean> {
  const inode = async () => (await stat(recordFile()).catch(() => undefined))?.ino;
  const before = await inode();
  await buildChangedFunctions({ functionsFolder, distFolder });
  return (await inode()) !== before;
}

test('functions whose sources did not change are not built again', async () => {
  expect([await builds(), await builds()]).toEqual([true, false]);
  expect(await readFile(bundleOf('get-lead'), 'utf8')).toContain('first');
});

test('a change in an imported module builds again, even with the same size', async () => {
  await builds();
  await writeFile(join(functionsFolder, 'answer.ts'), `export const answer = 'other';`);

  await builds();

  expect(await readFile(bundleOf('get-lead'), 'utf8')).toContain('other');
});

test('a change during a build is seen by the next one', async () => {
  const building = builds();
  await writeFile(join(functionsFolder, 'answer.ts'), `export const answer = 'later';`);
  await building;

  await builds();

  expect(await readFile(bundleOf('get-lead'), 'utf8')).toContain('later');
});

test('a new function, a removed import and a removed bundle each build again', async () => {
  await builds();
  await writeFile(source('list-users'), `export const handler = () => 'users';`);
  await sleep(30);
  expect(await builds()).toBe(true);
  expect(await readFile(bundleOf('list-users'), 'utf8')).toContain('users');

  await rm(bundleOf('list-users'));
  expect(await builds()).toBe(true);
  expect(await readFile(bundleOf('list-users'), 'utf8')).toContain('users');

  await rm(join(functionsFolder, 'answer.ts'));
  await expect(builds()).rejects.toThrow(/Could not resolve "\.\/answer\.ts"/);
});

test('two functions are built once, and again when the record is damaged', async () => {
  await writeFile(source('list-users'), `export const handler = () => 'users';`);
  await sleep(30);
  expect([await builds(), await builds()]).toEqual([true, false]);

  await writeFile(recordFile(), '{"inputs":');
  expect(await builds()).toBe(true);
});

test('a bundle that another build replaced is built again', async () => {
  await builds();
  await writeFile(bundleOf('get-lead'), 'export const handler = 0;');

  expect(await builds()).toBe(true);
  expect(await readFile(bundleOf('get-lead'), 'utf8')).toContain('first');
});
