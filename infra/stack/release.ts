import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The release that is deployed. The deployment's functions, log lines and outputs name it. */
export interface Release {
  /**
   * For `git switch --detach`: the commit's version tag or, without one, the commit. With uncommitted changes, it ends in `-dirty`, and
   * nobody can switch to it.
   */
  readonly name: string;
  /** The version in package.json and the commit: `1.1.0+4f2a91c03b7d`. */
  readonly version: string;
}

/** The name of a release that was built without git, such as from a tarball. */
const unknownRelease = 'unknown';
const commitDigits = 12;

/** @param folder with the package.json */
export function releaseIn(folder: string): Release {
  const { version, release }: { readonly version: string; readonly release?: Release } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  // The construct's package.json names its release (infra/stack/package/build.ts). git would name a commit of the app that installed the
  // package.
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
  // Only version tags: other tags, such as `production`, move with each release.
  const name = describe('--tags', '--exact-match', '--dirty', '--match=v[0-9]*') ?? commit;
  return { name, version: `${version}+${commit.replace('-', '.')}` };
}

/** Whether `git switch --detach` leads to this release. */
export const canSwitchTo = (name: string): boolean =>
  name !== unknownRelease && !name.endsWith('-dirty');

/** Options that going back does not repeat. */
const ofOneDeployment: readonly string[] = ['--check', '--new-table'];

/**
 * The command that goes back to the release that a stack ran before a deployment.
 * @param args the command-line arguments of this deployment: the earlier release needs the same environment
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
