import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { node24, projectFolder } from '../../support/service-process.ts';

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'run-test-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Stands in for npm: `npm ci` empties node_modules, takes a moment, and makes what the launcher needs of it. */
const fakeNpm = `
  const fs = require('node:fs');
  fs.appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
  console.log('npm says this on stdout');
  if (fs.existsSync('npm-fails')) process.exit(7);
  fs.rmSync('node_modules', { recursive: true, force: true });
  setTimeout(() => {
    fs.mkdirSync('node_modules/.bin', { recursive: true });
    fs.symlinkSync(${JSON.stringify(node24)}, 'node_modules/.bin/node');
    fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
  }, 300);`;

/** A checkout of a small project with the real launcher. */
function givenProject(): string {
  const folder = mkdtempSync(join(scratch, 'project-'));
  cpSync(join(projectFolder, 'infra', 'launch'), join(folder, 'infra', 'launch'), {
    recursive: true,
  });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  lock(folder, '1.0.0');
  return folder;
}

/** The same after an installation by hand. */
function givenInstalledProject(): string {
  const folder = givenProject();
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(node24, join(folder, 'node_modules', '.bin', 'node'));
  const list = { packages: { 'node_modules/left': { version: '1.0.0' } } };
  writeFileSync(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify(list));
  return folder;
}

function lock(folder: string, version: string): void {
  const packages = {
    '': {},
    'node_modules/left': { version },
    'node_modules/elsewhere': { version: '1.0.0', optional: true },
  };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
}

function launch(
  folder: string,
  script: string,
  environment: Record<string, string> = {},
): ChildProcess {
  writeFileSync(join(folder, 'script.ts'), script);
  const npm = join(scratch, 'npm-cli.js');
  if (!existsSync(npm)) writeFileSync(npm, fakeNpm);
  const { npm_lifecycle_event: _, ...own } = process.env;
  return spawn(node24, ['infra/launch/run.mjs', 'script.ts', 'a b', '--json'], {
    cwd: folder,
    // A project of its own for each test: nothing that is compiled is compiled again.
    env: { ...own, NODE_DISABLE_COMPILE_CACHE: '1', npm_execpath: npm, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function outcome(
  child: ChildProcess,
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const [stdout, stderr] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close'),
  ]);
  return { status: child.exitCode, stdout, stderr };
}

const calls = (folder: string): string[] => {
  const file = join(folder, 'npm-calls');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

const hello = 'console.log(process.argv.slice(2).join("|"), process.version.split(".")[0])';

test('installs what is missing once, says so on stderr alone, and passes the arguments on', {
  timeout: 20_000,
}, async () => {
  const folder = givenProject();

  const first = await outcome(launch(folder, hello));
  const second = await outcome(launch(folder, hello));

  expect(first).toMatchObject({ status: 0, stdout: 'a b|--json v24\n' });
  expect(first.stderr).toContain('Installing the packages of package-lock.json (npm ci)');
  expect(first.stderr).toContain('npm says this on stdout');
  expect(second).toEqual({ status: 0, stdout: 'a b|--json v24\n', stderr: '' });
  expect(calls(folder)).toEqual([
    'ci --include=dev --include=optional --no-audit --no-fund --loglevel=error',
  ]);
});

test('installs once for several starts at the same moment', { timeout: 20_000 }, async () => {
  const folder = givenProject();
  writeFileSync(join(folder, 'script.ts'), hello);

  const outcomes = await Promise.all(
    Array.from({ length: 4 }, () => outcome(launch(folder, hello))),
  );

  expect(outcomes.map(({ status, stdout }) => ({ status, stdout }))).toEqual(
    Array.from({ length: 4 }, () => ({ status: 0, stdout: 'a b|--json v24\n' })),
  );
  expect(calls(folder)).toHaveLength(1);
});

test('installs again when the lock file names another version, and not for an installation made by hand', {
  timeout: 20_000,
}, async () => {
  const folder = givenInstalledProject();

  await outcome(launch(folder, hello));
  expect(calls(folder)).toHaveLength(0);

  lock(folder, '2.0.0');
  await outcome(launch(folder, hello));
  expect(calls(folder)).toHaveLength(1);
});

test('the launcher takes over the lock of an installation that was killed', {
  timeout: 20_000,
}, async () => {
  const folder = givenProject();
  const gone = spawn('true');
  await once(gone, 'exit');
  mkdirSync(join(folder, '.local'));
  writeFileSync(join(folder, '.local', 'install.lock'), `${gone.pid}\n`);

  const { status } = await outcome(launch(folder, hello));

  expect(status).toBe(0);
  expect(calls(folder)).toHaveLength(1);
});

test('the launcher ends with status 1 and a sentence when npm fails, and tries again the next time', {
  timeout: 20_000,
}, async () => {
  const folder = givenProject();
  writeFileSync(join(folder, 'npm-fails'), '');

  const failed = await outcome(launch(folder, hello));
  rmSync(join(folder, 'npm-fails'));
  const next = await outcome(launch(folder, hello));

  expect(failed).toMatchObject({ status: 1, stdout: '' });
  expect(failed.stderr).toContain('npm ci ended with status 7: the packages are not installed');
  expect(next.status).toBe(0);
});

test.each([
  ['process.exit(7)', 7],
  ['process.kill(process.pid, "SIGKILL"); setInterval(() => undefined, 1000)', 137],
])('passes on how the child ended: %s', { timeout: 20_000 }, async (script, status) => {
  expect((await outcome(launch(givenInstalledProject(), script))).status).toBe(status);
});

const waiting = `
  process.on('SIGTERM', () => { console.log('asked to end'); process.exit(3) });
  process.on('disconnect', () => { console.log('launcher gone'); process.exit(4) });
  setInterval(() => undefined, 1000);
  console.log('up')`;

test('the launcher passes a signal on and waits for the child', { timeout: 20_000 }, async () => {
  const child = launch(givenInstalledProject(), waiting);
  await once(child.stdout!, 'data');

  child.kill('SIGTERM');

  expect(await outcome(child)).toMatchObject({ status: 3, stdout: 'asked to end\n' });
});

test('tells the child when the launcher itself is killed', { timeout: 20_000 }, async () => {
  const child = launch(givenInstalledProject(), waiting);
  await once(child.stdout!, 'data');

  child.kill('SIGKILL');

  expect((await outcome(child)).stdout).toBe('launcher gone\n');
});

const command = `"${node24}" infra/launch/run.mjs script.ts; exit`;
test.each([
  [
    'npm, which started it through a shell,',
    node24,
    [
      '-e',
      `require('node:child_process').spawn('sh', ['-c', ${JSON.stringify(command)}], { stdio: 'inherit' })`,
    ],
  ],
  ['the shell', 'sh', ['-c', command]],
])('ends the child when %s is killed', { timeout: 20_000 }, async (_, starter, args) => {
  const folder = givenInstalledProject();
  writeFileSync(join(folder, 'script.ts'), waiting);
  const npm = spawn(starter, args, {
    cwd: folder,
    env: { ...process.env, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(npm.stdout, 'data');

  npm.kill('SIGKILL');

  expect(await text(npm.stdout)).toBe('asked to end\n');
});

test('the launcher names a command that is not installed', { timeout: 20_000 }, async () => {
  const folder = givenInstalledProject();

  const child = spawn(node24, ['infra/launch/run.mjs', 'nothing-such'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

  expect(await outcome(child)).toMatchObject({
    status: 2,
    stderr: 'infra/launch/run.mjs: there is no installed command nothing-such.\n',
  });
});
