import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { recordRunningService } from '../../../infra/local/running-service.ts';
import { runAdmin } from '../../support/admin.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { service } from '../../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'admin-local-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A data folder on which a service runs, or ran until it was killed. */
function givenFolder(name: string, baseUrl: string): string {
  const own = join(folder, name);
  mkdirSync(join(own, 'dynoxide'), { recursive: true });
  recordRunningService(own, 'dynoxide', { baseUrl, environment: { ...service().environment } });
  return own;
}
const unnamed = { LEADS_TABLE: '' };

test('without LEADS_TABLE a command works on the table of the service that runs on the data folder', async () => {
  const { id } = await givenOrganization();
  const localFolder = givenFolder('running', service().baseUrl);

  const { status, json } = await runAdmin(['organization', 'show', String(id), '--json'], {
    environment: unnamed,
    localFolder,
  });

  expect([status, json.id]).toEqual([0, id]);
});

test('a service that was killed is not taken for one that runs', async () => {
  const localFolder = givenFolder('killed', 'http://127.0.0.1:1');

  const { status, stderr } = await runAdmin(['organization', 'list'], {
    environment: unnamed,
    localFolder,
  });

  expect(status).toBe(1);
  expect(stderr).toMatch(/^LEADS_TABLE is not set, and no local service runs on \.local/);
});
