import { execFileSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { canSwitchTo, releaseIn, wayBack } from '../../../infra/stack/release.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();
let folder = '';
beforeEach(() => {
  folder = files.newFolder('checkout');
  writeFileSync(join(folder, 'package.json'), '{ "version": "1.1.0" }\n');
});

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** @returns the first twelve digits of the commit */
function commit(): string {
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  return git('rev-parse', '--short=12', 'HEAD');
}

test('a release is named by the tag of its version, not by one that moves; its version has the commit', () => {
  const digits = commit();
  git('tag', 'v1.1.0');
  git('tag', '-a', 'production', '-m', 'moves');

  expect(releaseIn(folder)).toEqual({ name: 'v1.1.0', version: `1.1.0+${digits}` });
});

test('a release without a tag is named by its commit, to which git can switch', () => {
  const digits = commit();
  git('tag', 'v1.1.0');
  git('commit', '-q', '--allow-empty', '-m', 'second');
  const release = releaseIn(folder);
  git('switch', '-q', '--detach', 'HEAD~1');

  git('switch', '-q', '--detach', release.name);

  expect(git('log', '-1', '--format=%s')).toBe('second');
  expect(release.name).not.toBe(digits);
  expect(canSwitchTo(release.name)).toBe(true);
});

test('uncommitted changes are noticed, and nobody is told to switch to them', () => {
  const digits = commit();
  git('tag', 'v1.1.0');
  appendFileSync(join(folder, 'package.json'), '\n');
  const release = releaseIn(folder);

  expect(release).toEqual({ name: 'v1.1.0-dirty', version: `1.1.0+${digits}.dirty` });
  expect(canSwitchTo(release.name)).toBe(false);
});

test('a release from files without git has the version of package.json alone', () => {
  const release = releaseIn(folder);

  expect(release).toEqual({ name: 'unknown', version: '1.1.0+unknown' });
  expect(canSwitchTo(release.name)).toBe(false);
});

test.each([
  [['--check', '--new-table'], 'git switch --detach v1.0.0 && npm run deploy'],
  [
    ['-c', 'environment=test', '-c', 'memoryMbByFunction={"get-lead":512}'],
    `git switch --detach v1.0.0 && npm run deploy -- -c environment=test -c 'memoryMbByFunction={"get-lead":512}'`,
  ],
])('the way back after $0 is one line, for the same environment', (args, line) => {
  expect(wayBack('v1.0.0', args)).toBe(line);
});

test.each(['v1.0.0-dirty', 'unknown'])('no command leads back to the release %s', (release) => {
  expect(wayBack(release, [])).toBe(
    `git has no commit for release ${release}: choose another one with git tag or git log`,
  );
});

test('a tag that a shell would run as commands is quoted', () => {
  expect(wayBack('v1;touch$IFS', [])).toBe("git switch --detach 'v1;touch$IFS' && npm run deploy");
});
