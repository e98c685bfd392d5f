import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { buildClient } from '../../../../infra/openapi/client/build.ts';
import { machineNode, node24, projectFolder } from '../../../support/service-process.ts';
import { useFolder } from '../../given-folder.ts';

/** The package as a user has it: installed from its file into a strict project of its own. */

const run = promisify(execFile);
const files = useFolder();
let folder: string;
let packageFile: string;
let installed: string[];
beforeAll(async () => {
  folder = files.path();
  packageFile = await buildClient(join(folder, 'dist'));
  await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', packageFile], {
    cwd: folder,
  });
  installed = await readdir(join(folder, 'node_modules'));
  for (const types of ['@types', 'undici-types'])
    await symlink(join(projectFolder, 'node_modules', types), join(folder, 'node_modules', types));
  await copyFile(join(import.meta.dirname, 'consumer.ts.txt'), join(folder, 'consumer.ts'));
}, 60_000);

test('the package has no dependency and at most 30 KB', async () => {
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['lead-service-client']);
  expect((await stat(packageFile)).size).toBeLessThan(30_000);
});

const strictOptions = {
  target: 'es2022',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  outDir: 'out',
};

test.each([
  ['Node', { types: ['node'], lib: ['es2022'] }],
  ['a browser-like runtime', { types: [], lib: ['es2024', 'dom', 'dom.iterable'] }],
])('a strict project with the types of %s compiles against it', async (_name, types) => {
  const configuration = {
    // @types/node is the project's own, whose inner types are not this test's subject.
    compilerOptions: { ...strictOptions, ...types, skipLibCheck: types.types.length > 0 },
    files: ['consumer.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration));

  const tsc = run(join(projectFolder, 'node_modules', '.bin', 'tsc'), ['-p', '.'], { cwd: folder });

  expect(await tsc.catch(({ stdout }) => stdout)).toEqual({ stdout: '', stderr: '' });
});

test('the edge recipe bundles with it for a runtime that has no modules of Node', async () => {
  const recipes = join(projectFolder, 'infra', 'recipes');
  await mkdir(join(folder, 'edge'));
  for (const file of ['form.ts', 'edge/worker.ts'])
    await copyFile(join(recipes, file), join(folder, file));

  const { outputFiles } = await build({
    entryPoints: [join(folder, 'edge', 'worker.ts')],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'neutral',
  });

  expect(outputFiles[0]?.contents.byteLength).toBeLessThan(20_000);
});

test('the compiled project runs, on the machine’s own Node too', async () => {
  const script = [
    "import { LeadClient } from 'lead-service-client';",
    "import { fileStore, Outbox } from 'lead-service-client/outbox';",
    'const answer = () => Promise.resolve(Response.json({ lead: { id: 5, created: true, updated: false } }, { status: 201 }));',
    "const client = new LeadClient({ baseUrl: 'https://leads.example.com', apiKey: 'k', fetch: answer });",
    "const outbox = new Outbox(client, { store: fileStore('./kept'), onDelivered: (_, { id }) => console.log(id) });",
    "await outbox.add({ name: 'A', phone: '98220 12345', fields: { gpa: 3 } }, { formView: 'v' });",
    'await outbox.sendDue();',
  ];
  await mkdir(join(folder, 'kept'), { recursive: true });
  await writeFile(join(folder, 'run.mjs'), script.join('\n'));

  for (const node of new Set([node24, await machineNode()]))
    expect((await run(node, ['run.mjs'], { cwd: folder })).stdout, node).toBe('5\n');
});
