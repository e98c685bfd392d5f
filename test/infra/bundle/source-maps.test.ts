import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withSourceLines } from '../../../infra/admin/request/source-lines.ts';
import { type Bundle, bundleFunctions, publishBundles } from '../../../infra/bundle/bundle.ts';
import { releaseOf, writeSourceMaps } from '../../../infra/bundle/source-maps.ts';

let folder: string;
let functionsFolder: string;
let dist: string;
let bundles: ReadonlyMap<string, Bundle>;
const bundleOf = (name: string): Bundle => bundles.get(name)!;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'source-maps-'));
  functionsFolder = join(folder, 'functions');
  dist = join(folder, 'dist');
  await mkdir(functionsFolder);
  await writeFile(join(functionsFolder, 'fail.ts'), failing);
  await writeFile(
    join(functionsFolder, 'get-lead.ts'),
    `import { fail } from './fail.ts';\nexport const handler = () =>\n  fail('no such lead');\n`,
  );
  bundles = await bundleFunctions(functionsFolder, { withSourceMaps: true });
  await publishBundles(dist, bundles);
  await writeSourceMaps(dist, bundles);
});
afterAll(() => rm(folder, { recursive: true }));

const failing = `/** Why not. */
export function fail(message: string): never {
  throw new Error(message, {
    cause: new RangeError('too far'),
  });
}
`;

test('a bundle is the same bytes with and without its source map, which is no part of what is uploaded', async () => {
  const without = (await bundleFunctions(functionsFolder)).get('get-lead');

  expect(without?.code).toEqual(bundleOf('get-lead').code);
  expect(without?.sourceMap).toBeUndefined();
  expect(await readdir(join(dist, 'get-lead'))).toEqual(['index.mjs']);
  const release = releaseOf(bundleOf('get-lead').code);
  expect(await readdir(join(dist, 'source-maps', 'get-lead'))).toEqual([`${release}.json.gz`]);
});

test('the stack of an error, and of its cause, is shown in source lines by the map of the release on the line', async () => {
  const error = await errorOf(join(dist, 'get-lead', 'index.mjs'));
  const release = releaseOf(bundleOf('get-lead').code);
  expect(error.stack).toContain('/get-lead/index.mjs:');

  const { line, missing } = await withSourceLines({ endpoint: 'get-lead', release, error }, dist);

  expect(missing).toBeUndefined();
  const shown = (line as { error: { stack: string; cause: { stack: string } } }).error;
  expect(shown.stack).toMatch(/functions\/fail\.ts:3:\d+/);
  expect(shown.stack).toMatch(/functions\/get-lead\.ts:3:\d+/);
  expect(shown.cause.stack).toMatch(/^RangeError: too far\n.*functions\/fail\.ts:4:\d+/);
});

test.each([
  [{ endpoint: 'get-lead', release: '0123456789ab', error: { stack: 'at index.mjs:1:2' } }, true],
  [{ endpoint: '../get-lead', release: '0123456789ab', error: {} }, false],
  [{ endpoint: 'get-lead', release: '../../x', error: {} }, false],
  [{ endpoint: 'get-lead', status: 200 }, false],
  ['START RequestId: 1', false],
])('the line %j stays as it is', async (line, isMissing) => {
  const shown = await withSourceLines(line, dist);

  expect(shown.line).toEqual(line);
  expect(shown.missing !== undefined).toBe(isMissing);
});

test('only the newest 30 maps of a function are kept', async () => {
  const own = join(folder, 'many');
  const map = new TextEncoder().encode('{}');
  const mapsFolder = join(own, 'source-maps', 'get-lead');
  for (let build = 0; build < 32; build += 1) {
    const code = new TextEncoder().encode(`build ${build}`);
    await writeSourceMaps(own, new Map([['get-lead', { code, sourceMap: map }]]));
    await utimes(join(mapsFolder, `${releaseOf(code)}.json.gz`), build, build);
  }

  const kept = await readdir(mapsFolder);
  expect(kept).toHaveLength(30);
  for (const removed of ['build 0', 'build 1'])
    expect(kept).not.toContain(`${releaseOf(new TextEncoder().encode(removed))}.json.gz`);
});

interface Failure {
  readonly stack: string;
  readonly cause?: Failure;
}

/** What the handler of a bundle throws, in a process of its own, as Lambda runs it. */
async function errorOf(file: string): Promise<Failure> {
  const script = `
    const { handler } = await import(${JSON.stringify(pathToFileURL(file).href)});
    try { handler(); } catch ({ stack, cause }) {
      console.log(JSON.stringify({ stack, cause: { stack: cause.stack } }));
    }`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    script,
  ]);
  return JSON.parse(stdout) as Failure;
}
