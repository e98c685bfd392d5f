import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runAdmin } from '../../support/admin.ts';
import { call, type ReadJson } from '../../support/call.ts';
import { person } from '../../support/people.ts';
import { service as sharedService } from '../../support/service.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();

/** A service with events on a table of its own, on the test run's engine. */
class EventfulService {
  readonly file = files.path(`${randomUUID()}.jsonl`);
  readonly #table = { LEADS_TABLE: `events-${randomUUID()}` };
  #process: ServiceProcess | undefined;
  #keys: Readonly<Record<string, string>> = {};

  async start(): Promise<void> {
    const engine = sharedService().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '';
    this.#process = await startServiceProcess(
      ['--engine', engine, '--events', this.file],
      this.#table,
    );
    this.#keys = { ...this.#process.ready.organizations[0]?.keys, ...this.#keys };
  }

  end = (signal: NodeJS.Signals): Promise<unknown> | undefined => this.#process?.end(signal);

  call(
    name: 'capture-lead' | 'create-lead' | 'update-lead' | 'add-note',
    body: object,
    leadId = 0,
  ) {
    const apiKey = this.#keys[name === 'capture-lead' ? 'website' : 'writer'];
    return call(name, { apiKey, body, leadId, baseUrl: this.#process?.ready.baseUrl ?? '' });
  }

  async admin(...args: string[]): Promise<void> {
    const { status, stderr } = await runAdmin([...args, '--organization', '1'], {
      environment: this.#table,
    });
    if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  }

  async timelines(): Promise<ReadJson[]> {
    const file = files.path(`${randomUUID()}.jsonl`);
    await this.admin('lead', 'timelines', '--out', file);
    return linesOf(readFileSync(file, 'utf8'));
  }

  events = (): ReadJson[] =>
    existsSync(this.file) ? linesOf(readFileSync(this.file, 'utf8')) : [];
}

const linesOf = (text: string): ReadJson[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
const idsOf = (events: ReadJson[]): string[] => events.map(({ detail }) => detail.id);
/** The IDs of the stored entries: of the two items of a capture that made its lead, the second. */
const entriesIn = (items: ReadJson[]): string[] =>
  items.map(({ id }) => id).filter((id: string) => !id.endsWith('#lead_created'));
const within = { timeout: 60_000, interval: 100 };

test('npm start -- --events writes an event for each timeline item, also after a kill', async () => {
  const service = new EventfulService();
  await service.start();
  const visitor = person();
  const captured = await service.call('capture-lead', {
    ...visitor,
    notes: 'Please call after six.',
  });
  const leadId: number = captured.body.lead.id;
  await service.call('capture-lead', { ...visitor, notes: 'I asked yesterday.' });
  await service.call('add-note', { text: 'Called twice' }, leadId);
  await service.call('update-lead', { fields: { email: 'other@example.com' } }, leadId);
  const other: number = (await service.call('create-lead', { fields: { ...person() } })).body.lead
    .id;
  await service.admin('lead', 'archive', '--lead', String(other));
  await service.admin('lead', 'restore', '--lead', String(other));
  const erased: number = (await service.call('capture-lead', person())).body.lead.id;
  await service.admin('lead', 'erase', '--lead', String(erased), '--yes');
  const rows = files.path('rows.jsonl');
  writeFileSync(rows, `${JSON.stringify(person())}\n`);
  await service.admin('lead', 'import', rows);

  await expect.poll(() => service.events().length, within).toBe(10);
  const events = service.events();
  const ofLead = (id: number): string[] =>
    events.filter(({ detail }) => detail.leadId === id).map((event) => event['detail-type']);
  expect(ofLead(leadId)).toEqual(['LeadCaptured', 'LeadCaptured', 'NoteAdded', 'LeadUpdated']);
  expect(ofLead(other)).toEqual(['LeadCreated', 'LeadArchived', 'LeadRestored']);
  expect(ofLead(erased)).toEqual(['LeadCaptured', 'LeadErased']);
  expect(events.filter((event) => event['detail-type'] === 'LeadImported')).toHaveLength(1);
  expect(events[0]).toEqual({
    version: '0',
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    source: 'lead-service',
    'detail-type': 'LeadCaptured',
    time: expect.stringMatching(/^[\d-]{10}T[\d:]{8}Z$/),
    detail: {
      organizationId: 1,
      leadId,
      id: expect.stringMatching(/./),
      at: expect.stringMatching(/Z$/),
      keyId: expect.stringMatching(/^\w+$/),
      userId: expect.any(Number),
      created: true,
      filled: [],
      kept: [],
    },
  });

  const timelines = await service.timelines();
  // What the erased lead's timeline had is gone from the timelines; its event told no more than that it was.
  const [erasedCapture] = idsOf(events.filter(({ detail }) => detail.leadId === erased));
  expect(entriesIn(timelines).sort()).toEqual(
    idsOf(events)
      .filter((id) => id !== erasedCapture)
      .sort(),
  );

  await service.call('add-note', { text: 'Just before the kill' }, leadId);
  await service.end('SIGKILL');
  await service.admin('lead', 'archive', '--lead', String(leadId));
  appendFileSync(service.file, '{"version":"0","id":"torn');
  await service.start();
  await service.call('add-note', { text: 'After the start' }, leadId);

  await expect.poll(() => service.events().length, within).toBe(13);
  expect(idsOf(service.events().filter(({ detail }) => detail.leadId === leadId))).toEqual(
    entriesIn((await service.timelines()).filter((item) => item.leadId === leadId)),
  );
  expect(await service.end('SIGINT')).toBe(0);
});
