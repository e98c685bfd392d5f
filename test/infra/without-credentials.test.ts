import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { node24, projectFolder } from '../support/service-process.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'without-credentials-test-'));
});
afterAll(() => rm(home, { recursive: true }));

/** Runs a program with no variable but these. Without the last one, the SDK would look for credentials of a machine in AWS. */
async function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ status: unknown; stderr: string }> {
  const child = spawn(node24, args, {
    cwd: projectFolder,
    env: { HOME: home, AWS_EC2_METADATA_DISABLED: 'true', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { status, stderr };
}

const admin = (...args: string[]): string[] => ['infra/admin/main.ts', ...args];
const stack = ['--stack', 'leads'];
/** One command of each noun, and its arguments. */
const commands: readonly (readonly string[])[] = [
  ['infra/deploy/deploy.ts'],
  ['infra/deploy/deploy.ts', '--check'],
  ['infra/verify/main.ts', ...stack],
  ['infra/verify/main.ts', ...stack, '--write'],
  admin('organization', 'list', ...stack),
  admin('key', 'list', '--organization', '1', ...stack),
  admin('lead', 'list', '--organization', '1', ...stack),
  admin('check', ...stack),
  admin('restore', 'finish', '--from', 'leads-before', ...stack),
  admin('request', 'JKJaXmPLvHcESHA=', ...stack),
  admin('service', 'stop', ...stack),
];
const named = commands.map((args) => [args.join(' '), args] as const);
const region = { AWS_REGION: 'eu-central-1' };

describe('a command ends in a sentence and the status 1', () => {
  test.each(named)('without a region: %s', async (_, args) => {
    const { status, stderr } = await run(args);

    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^(✗ No region is set|AWS_REGION is not set to a region)[^\n]+\n( {2}Next: [^\n]+\n)?$/,
      ),
    });
  });

  test.each(named)('without credentials: %s', async (_, args) => {
    const { status, stderr } = await run(args, region);

    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^(✗ There are no AWS credentials|AWS credentials are missing)[^\n]+\n( {2}Next: [^\n]+\n)?$/,
      ),
    });
  });

  test.each(
    ['organization list', 'key list --organization 1', 'lead list --organization 1', 'check'].map(
      (args) => [args],
    ),
  )('without credentials for the table of LEADS_TABLE: admin %s', async (args) => {
    const { status, stderr } = await run(admin(...args.split(' ')), {
      ...region,
      LEADS_TABLE: 'leads',
    });

    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^AWS credentials are missing[^\n]+\n$/),
    });
  });
});

test.each([
  ['docs', (folder: string) => ['infra/openapi/page/main.ts', '--out', join(folder, 'site')]],
  ['client', () => ['infra/openapi/client/build.ts']],
])('npm run %s needs no credentials', async (_, args) => {
  expect(await run(args(home))).toEqual({ status: 0, stderr: '' });
});
