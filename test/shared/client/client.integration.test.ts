import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildClient } from '../../../infra/openapi/client/build.ts';
import { type CaptureRequest, LeadClient } from '../../../shared/client/client.ts';
import {
  fileStore,
  Outbox,
  type OutboxEntry,
  type OutboxStore,
} from '../../../shared/client/outbox.ts';
import type { DynamodbProxy } from '../../support/faults/proxy.ts';
import { storedLeads } from '../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../support/organizations.ts';
import { type OwnService, startOwnService } from '../../support/own-service.ts';
import { service } from '../../support/service.ts';
import { node24 } from '../../support/service-process.ts';

/** The client against the real service, which is killed and whose database stalls. */

let organization: GivenOrganization;
beforeEach(async () => {
  organization = await givenOrganization();
});

const clientWith = (apiKey: string, { baseUrl }: { baseUrl: string } = service()): LeadClient =>
  new LeadClient({ baseUrl, apiKey });

/** A store of files, in which a failed attempt waits a tenth of a second, so that the outbox's schedule passes quickly. */
function hastyStore(): OutboxStore {
  const store = fileStore(folder);
  return {
    ...store,
    put: (entry) => {
      const isFailed = Date.parse(entry.nextAttemptAt) > Date.now();
      const soon = new Date(Date.now() + 100).toISOString();
      return store.put(isFailed ? { ...entry, nextAttemptAt: soon } : entry);
    },
  };
}

const run = promisify(execFile);

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

test('each endpoint is a method, and lists and syncs have every lead', async () => {
  const client = clientWith(organization.writer);
  const phone = (index: number): string => `+9198200${String(10_000 + index)}`;

  const lead = await client.createLead({
    fields: { name: 'Asha', phone: phone(0), course: 'mba', interests: ['loan', 'abroad'] },
  });
  const capture = await client.captureLead({
    name: 'Asha',
    phone: phone(0),
    email: 'a@example.com',
  });
  const again = await client.captureLead({ name: 'Asha', phone: phone(0), email: 'a@example.com' });
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

let killable: OwnService | undefined;
let folder = '';
afterEach(async () => {
  await killable?.stop();
  killable = undefined;
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('the tutorial of the package’s README runs as it is printed', async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-tutorial-'));
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

test('the outbox never loses or duplicates an enquiry, though the service dies and its database stalls', async () => {
  killable = await startOwnService();
  const { proxy, kill, restart } = killable;
  folder = await mkdtemp(join(tmpdir(), 'client-test-'));
  const client = clientWith(organization.website, killable);
  const attention: OutboxEntry[] = [];
  const open = (): Outbox =>
    new Outbox(client, {
      store: hastyStore(),
      onAttention: (entry) => attention.push(entry),
    });
  let outbox = open();
  outbox.start();
  const add = (enquiry: CaptureRequest, formView: string) => outbox.add(enquiry, { formView });

  await add(enquiry(1), 'v1');
  await kill();
  await add(enquiry(2), 'v1'); // a second person in the same view
  await add(enquiry(3), 'v2');
  await add({ ...enquiry(3), notes: 'text 3, changed' }, 'v2'); // the visitor went back
  await add(enquiry(3), 'v2'); // a double click
  await add(
    { ...enquiry(4), email: 'nobody@', fields: { course: 'knitting', city: 'Pune' } },
    'v3',
  );
  await add({ ...enquiry(5), phone: 'none' }, 'v4');
  await outbox.stop();
  outbox = open(); // another program takes the folder over
  outbox.start();

  // Every write is carried out, and its response never arrives.
  proxy.rule = ({ operation }) =>
    operation === 'TransactWriteItems' ? { kind: 'silence', applied: true } : undefined;
  await restart();
  await expect.poll(() => stalledWrites(proxy), { timeout: 60_000 }).toBeGreaterThan(2);
  await kill();
  proxy.rule = undefined;
  await restart();
  await expect
    .poll(async () => (await fileStore(folder).list()).map(({ state }) => state), {
      timeout: 60_000,
    })
    .toEqual(['refused']);
  await outbox.stop();

  expect(await capturedNotes()).toEqual([
    'text 1',
    'text 2',
    'text 3',
    'text 3, changed',
    'text 4\n\nemail: nobody@\ncourse: knitting',
  ]);
  expect(attention.map(({ enquiry }) => enquiry.notes)).toEqual(['text 5']);
}, 120_000);

const enquiry = (index: number) => ({
  name: `Person ${index}`,
  phone: `+919820${String(500_000 + index)}`,
  notes: `text ${index}`,
});

const stalledWrites = ({ calls }: DynamodbProxy): number =>
  calls.filter(({ fault }) => fault === 'silence').length;

/** The notes of every capture on every timeline, sorted: a lost one is absent, a doubled one is there twice. */
async function capturedNotes(): Promise<unknown[]> {
  const leads = await storedLeads(organization);
  const entries = leads.flatMap(({ timeline }) => timeline) as { notes?: string }[];
  return entries.map(({ notes }) => notes).sort();
}
