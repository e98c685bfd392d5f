import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  removeIdempotencyRecords,
  removeOrganization,
} from '../../shared/store/maintenance/remove-organization.ts';
import { listApiKeys } from '../../shared/store/organizations/api-keys.ts';
import { CheckError } from './check.ts';
import { type ContractOptions, contractTests, type TestedFile } from './contract-tests.ts';

/** API Gateway overwrites the header by which the local gateway sees plain HTTP; the read-only checks try plain HTTP itself. */
const ofLocalGateway = 'HTTPS_REQUIRED|plain HTTP';

/** Runs the contract tests, a check for each file, and removes the organizations that they made. */
export async function contractChecks(options: ContractOptions): Promise<void> {
  const { checks, baseUrl, note } = options;
  const folder = mkdtempSync(join(tmpdir(), 'lead-service-verify-'));
  const created = join(folder, 'organizations');
  const args = baseUrl.startsWith('https:')
    ? [`--testNamePattern=^(?!.*(?:${ofLocalGateway}))`]
    : [];
  try {
    note('Running the contract tests: this takes minutes.');
    const environment = { CREATED_ORGANIZATIONS_FILE: created };
    for await (const file of contractTests(options, args, environment))
      await checks.passes(`Contract tests ${file.name}`, () => resultOf(file));
  } finally {
    await removeCreated(created, options);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws CheckError with the first test that failed */
function resultOf(file: TestedFile): string {
  const failed = file.tests.filter(({ error }) => error !== undefined);
  const passed = file.tests.length - failed.length;
  const [first] = failed;
  if (!first) return `${passed} passed`;
  throw new CheckError(
    `${passed} passed, ${failed.length} failed: ${first.name} (${first.error?.split('\n')[0]})`,
    `Does the same test pass locally? npm test -- contract/${file.name}`,
  );
}

/** @param file where the tests record each organization before they create it */
async function removeCreated(file: string, { table, note }: ContractOptions): Promise<void> {
  const ids = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const left: string[] = [];
  const keyIds = new Set<string>();
  const remove = async (id: string): Promise<void> => {
    try {
      for (const { keyId } of await listApiKeys(table, Number(id))) keyIds.add(keyId);
      await removeOrganization(table, Number(id));
    } catch {
      left.push(id);
    }
  };
  await Promise.all(ids.map(remove));
  const records = ids.length > 0 ? await removeIdempotencyRecords(table, keyIds) : 0;
  note(
    `Removed ${ids.length - left.length} organizations of the contract tests, and ${records} idempotency records.`,
  );
  if (left.length > 0) note(`These could not be removed: organizations ${left.join(', ')}.`);
}
