import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import {
  node24,
  type Program,
  projectFolder,
  startProgram,
} from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();
/** What a fresh machine has on its PATH: npm, and a Node.js that is not the project's. */
let machine: string;
beforeAll(() => {
  machine = files.newFolder('machine');
  program('node', `#!/bin/sh\nNODE_OF="the machine" exec "${node24}" "$@"\n`);
  program('npm', fakeNpm);
});

function program(name: string, source: string): void {
  writeFileSync(join(machine, name), source, { mode: 0o755 });
}

/** Stands in for npm: `npm ci` empties node_modules, takes a moment, and installs Node.js as a package. */
const fakeNpm = `#!/bin/sh
echo "$@" >> npm-calls
echo 'npm says this on stdout'
[ ! -e npm-fails ] || exit 7
rm -rf node_modules
sleep 0.2
while [ -e npm-waits ]; do sleep 0.1; done
mkdir -p node_modules/.bin
printf '#!/bin/sh\\nNODE_OF="the project" exec "%s" "$@"\\n' '${node24}' > node_modules/.bin/node
chmod +x node_modules/.bin/node
cp package-lock.json node_modules/.package-lock.json
`;

/** A checkout of a small project, whose script says which Node.js runs it and with what arguments. */
function givenProject(): string {
  const folder = files.newPath('project');
  mkdirSync(join(folder, 'infra', 'cli'), { recursive: true });
  const installer = join('infra', 'cli', 'install.mjs');
  cpSync(join(projectFolder, installer), join(folder, installer));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'script.mjs'),
    'console.log(process.env.NODE_OF, process.argv.slice(2).join("|"));',
  );
  lock(folder, '1.0.0');
  return folder;
}

/** The same after an installation by hand, with a package that nobody locked. */
function givenInstalledProject(): string {
  const folder = givenProject();
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(node24, join(folder, 'node_modules', '.bin', 'node'));
  const packages = {
    'node_modules/left': { version: '1.0.0' },
    'node_modules/by-hand': { version: '1.0.0' },
  };
  writeFileSync(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }));
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

const { scripts } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

/** Runs `npm start -- "a b" --json` of the folder as npm does: in a shell, with node_modules/.bin first on the PATH. */
function npmStart(folder: string, shell = 'sh'): Program {
  const command = scripts.start?.replace('infra/local/start.ts', 'script.mjs "a b" --json') ?? '';
  const path = [join(folder, 'node_modules', '.bin'), machine, process.env.PATH].join(delimiter);
  return startProgram(shell, ['-c', command], {
    cwd: folder,
    env: { ...process.env, PATH: path },
  });
}

const calls = (folder: string): string[] => {
  const file = join(folder, 'npm-calls');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

const served = { status: 0, stdout: 'the project a b|--json\n' };

test('every script of package.json installs what is missing before it runs a program', () => {
  const others = Object.entries(scripts).filter(
    ([, script]) => !script.startsWith('(node infra/cli/install.mjs) && '),
  );

  expect(others).toEqual([['check', 'npm run --silent test']]);
});

// Each in a project of its own, and mostly waiting: all at once.
test.concurrent.each(['sh', 'bash'])(
  'a script of a fresh clone installs, and runs under the installed Node.js: %s',
  async (shell) => {
    const folder = givenProject();

    const first = await npmStart(folder, shell).ended;

    expect(first).toMatchObject(served);
    expect(first.stderr).toContain('Installing the packages of package-lock.json (npm ci)');
    expect(first.stderr).toContain('npm says this on stdout');
    expect(calls(folder)).toEqual([
      'ci --include=dev --include=optional --ignore-scripts=false --no-audit --no-fund --loglevel=error',
    ]);
  },
);

test.concurrent.each<[string, (folder: string) => void]>([
  ['in a fresh clone', () => undefined],
  [
    'after a killed installation',
    (folder) => {
      const lock = join(folder, '.local', 'install.lock');
      mkdirSync(lock, { recursive: true });
      writeFileSync(join(lock, String(spawnSync('true').pid)), '');
    },
  ],
])('several starts at once install once %s', async (_, spoil) => {
  const folder = givenProject();
  spoil(folder);

  const outcomes = await Promise.all(Array.from({ length: 3 }, () => npmStart(folder).ended));

  for (const one of outcomes) expect(one).toMatchObject(served);
  expect(calls(folder)).toHaveLength(1);
});

test.concurrent('a start waits for the npm of an installation that was killed, and names it', async () => {
  const folder = givenProject();
  writeFileSync(join(folder, 'npm-waits'), '');
  const killed = npmStart(folder);
  await expect.poll(() => calls(folder), { timeout: 20_000 }).toHaveLength(1);
  const [installer, npm] = readdirSync(join(folder, '.local', 'install.lock'))
    .map(Number)
    .sort();
  process.kill(installer ?? 0, 'SIGKILL');

  const next = npmStart(folder);
  const [told] = await once(next.child.stderr!, 'data');
  rmSync(join(folder, 'npm-waits'));

  expect(await killed.ended).toMatchObject({ status: 137 });
  expect(String(told)).toContain(`Waiting for process ${npm}, which installs.`);
  expect(await next.ended).toMatchObject(served);
  expect(calls(folder)).toHaveLength(1);
});

test.concurrent('a script installs again only when package-lock.json names another version', async () => {
  const folder = givenInstalledProject();

  const first = await npmStart(folder).ended;
  expect(first).toMatchObject({ status: 0, stderr: '' });
  expect(calls(folder)).toHaveLength(0);

  lock(folder, '2.0.0');
  await npmStart(folder).ended;
  expect(calls(folder)).toHaveLength(1);
});

test.concurrent('a script ends with the status of npm when npm fails, and tries again the next time', async () => {
  const folder = givenProject();
  writeFileSync(join(folder, 'npm-fails'), '');

  const failed = await npmStart(folder).ended;
  rmSync(join(folder, 'npm-fails'));
  const next = await npmStart(folder).ended;

  expect(failed).toMatchObject({ status: 7, stdout: '' });
  expect(next).toMatchObject(served);
});
