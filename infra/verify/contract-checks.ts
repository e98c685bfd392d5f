import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import * as v from 'valibot';
import { parseJson } from '../../shared/json.ts';
import {
  removeIdempotencyRecords,
  removeOrganization,
} from '../../shared/store/maintenance/remove-organization.ts';
import { listApiKeys } from '../../shared/store/organizations/api-keys.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { CheckError, type Checks } from './check.ts';
import type { TableVariables } from './target.ts';

const projectFolder = resolve(import.meta.dirname, '..', '..');
const vitest = join(projectFolder, 'node_modules', 'vitest', 'vitest.mjs');
/** API Gateway overwrites the header by which the local gateway sees plain HTTP; the read-only checks try plain HTTP itself. */
const ofLocalGateway = 'HTTPS_REQUIRED|plain HTTP';
const removalsAtOnce = 8;

export interface ContractOptions {
  readonly checks: Checks;
  readonly baseUrl: string;
  readonly table: Table;
  readonly variables: TableVariables;
  readonly interrupted: AbortSignal;
  /** Prints a sentence for the person who waits. */
  readonly note: (sentence: string) => void;
}

/** The part of Vitest's JSON report that is used. */
const report = v.object({
  testResults: v.array(
    v.object({
      name: v.string(),
      message: v.optional(v.string(), ''),
      assertionResults: v.array(
        v.object({
          fullName: v.string(),
          status: v.string(),
          failureMessages: v.nullish(v.array(v.string())),
        }),
      ),
    }),
  ),
});
type FileResult = v.InferOutput<typeof report>['testResults'][number];

/** Runs the contract tests against an address and its table, a check for each file, and removes the organizations that they made. */
export async function contractChecks(options: ContractOptions): Promise<void> {
  const { checks, note } = options;
  checks.throwIfInterrupted();
  const folder = mkdtempSync(join(tmpdir(), 'lead-service-verify-'));
  try {
    note('Running the contract tests: this takes minutes.');
    const files = await runTests(folder, options);
    for (const file of files)
      await checks.passes(`Contract tests ${nameOf(file)}`, async () => resultOf(file));
  } finally {
    await removeCreated(folder, options);
    rmSync(folder, { recursive: true, force: true });
  }
}

const createdFile = (folder: string): string => join(folder, 'organizations');

/** @throws InterruptedError */
async function runTests(folder: string, options: ContractOptions): Promise<readonly FileResult[]> {
  const { checks, interrupted } = options;
  const reportFile = join(folder, 'report.json');
  const child = spawnTests(folder, reportFile, options);
  const end = (): void => void child.kill('SIGTERM');
  interrupted.addEventListener('abort', end);
  await new Promise((settle) => child.once('exit', settle));
  interrupted.removeEventListener('abort', end);
  checks.throwIfInterrupted();
  const text = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : '';
  const parsed = v.safeParse(report, parseJson(text));
  if (parsed.success && parsed.output.testResults.length > 0) return parsed.output.testResults;
  await checks.passes('Contract tests', async () => {
    throw new CheckError(
      'the tests did not run',
      'Is the checkout complete? npm ci, then npm test -- contract.',
    );
  });
  return [];
}

/** In a process group of its own, so that Ctrl-C ends the tests only through this process. */
function spawnTests(
  folder: string,
  reportFile: string,
  { baseUrl, variables }: ContractOptions,
): ChildProcess {
  const isDeployed = baseUrl.startsWith('https:');
  const options = [
    ...['run', '--config', 'test/contract/vitest.config.ts'],
    ...['--reporter=json', `--outputFile=${reportFile}`, '--reporter=dot'],
    ...(isDeployed ? [`--testNamePattern=^(?!.*(?:${ofLocalGateway}))`] : []),
  ];
  return spawn(process.execPath, [vitest, ...options], {
    cwd: projectFolder,
    env: {
      ...process.env,
      ...variables,
      VERIFIED_BASE_URL: baseUrl,
      CREATED_ORGANIZATIONS_FILE: createdFile(folder),
    },
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const nameOf = ({ name }: FileResult): string => basename(name, '.integration.test.ts');

/** @throws CheckError with the first test that failed */
function resultOf(file: FileResult): string {
  const { assertionResults, message } = file;
  const passed = assertionResults.filter(({ status }) => status === 'passed').length;
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0 && message === '') return `${passed} passed`;
  const [first] = failed;
  const reason = (first?.failureMessages?.[0] ?? message).split('\n')[0];
  throw new CheckError(
    `${passed} passed, ${failed.length} failed: ${first?.fullName ?? nameOf(file)} (${reason})`,
    `Does the same test pass locally? npm test -- contract/${nameOf(file)}`,
  );
}

/** The tests record each organization before they create it. */
async function removeCreated(folder: string, { table, note }: ContractOptions): Promise<void> {
  const file = createdFile(folder);
  const ids = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const left: string[] = [];
  const keyIds = new Set<string>();
  const next = ids.values();
  const removeNext = async (): Promise<void> => {
    for (const id of next) {
      try {
        for (const { keyId } of await listApiKeys(table, Number(id))) keyIds.add(keyId);
        await removeOrganization(table, Number(id));
      } catch {
        left.push(id);
      }
    }
  };
  await Promise.all(Array.from({ length: removalsAtOnce }, removeNext));
  const records = ids.length > 0 ? await removeIdempotencyRecords(table, keyIds) : 0;
  note(
    `Removed ${ids.length - left.length} organizations of the contract tests, and ${records} idempotency records.`,
  );
  if (left.length > 0) note(`These could not be removed: organizations ${left.join(', ')}.`);
}
