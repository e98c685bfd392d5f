import { canSwitchTo, unknownRelease } from '../stack/release.ts';

/** What going back does not repeat. */
const ofOneDeployment: ReadonlySet<string> = new Set(['--check', '--new-table']);

/**
 * How to go back to the release that a stack ran before a deployment: one line to paste.
 * @param args of this deployment, as its command line had them: the release before needs the same environment
 */
export function wayBack(release: string, args: readonly string[]): string {
  if (release === unknownRelease)
    return 'git did not name the commit that the stack runs: choose a release with git tag or git log';
  if (!canSwitchTo(release))
    return `Release ${release} was built from files that no commit has: choose another one with git tag or git log`;
  const kept = args.filter((arg) => !ofOneDeployment.has(arg));
  const options = kept.length === 0 ? '' : ` -- ${kept.map(quoted).join(' ')}`;
  return `git switch --detach ${quoted(release)} && npm run deploy${options}`;
}

const quoted = (arg: string): string =>
  /^[\w=.,:/@-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;
