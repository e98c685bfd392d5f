import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The source of a deployment. Its functions, their log lines and its outputs name it. */
export interface Release {
  /** For `git switch --detach`: the commit's version tag, else the commit. It ends in `-dirty` with uncommitted changes, to which nobody can switch. */
  readonly name: string;
  /** The version in package.json and the commit: `1.1.0+4f2a91c03b7d`. */
  readonly version: string;
}

/** The name of a release that was built where git names no commit, such as in a tarball. */
const unknownRelease = 'unknown';
const commitDigits = 12;

/** @param folder with the package.json */
export function releaseIn(folder: string): Release {
  const { version, release }: { readonly version: string; readonly release?: Release } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  // The package of the construct says it itself (infra/stack/package/build.ts): git would name the commit of the app that it is installed in.
  if (release) return release;
  const describe = (...options: string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', ['describe', ...options], {
      cwd: folder,
      encoding: 'utf8',
    });
    return status === 0 ? stdout.trim() : undefined;
  };
  const commit =
    describe('--always', '--exclude=*', '--dirty', `--abbrev=${commitDigits}`) ?? unknownRelease;
  // Only tags of versions: others, such as `production`, move with each release.
  const name = describe('--tags', '--exact-match', '--dirty', '--match=v[0-9]*') ?? commit;
  return { name, version: `${version}+${commit.replace('-', '.')}` };
}

/** Whether `git switch --detach` leads to this release. */
export const canSwitchTo = (name: string): boolean =>
  name !== unknownRelease && !name.endsWith('-dirty');

/** Options that the way back does not repeat. */
const ofOneDeployment: readonly string[] = ['--check', '--new-table'];

/**
 * How to go back to the release that a stack ran before a deployment: one line to paste.
 * @param args of this deployment, as its command line had them: the release before needs the same environment
 */
export function wayBack(release: string, args: readonly string[]): string {
  if (!canSwitchTo(release))
    return `git has no commit for release ${release}: choose another one with git tag or git log`;
  const kept = args.filter((arg) => !ofOneDeployment.includes(arg));
  const options = kept.length === 0 ? '' : ` -- ${kept.map(quoted).join(' ')}`;
  return `git switch --detach ${quoted(release)} && npm run deploy${options}`;
}

const quoted = (arg: string): string =>
  /^[\w=.,:/@-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;
