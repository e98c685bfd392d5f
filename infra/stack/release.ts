import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a deployment is made of, and where every deployment says so: its functions, their log lines and its outputs. */
export interface Release {
  /** For `git switch --detach`: the commit's version tag, else the commit. It ends in `-dirty` with uncommitted changes, to which nobody can switch. */
  readonly name: string;
  /** The version in package.json and the commit: `1.1.0+4f2a91c03b7d`. */
  readonly version: string;
}

/** The name of a release that was built where git names no commit, such as in a tarball. */
export const unknownRelease = 'unknown';
const commitDigits = 12;

/** @param folder with the package.json */
export function releaseIn(folder: string): Release {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
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
