import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { faultOnce } from '../../../support/faults/rules.ts';
import { storedLeads } from '../../../support/leads.ts';
import { givenOrganization, person } from '../../../support/organizations.ts';
import { service } from '../../../support/service.ts';
import { adminJson, runAdminIn } from '../run-admin.ts';

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
    await writeFile(file, `name,phone\n${Array.from({ length: 5 }, () => `Someone,${person().phone}`).join('\n')}\n`);
    const proxy = await startDynamodbProxy(String(service().environment.AWS_ENDPOINT_URL_DYNAMODB));
    proxy.rule = faultOnce(({ operation }) => operation === 'TransactWriteItems', { kind: 'silence', applied });
    const args = ['lead', 'import', '--organization', String(organization.id), file, '--json'];

    const { stdout } = await runAdminIn({ AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint }, ...args);
    await proxy.stop();

    expect(JSON.parse(stdout)).toMatchObject({ rows: 5, imported: 5, alreadyThere: 0, refused: 0 });
    expect(await storedLeads(organization)).toHaveLength(5);
    expect((await adminJson('check', '--organization', String(organization.id))).violations).toEqual([]);
  },
);
