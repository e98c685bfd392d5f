import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { awsFailure } from '../../../infra/cli/aws.ts';
import { node24, projectFolder } from '../../support/service-process.ts';

test('a command that gave up a slow write says that it can be run again', () => {
  const error = Object.assign(new Error('Request aborted'), { name: 'AbortError' });

  expect(awsFailure(error, { AWS_REGION: 'ap-south-1' })).toBe(
    'DynamoDB did not respond in time at region ap-south-1: run the command again, which continues where it stopped.',
  );
});

test.each([
  ['the word of a person', ' leads \n', '"leads"'],
  ['nothing, when a terminal ends its input', '', '""'],
])('the answer to a question is %s', async (_, typed, answer) => {
  const source = `import { ask } from './infra/cli/confirm.ts';
    console.log(JSON.stringify(await ask('Type leads to continue: ')));`;
  const child = spawn(node24, ['--input-type=module', '--eval', source], { cwd: projectFolder });
  child.stdin.end(typed);

  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);

  expect(stdout).toBe(`${answer}\n`);
  expect(stderr).toContain('Type leads to continue: ');
});
