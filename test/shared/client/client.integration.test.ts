import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { buildClient } from '../../../infra/openapi/client/build.ts';
import { LeadClient } from '../../../shared/client/client.ts';
import { type GivenOrganization, givenOrganization } from '../../support/organizations.ts';
import { service } from '../../support/service.ts';
import { node24 } from '../../support/service-process.ts';

/** The client against the real service; infra/recipes kills the service and the outbox, and stalls the database. */

let organization: GivenOrganization;
beforeEach(async () => {
  organization = await givenOrganization();
});

const run = promisify(execFile);

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

test('each endpoint is a method, and lists and syncs have every lead', async () => {
  const client = new LeadClient({ baseUrl: service().baseUrl, apiKey: organization.writer });
  const phone = (index: number): string => `+9198200${String(10_000 + index)}`;

  const lead = await client.createLead({
    fields: { name: 'Asha', phone: phone(0), course: 'mba', interests: ['loan', 'abroad'] },
  });
  const enquiry = { name: 'Asha', phone: phone(0), email: 'a@example.com' };
  const capture = await client.captureLead(enquiry);
  const again = await client.captureLead(enquiry);
  const updated = await client.updateLead(lead.id, { stageId: 12, fields: { city: 'Pune' } });
  const note = await client.addNote(lead.id, 'Called. \ufffd');
  const others = Array.from({ length: 4 }, (_, index) =>
    client.createLead({ fields: { name: 'Other', phone: phone(index + 1) } }),
  );
  await Promise.all(others);

  expect(capture).toEqual({ id: lead.id, created: false, updated: true, replayed: false });
  expect(again).toEqual({ ...capture, replayed: true });
  expect(updated).toMatchObject({ email: 'a@example.com', stage: { name: 'Enrolled' } });
  expect(await client.getLead(lead.id)).toEqual(updated);
  expect(note).toMatchObject({ leadId: lead.id, text: 'Called. \ufffd' });

  const listed = await all(client.leads({ limit: 2 }));
  const runs = await all(client.changedLeads());
  const filter = [{ field: 'course', operator: 'is_any_of', values: ['mba'] }] as const;
  expect(listed).toHaveLength(5);
  expect(runs.flatMap(({ leads }) => leads)).toEqual(listed);
  expect((await client.listLeads({ filter, stage_id: 12 })).items.map(({ id }) => id)).toEqual([
    lead.id,
  ]);
  const later = await all(client.changedLeads(runs.at(-1)?.position));
  expect(later.flatMap(({ leads }) => leads)).toHaveLength(5); // all changed within the overlap

  const lists = await Promise.all([
    client.listLeadFields(),
    client.listLeadStages(),
    client.listPipelines(),
    client.listLeadSources(),
    client.listUsers(),
  ]);
  expect(lists.map((items) => items.length)).toEqual([19, 3, 2, 2, 2]);
});

test('the tutorial in the package’s README runs as printed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'client-tutorial-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const target = join(folder, 'node_modules', 'lead-service-client');
  await mkdir(target, { recursive: true });
  const packageFile = await buildClient(join(folder, 'dist'));
  await run('tar', ['-xzf', packageFile, '-C', target, '--strip-components=1']);
  const readme = await readFile(join(target, 'README.md'), 'utf8');
  const [, tutorial = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
  await writeFile(join(folder, 'leads.mjs'), tutorial);

  const env = { LEADS_URL: service().baseUrl, LEADS_API_KEY: organization.writer };
  const { stdout } = await run(node24, ['leads.mjs'], { cwd: folder, env });

  expect(stdout).toMatch(/^lead (\d+), new\n\1 Rohan Kulkarni New\n$/);
});
