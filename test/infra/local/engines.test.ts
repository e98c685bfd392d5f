import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { dynamodbLocal } from '../../../infra/local/dynamodb-local.ts';
import { dynoxide } from '../../../infra/local/dynoxide.ts';
import { startEngine } from '../../../infra/local/engine.ts';
import project from '../../../package.json' with { type: 'json' };
import lock from '../../../package-lock.json' with { type: 'json' };
import { ownImports, reachedFrom, sources } from '../../support/source-files.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();

test.each([
  ['a JDK of 17', 'echo java.base@17.0.15; echo jdk.compiler@17.0.15', true],
  ['a JDK of 25', 'echo jdk.compiler@25', true],
  ['a JDK of 11', 'echo java.base@11.0.2; echo jdk.compiler@11.0.2', false],
  ['a JRE of 21, which has no compiler', 'echo java.base@21.0.1', false],
  ['a JRE of 8, which does not know modules', 'echo Unrecognized option >&2; exit 1', false],
])('%s runs DynamoDB Local, or is refused', async (_, script, runs) => {
  const bin = files.newFolder('bin');
  writeFileSync(join(bin, 'java'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());

  expect(await dynamodbLocal.missing()).toBe(
    runs ? undefined : 'there is no JDK of version 17 or later on the PATH',
  );
});

test('each platform installs its own engine from the lock file, which npm install would spoil', () => {
  // If a package is unavailable, npm install ends with status 0 and drops its entry from the lock file, which npm ci then refuses.
  const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
  const { optionalDependencies } = project;
  const entries: Readonly<Record<string, unknown>> = lock.packages;

  for (const platform of platforms) {
    const [os, cpu] = platform.split('-');
    expect(entries[`node_modules/@dynoxide/${platform}`], platform).toMatchObject({
      ...{ version: optionalDependencies['@dynoxide/linux-x64'], optional: true },
      ...{ os: [os], cpu: [cpu] },
    });
  }
  const names = platforms.map((platform) => `@dynoxide/${platform}`);
  expect(Object.keys(optionalDependencies)).toEqual(names);
  expect(lock.packages[''].optionalDependencies).toEqual(optionalDependencies);
});

test('npm start reads nothing under /proc, which only Linux has', () => {
  const reached = [...reachedFrom('infra/local/start.ts', { withTypes: false })];

  expect(reached.length).toBeGreaterThan(50);
  expect(reached.filter((file) => sources.get(file)?.includes('/proc/'))).toEqual([]);
});

const noJdk = 'dynamodb-local cannot run: there is no JDK of version 17 or later on the PATH: ';
test.each([
  ['dynamodb-local', noJdk],
  ['auto', `dynoxide cannot run: it is not here; ${noJdk}${dynoxide.remedy}, or `],
])(
  '--engine %s is refused where no engine can run, with what would make one run',
  async (engine, reason) => {
    vi.stubEnv('PATH', '/nowhere');
    const spy = vi.spyOn(dynoxide, 'missing').mockResolvedValue('it is not here');
    onTestFinished(() => {
      vi.unstubAllEnvs();
      spy.mockRestore();
    });

    await expect(startEngine({ engine, dataFolder: ':memory:' })).rejects.toThrow(
      `--engine ${engine}: ${reason}install Java 17 or later (a JDK, with java on the PATH).`,
    );
  },
);

test('a --db that begins with a colon is refused unless it is :memory:, and makes no folder', async () => {
  const starting = startEngine({ engine: 'auto', dataFolder: ':memroy:' });

  await expect(starting).rejects.toThrow('--db :memroy: is not a folder: did you mean :memory:?');
  expect(existsSync(':memroy:')).toBe(false);
});

test('npm start loads DynamoDB Local only when it needs it', () => {
  const importing = ownImports.filter(({ to }) => to === 'infra/local/dynamodb-local.ts');

  expect(importing.map(({ from }) => from).filter((from) => !from.startsWith('test/'))).toEqual([
    'infra/local/engine.ts',
  ]);
  expect(sources.get('infra/local/engine.ts')).toMatch(/await import\(.\.\/dynamodb-local.ts.\)/);
});
