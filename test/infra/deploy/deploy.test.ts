import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { node24, projectFolder } from '../../support/service-process.ts';

/** Without a region nothing is reached: what gets past the reading of the command line says so. */
function deploy(...args: readonly string[]): { status: number | null; stderr: string } {
  const { AWS_REGION: _, AWS_DEFAULT_REGION: __, ...environment } = process.env;
  const env = {
    ...environment,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  };
  const { status, stderr } = spawnSync(
    node24,
    [join(projectFolder, 'infra', 'deploy', 'deploy.ts'), ...args],
    {
      env,
      encoding: 'utf8',
    },
  );
  return { status, stderr };
}

describe('npm run deploy', () => {
  test.each([
    [['--chek'], 2, /^Unknown option '--chek'\. Did you mean --check\?/],
    [
      ['--dry-run'],
      2,
      /^Unknown option '--dry-run': the command accepts --check, --context, --new-table, --profile, --help\./,
    ],
    [['check'], 2, /accepts none; remove 'check'/],
    [['-c', 'alarmEmail'], 2, /It must be NAME=VALUE/],
    [['-c', 'alarmEmial=x'], 1, /alarmEmial: is not an option: did you mean alarmEmail\?/],
  ])('npm run deploy does not go on with %j, and has the status %i', (args, status, sentence) => {
    expect(deploy(...args)).toEqual({ status, stderr: expect.stringMatching(sentence) });
  });

  test('the arguments after -- are left to the CDK', () => {
    expect(deploy('--', '--require-approval', 'never').stderr).toMatch(/^✗ No region is set/);
  });
});
