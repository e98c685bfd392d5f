import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { heartbeatName, publisherName } from '../../../infra/bundle/built-functions.ts';
import {
  buildFunctions,
  bundle,
  bundleFunctions,
  functionNames,
} from '../../../infra/bundle/bundle.ts';
import {
  memoryMbDefault,
  memoryMbMax,
  memoryVariables,
} from '../../../infra/bundle/function-memory.ts';
import { endpoints } from '../../../shared/contract/endpoints.ts';
import { bundleKbOf, recordedCounts } from '../../functions/counts.ts';
import { useFolder } from '../given-folder.ts';

const run = promisify(execFile);
const files = useFolder();

let bundles: Awaited<ReturnType<typeof bundleFunctions>>;
beforeAll(async () => {
  bundles = await bundleFunctions();
}, 60_000);

/** A folder with one function, get-lead, of this source. */
async function givenFunction(
  source: string,
): Promise<{ functionsFolder: string; distFolder: string; file: string }> {
  const own = files.newPath('case');
  const functionsFolder = join(own, 'functions');
  await mkdir(join(functionsFolder, 'get-lead'), { recursive: true });
  await writeFile(join(functionsFolder, 'get-lead', 'handler.ts'), source);
  const distFolder = join(own, 'dist');
  return { functionsFolder, distFolder, file: join(distFolder, 'get-lead', 'index.mjs') };
}

/** Imports a bundle in a process of its own, as Lambda does, and prints what the expression gives. */
async function inFreshProcess(file: string, expression: string): Promise<unknown> {
  const script = `const bundle = await import(${JSON.stringify(pathToFileURL(file).href)}); console.log(JSON.stringify(await (${expression})));`;
  const env = {
    LEADS_TABLE: 'leads',
    AWS_REGION: 'ap-south-1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
    env,
  });
  return JSON.parse(stdout);
}

const loads = (module: string): string =>
  `process.moduleLoadList.includes('NativeModule ${module}')`;
const loadsUndici = loads('internal/deps/undici/undici');

test('the functions are those of the endpoints, the publisher and the heartbeat', () => {
  expect(functionNames().sort()).toEqual(
    [...endpoints.map(({ name }) => name), publisherName, heartbeatName].sort(),
  );
});

describe('a bundle', () => {
  test('a bundle reaches the modules of Node by every kind of import', async () => {
    const options = await givenFunction(`
      import http, { STATUS_CODES } from 'node:http';
      import * as all from 'node:http';
      import { STATUS_CODES as withoutPrefix } from 'http';
      import { setTimeout } from 'node:timers/promises';
      import old from './old.cjs';
      export const handler = async () => [
        http.STATUS_CODES, STATUS_CODES, all.STATUS_CODES, withoutPrefix,
        await setTimeout(1, STATUS_CODES), (await import('node:http')).STATUS_CODES, old,
      ].map((codes) => codes[404]);`);
    await writeFile(
      join(options.functionsFolder, 'get-lead', 'old.cjs'),
      `module.exports = require('http').STATUS_CODES;`,
    );

    await buildFunctions(options);

    expect(await inFreshProcess(options.file, 'bundle.handler()')).toEqual(
      Array.from({ length: 7 }, () => 'Not Found'),
    );
  });

  test('a function loads a module that the SDK rarely uses at the first call of it', async () => {
    const source = `
      import { readFile } from 'node:fs/promises';
      import * as zlib from 'node:zlib';
      const crc32 = typeof zlib.crc32 === 'function' ? zlib.crc32 : undefined;
      export const handler = async () => {
        const imported = await import('node:fs/promises');
        return [crc32('a'), (await readFile('/dev/null')).length, (await imported.readFile('/dev/null')).length];
      };`;
    const file = files.path('lazy.mjs');
    await writeFile(file, (await bundle(source)).code);
    const service = files.path('capture-lead.mjs');
    await writeFile(service, bundles.get('capture-lead')!.code);

    const both = `[${loads('zlib')}, ${loads('fs/promises')}, ${loads('https')}]`;
    expect(await inFreshProcess(service, both)).toEqual([false, false, true]);
    expect(await inFreshProcess(file, `bundle.handler()`)).toEqual([0xe8b7be43, 0, 0]);
  });
});

