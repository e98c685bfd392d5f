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

test.each(['v1.0.0-dirty', 'unknown'])('no command leads back to the release %s', (release) => {
  expect(wayBack(release, [])).toBe(
    `Release ${release} was built from files that no commit has: choose another one with git tag or git log`,
  );
});

test('the look before a deployment finds the release that runs, in the outputs of the stack', async () => {
  expect((await preflightWith()).releaseBefore).toBeUndefined();

  replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_COMPLETE', {
    Release: 'v1.0.0',
  });

  expect((await preflightWith()).releaseBefore).toBe('v1.0.0');
});
