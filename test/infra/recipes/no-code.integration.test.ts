import crypto from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Lead } from '../../../shared/client/client.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { service } from '../../support/service.ts';
import { projectFolder } from '../../support/service-process.ts';
import { json } from '../admin/commands.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();

interface FlowNode {
  readonly id: string;
  readonly type: string;
  readonly func?: string;
  readonly wires?: readonly (readonly string[])[];
}
interface Workflow {
  readonly nodes: readonly { name: string; parameters: { jsCode?: string } }[];
  readonly connections: Readonly<Record<string, { main: { node: string }[][] }>>;
}
type Message = Record<string, unknown>;

const folder = join(projectFolder, 'infra', 'recipes', 'no-code');
const flow: FlowNode[] = JSON.parse(fs.readFileSync(join(folder, 'node-red.json'), 'utf8'));

/** Runs the flow's functions, and plays the other nodes as Node-RED does: requests, files, time. */
function flowOf(environment: Readonly<Record<string, string | undefined>>) {
  const kept = new Map<string, unknown>();
  const context = { get: (name: string) => kept.get(name), set: kept.set.bind(kept) };
  const env = { get: (name: string) => environment[name] };
  const warnings: string[] = [];
  const node = { warn: (text: string) => warnings.push(text) };
  const run = (id: string, msg: Message) => {
    const { func = '' } = flow.find((one) => one.id === id) ?? {};
    const names = ['msg', 'env', 'flow', 'node', 'fs', 'crypto'];
    return new Function(...names, func)(msg, env, context, node, fs, crypto);
  };
  const requested = async (msg: Message): Promise<Message> => {
    const { method, headers, payload } = msg as {
      method: string;
      headers: Record<string, string>;
      payload?: string;
    };
    const answer = await fetch(String(msg.url), { method, headers, body: payload ?? null });
    const answered = Object.fromEntries(answer.headers);
    return { ...msg, statusCode: answer.status, headers: answered, payload: await answer.json() };
  };
  const submit = (form: Message) => {
    const [stored, shown] = run('leads-check', { payload: form });
    if (!stored) return shown.payload;
    fs.mkdirSync(join(stored.filename, '..'), { recursive: true });
    fs.writeFileSync(stored.filename, stored.payload);
    return run('leads-thanks', stored).payload;
  };
  const minute = async () => {
    const [waiting] = run('leads-waiting', {}) ?? [[]];
    for (const msg of waiting) run('leads-answer', await requested(msg));
    return waiting.length;
  };
  const copy = async () => {
    for (let msg = run('leads-since', {}); msg; ) msg = run('leads-page', await requested(msg));
  };
  return { submit, minute, copy, warnings, run };
}

test('every wire of the flow leads to one of its nodes', () => {
  const ids = flow.map(({ id }) => id);

  expect(flow.flatMap(({ wires = [] }) => wires.flat()).filter((id) => !ids.includes(id))).toEqual(
    [],
  );
});

test.each(['form', 'leads'])(
  'every connection of the n8n workflow %s joins two of its nodes, and no key is in it',
  (name) => {
    const text = fs.readFileSync(join(folder, `n8n-${name}.json`), 'utf8');
    const { nodes, connections }: Workflow = JSON.parse(text);
    const targets = Object.values(connections).flatMap(({ main }) => main.flat());
    const joined = [...Object.keys(connections), ...targets.map(({ node }) => node)];

    expect(nodes.map((one) => one.name).sort()).toEqual([...new Set(joined)].sort());
    expect(text).not.toMatch(/leads_live_|credentials/);
    for (const { parameters } of nodes)
      if (parameters.jsCode) expect(() => new Function(`${parameters.jsCode}`)).not.toThrow();
  },
);

test('the flow for Node-RED sends each enquiry once, moves refused values to the notes, and copies the leads', async () => {
  const organization = await givenOrganization();
  const outbox = files.path('outbox');
  const { submit, minute, copy, warnings, run } = flowOf({
    LEADS_URL: `${service().baseUrl}/`,
    LEADS_API_KEY: organization.website,
    LEADS_READ_KEY: organization.reader,
    OUTBOX: outbox,
    COPY: files.path('copy'),
  });
  const asha = { view: '1', name: 'Asha', phone: '9820071001', email: '', utm_source: 'letter' };

  expect([submit(asha), submit(asha)]).toEqual(Array(2).fill('Thank you. We will call you.'));
  expect(submit({ ...asha, leave_empty: 'x', phone: '9820071009' })).toMatch(/^Thank you/);
  submit({ view: '2', name: 'Bela', phone: '9820071002', email: 'nobody@', interest: 'x' });
  submit({ view: '3', name: 'Wrong', phone: '1234567' });
  expect(submit({ view: '4', name: '', phone: '12' })).toMatch(/^Please write your name/);
  expect([await minute(), await minute(), await minute()]).toEqual([3, 1, 0]);
  await copy();

  const copied = fs.readdirSync(files.path('copy')).filter((name) => name.endsWith('.json'));
  const leads: Lead[] = copied.map((name) =>
    JSON.parse(fs.readFileSync(join(files.path('copy'), name), 'utf8')),
  );
  expect(leads.map(({ name }) => name).sort()).toEqual(['Asha', 'Bela']);
  const timelineOf = async (name: string) => {
    const { id = 0 } = leads.find((lead) => lead.name === name) ?? {};
    return (await json(organization, 'lead timeline', '--lead', id)).items;
  };
  expect(await timelineOf('Asha')).toMatchObject([{}, { attribution: { utmSource: 'letter' } }]);
  expect(await timelineOf('Bela')).toMatchObject([
    {},
    { notes: expect.stringContaining('nobody@') },
  ]);
  expect(fs.readdirSync(join(outbox, 'refused'))).toHaveLength(1);
  expect(warnings).toHaveLength(2);

  submit({ ...asha, view: '5' });
  const sent = { folder: outbox, name: 'later.json', body: '{}', at: Date.now() };
  run('leads-answer', { statusCode: 429, headers: { 'retry-after': '3600' }, sent });
  expect(await minute()).toBe(0); // until the limit's hour is over
});
