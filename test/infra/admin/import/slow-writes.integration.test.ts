import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminJson, spawnAdmin } from '../../../support/admin.ts';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { faultOnce } from '../../../support/faults/rules.ts';
import { storedLeads } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { service } from '../../../support/service.ts';

useOwnTable();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

test.concurrent.each([true, false])(
  'a row whose write is not answered in time is written once, by the settings of then; applied: %s',
  async (applied) => {
    const organization = await givenOrganization();
    const file = join(folder, `${applied}.csv`);
    await writeFile(
      file,
      `name,phone\n${Array.from({ length: 5 }, () => `Someone,${person().phone}`).join('\n')}\n`,
    );
    const proxy = await startDynamodbProxy(String(service().environment.AWS_ENDPOINT_URL_DYNAMODB));
    proxy.rule = faultOnce(({ operation }) => operation === 'TransactWriteItems', {
      kind: 'silence',
      applied,
    });
    const args = ['lead', 'import', '--organization', String(organization.id), file, '--json'];

    const { json } = await spawnAdmin(args, { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint }).ended;
    await proxy.stop();

    expect(json).toMatchObject({ rows: 5, imported: 5, alreadyThere: 0, refused: 0 });
    expect(await storedLeads(organization)).toHaveLength(5);
    expect(
      (await adminJson('check', '--organization', String(organization.id))).violations,
    ).toEqual([]);
  },
);
