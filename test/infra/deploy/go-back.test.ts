import { expect, test } from 'vitest';
import { wayBack } from '../../../infra/deploy/go-back.ts';
import { preflightWith, stack, stackName, useAccount } from './given-account.ts';

const replies = useAccount();

test.each([
  [['--check', '--new-table'], 'git switch --detach v1.0.0 && npm run deploy'],
  [
    ['-c', 'environment=test', '-c', 'memoryMbByFunction={"get-lead":512}'],
    `git switch --detach v1.0.0 && npm run deploy -- -c environment=test -c 'memoryMbByFunction={"get-lead":512}'`,
  ],
])(
  'the way back after a deployment with %j is one line, for the same environment',
  (args, line) => {
    expect(wayBack('v1.0.0', args)).toBe(line);
  },
);

test.each([
  ['v1.0.0-dirty', 'Release v1.0.0-dirty was built from files that no commit has'],
  ['unknown', 'git did not name the commit that the stack runs'],
])('no command leads back to the release %s', (release, reason) => {
  expect(wayBack(release, [])).toMatch(
    new RegExp(`^${reason}: choose (another one|a release) with git tag or git log$`),
  );
});

test('a tag that a shell would run as commands is quoted', () => {
  expect(wayBack('v1;touch$IFS', [])).toBe("git switch --detach 'v1;touch$IFS' && npm run deploy");
});

test('the look before a deployment finds the release that runs, in the outputs of the stack', async () => {
  expect((await preflightWith()).releaseBefore).toBeUndefined();

  replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_COMPLETE', {
    Release: 'v1.0.0',
  });

  expect((await preflightWith()).releaseBefore).toBe('v1.0.0');
});