describe('building while others build', () => {
  test('a build does not touch a file whose content is the same', async () => {
    const options = await givenFunction('export const handler = () => 1;');
    await buildFunctions(options);
    const before = await stat(options.file);

    await buildFunctions(options);

    expect((await stat(options.file)).ino).toBe(before.ino);
  });

  test('a build that fails keeps the earlier bundles, and names the place of the error', async () => {
    const options = await givenFunction('export const handler = () => 1;');
    await buildFunctions(options);
    const before = await readFile(options.file);
    await writeFile(
      join(options.functionsFolder, 'get-lead', 'handler.ts'),
      `import { absent } from './absent.ts';\nexport const handler = absent;`,
    );

    await expect(buildFunctions(options)).rejects.toThrow(
      /get-lead\/handler\.ts:1:\d+: ERROR: Could not resolve "\.\/absent\.ts"/,
    );

    expect(await readFile(options.file)).toEqual(before);
  });

  test('parallel builds show a reader only whole files, and leave no other files', async () => {
    const small = await givenFunction(
      `export const handler = () => ${JSON.stringify('s'.repeat(50_000))};`,
    );
    const large = await givenFunction(
      `export const handler = () => ${JSON.stringify('l'.repeat(500_000))};`,
    );
    const dist = { distFolder: small.distFolder };
    await buildFunctions(large);
    const { byteLength: largeBytes } = await readFile(large.file);
    await buildFunctions(small);
    const { byteLength: smallBytes } = await readFile(small.file);

    let building = true;
    const builds = Promise.all(
      Array.from({ length: 12 }, (_, i) => buildFunctions({ ...(i % 2 ? small : large), ...dist })),
    ).finally(() => {
      building = false;
    });
    const seen = new Set<number>();
    while (building) seen.add((await readFile(small.file)).byteLength);
    await builds;

    expect([...seen].filter((bytes) => bytes !== smallBytes && bytes !== largeBytes)).toEqual([]);
    expect(await readdir(small.distFolder)).toEqual(['get-lead']);
    expect(await readdir(dirname(small.file))).toEqual(['index.mjs', 'index.mjs.map']);
  });
});

/** Bytes: SDK releases have made bundles grow before (aws/aws-sdk-js-v3#6144). */
const ceilingBytes = 420_000;

test('the bundles export their handler alone, and load no undici', async () => {
  const names = functionNames();
  for (const name of names) await writeFile(files.path(`${name}.mjs`), bundles.get(name)!.code);
  const [first = '', ...others] = names.map((name) => files.path(`${name}.mjs`));
  const exported = `Promise.all(${JSON.stringify(others)}.map((one) => import(one))).then((all) => [bundle, ...all].map(Object.keys))`;

  expect(await inFreshProcess(first, `[await ${exported}, ${loadsUndici}]`)).toEqual([
    names.map(() => ['handler']),
    false,
  ]);
});

test.each(functionNames())(
  'the bundle of %s needs nothing at run time, and has not grown',
  (name) => {
    const { code, inputs, imports } = bundles.get(name)!;

    expect(imports).toEqual([]);
    // Credentials come from the environment alone; the heartbeat needs none.
    expect(inputs.includes('infra/bundle/environment-credentials.ts')).toBe(name !== heartbeatName);
    expect(inputs.filter((input) => input.includes('credential-provider-'))).toEqual([]);
    expect(code.byteLength).toBeLessThan(ceilingBytes);
    expect(
      bundleKbOf(code),
      'KB; if the growth is worth it: npm run bench -- --record',
    ).toBeLessThanOrEqual(recordedCounts().bundleKb[name] ?? 0);
  },
);

test('the objects of a function may take half of a small memory, and 256 MB of any other', () => {
  const oldSpaceOf = (memoryMb: number) =>
    /--max-old-space-size=(\d+)/.exec(memoryVariables(memoryMb).NODE_OPTIONS)?.[1];

  expect([256, 400, memoryMbDefault, memoryMbMax].map(oldSpaceOf)).toEqual([
    '128',
    '200',
    '256',
    '256',
  ]);
});
