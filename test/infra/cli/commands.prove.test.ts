import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { awsFailure } from '../../../infra/cli/aws.ts';
import { runPrinted } from '../../support/admin.ts';
import { inherited, node24, runProgram, startProgram } from '../../support/service-process.ts';

test('a command that gave up a slow write says that it can be run again', () => {
  const error = Object.assign(new Error('Request aborted'), { name: 'AbortError' });

  expect(awsFailure(error, { AWS_REGION: 'ap-south-1' })).toBe(
    'DynamoDB did not respond in time at region ap-south-1: run the command again, which continues where it stopped.',
  );
});

const programs = [
  ...['bench', 'fuzz', 'simulation'].map((folder) => `test/proof/${folder}/main.ts`),
  ...['deploy/deploy', 'local/start', 'openapi/page/main', 'verify/main'].map(
    (name) => `infra/${name}.ts`,
  ),
  'infra/openapi/document.ts',
  'test/prove.ts',
];

test.each(programs)('no line of the help of %s has more than 80 characters', async (program) => {
  const { status, stdout } = await runProgram(node24, [program, '--help']);

  expect(status).toBe(0);
  expect(stdout).toMatch(/^Usage: /);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test.each(programs)(
  'wrong usage of %s ends with status 2: 1 says that something was found',
  async (program) => {
    expect(await runProgram(node24, [program, '--nope'])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^Unknown option '--nope'\. See: npm (?:run \w+|start) -- --help\n$/,
      ),
    });
  },
);

test.each([
  [['test/prove.ts', 'simulater'], 2, /^Command-argument value 'simulater' is invalid .*simulator/],
  [['test/prove.ts', 'fuzz', '--all'], 2, /^Option '--all' needs the part simulator\./],
  [['test/main.ts', 'leads', 'no/such'], 1, /^No test has "no\/such" in its path\. .*README\.md/],
])('what %j names is nothing that can run', async (args, status, sentence) => {
  expect(await runProgram(node24, args)).toMatchObject({
    ...{ status, stdout: '' },
    stderr: expect.stringMatching(sentence),
  });
});

test.each([
  ['the word of a person', ' leads \n', '"leads"'],
  ['nothing, when a terminal ends its input', '', '""'],
])('the answer to a question is %s', async (_, typed, answer) => {
  const source = `import { ask } from './infra/cli/confirm.ts';
    console.log(JSON.stringify(await ask('Type leads to continue: ')));`;
  const { child, ended } = startProgram(node24, ['--input-type=module', '--eval', source], {
    stdio: 'pipe',
  });
  child.stdin?.end(typed);

  const { stdout, stderr } = await ended;

  expect(stdout).toBe(`${answer}\n`);
  expect(stderr).toContain('Type leads to continue: ');
});

/** Without the last one, the SDK would look for credentials of a machine in AWS. */
const nothing = {
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
};
const region = { AWS_REGION: 'eu-central-1' };

beforeEach(() => {
  for (const name of Object.keys(process.env).filter((name) => name.startsWith('AWS_')))
    vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(nothing)) vi.stubEnv(name, value);
});
afterEach(() => void vi.unstubAllEnvs());

const noRegion = /^AWS_REGION is not set to a region[^\n]+\n$/;
const noCredentials = /^AWS credentials are missing[^\n]+\n$/;
/** One admin command for each use of a stack: its table, its logs and its functions. */
const onStack = ['lead list --organization 1', 'request JKJaXmPLvHcESHA=', 'service stop'].map(
  (command) => `${command} --stack leads`,
);

test.each<readonly [string, object, RegExp]>([
  ...onStack.map((command) => [command, {}, noRegion] as const),
  ...onStack.map((command) => [command, region, noCredentials] as const),
  ['lead list --organization 1', { ...region, LEADS_TABLE: 'leads' }, noCredentials],
])('$0 with only $1: one sentence', async (command, variables, sentence) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const io = { environment: process.env, hasTerminal: false, localFolder: '/nowhere' };

  const reply = await runPrinted(command.split(' '), io);

  expect(reply).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(sentence) });
});

test.each([
  ['admin', ['infra/admin/main.ts', 'check', '--stack', 'leads'], /^AWS credentials are missing/],
  ['verify', ['infra/verify/main.ts', '--stack', 'leads'], /^AWS credentials are missing/],
  ['deploy', ['infra/deploy/deploy.ts'], /^✗ There are no AWS credentials.*\n {2}Next: /],
])(
  'without credentials, npm run %s prints what is missing, and has the status 1',
  async (_, args, sentence) => {
    const { status, stderr } = await runProgram(node24, args, {
      env: { ...inherited(), ...nothing, ...region },
    });

    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(sentence) });
    expect(stderr).not.toMatch(/^ +at /m);
  },
);
