import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { buildFunctions } from '../../../infra/bundle/bundle.ts';
import { memoryMbDefault, memoryVariables } from '../../../infra/bundle/function-memory.ts';
import { node24, runProgram } from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();
let file: string;

beforeAll(async () => {
  const functionsFolder = files.path('functions');
  await mkdir(join(functionsFolder, 'get-lead'), { recursive: true });
  await writeFile(files.path('fail.ts'), failing);
  await writeFile(join(functionsFolder, 'get-lead', 'handler.ts'), handler);
  const dist = await buildFunctions({ functionsFolder, distFolder: files.path('dist') });
  file = join(dist, 'get-lead', 'index.mjs');
});

const failing = `/** Why not. */
export function fail(message: string): never {
  throw new Error(message, {
    cause: new RangeError('too far'),
  });
}
`;
const handler = `import { log } from ${JSON.stringify(resolve(import.meta.dirname, '../../../shared/observability/log.ts'))};
${"import { fail } from '../../fail.ts';"}
export function handler(): void {
  try {
    fail('no such lead');
  } catch (error) {
    log('error', 'failed', { requestId: '1', endpoint: 'get-lead', error });
  }
}
`;

test('a function logs the stack of an error, and of its cause, in source lines', async () => {
  const { stack, cause } = await loggedError();

  expect(stack).toMatch(/^Error: no such lead\n.*fail\.ts:3:\d+/);
  expect(stack).toMatch(/functions\/get-lead\/handler\.ts:5:\d+/);
  expect(cause.stack).toMatch(/^RangeError: too far\n.*fail\.ts:4:\d+/);
  expect(stack).not.toContain('index.mjs');
});

test.each([
  ['is missing', () => rm(`${file}.map`)],
  ['is no map', () => writeFile(`${file}.map`, '{"version":3')],
])('a function whose map %s logs the places in its bundle', async (_, spoil) => {
  await spoil();

  const { stack, cause } = await loggedError();

  expect(stack).toMatch(/^Error: no such lead\n.*\/get-lead\/index\.mjs:\d+:\d+/);
  expect(cause.stack).toMatch(/^RangeError: too far\n/);
});

interface LoggedError {
  readonly stack: string;
  readonly cause: { readonly stack: string };
}

/** The error on the line that a bundle logs, in a process of its own, as Lambda runs it. */
async function loggedError(): Promise<LoggedError> {
  const script = `const { handler } = await import(${JSON.stringify(pathToFileURL(file).href)}); handler();`;
  const env = memoryVariables(memoryMbDefault);
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await runProgram(node24, args, { env });
  return (JSON.parse(stdout) as { error: LoggedError }).error;
}
