import { existsSync, mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  removeIdempotencyRecords,
  removeOrganization,
} from '../../shared/store/erasure/remove-organization.ts';
import { listApiKeys } from '../../shared/store/organizations/api-keys.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { CheckError } from '../cli/command.ts';
import type { Checks } from './check.ts';
import { runContractTests, type TestedCase } from './contract-tests.ts';

/**
 * API Gateway overwrites the header that means plain HTTP to the local gateway, so these tests cannot run. The read-only checks try plain
 * HTTP itself.
 */
const withoutPlainHttp = '^(?!.*(?:HTTPS_REQUIRED|plain HTTP))';

/** Runs the contract tests, a check per file, and removes the organizations that they created. */
export async function contractChecks(checks: Checks, baseUrl: string, table: Table): Promise<void> {
  if (checks.interrupted.aborted) return;
  using folder = mkdtempDisposableSync(join(tmpdir(), 'lead-service-verify-'));
  const created = join(folder.path, 'organizations');
  process.env.CREATED_ORGANIZATIONS_FILE = created;
  const options = baseUrl.startsWith('https:') ? { testNamePattern: withoutPlainHttp } : {};
  try {
    process.stderr.write('Running the contract tests: this takes minutes.\n');
    await runContractTests(checks, options, (file, tests) =>
      checks.passes(`Contract tests ${file}`, () => resultOf(file, tests)),
    );
  } finally {
    const ids = existsSync(created)
      ? readFileSync(created, 'utf8').split('\n').filter(Boolean)
      : [];
    process.stderr.write(await removeAll(table, ids.map(Number)));
  }
}

/** @throws CheckError with the first test that failed */
function resultOf(file: string, tests: readonly TestedCase[]): string {
  const failed = tests.filter(({ error }) => error !== undefined);
  const passed = tests.length - failed.length;
  const [first] = failed;
  if (!first) return `${passed} passed`;
  throw new CheckError(
    `${passed} passed, ${failed.length} failed: ${first.name} (${first.error?.split('\n')[0]})`,
    `Does the same test pass locally? npm test -- ${file}`,
  );
}

/** @returns a sentence about what was removed, and what could not be removed */
async function removeAll(table: Table, ids: readonly number[]): Promise<string> {
  const left: number[] = [];
  const keyIds = new Set<string>();
  const remove = async (id: number): Promise<void> => {
    try {
      for (const { keyId } of await listApiKeys(table, id)) keyIds.add(keyId);
      await removeOrganization(table, id);
    } catch {
      left.push(id);
    }
  };
  await Promise.all(ids.map(remove));
  const records = ids.length > 0 ? await removeIdempotencyRecords(table, keyIds) : 0;
  const removed = `Removed ${ids.length - left.length} organizations of the contract tests, and ${records} idempotency records.\n`;
  return left.length === 0
    ? removed
    : `${removed}These could not be removed: organizations ${left.join(', ')}.\n`;
}
