import { beforeAll, describe, expect, test } from 'vitest';
import { setArchived } from '../../shared/store/leads/archive.ts';
import { type CallReply, call } from '../support/call.ts';
import { givenLead, timelineOf } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { service } from '../support/service.ts';
import { table } from '../support/table.ts';

let organization: GivenOrganization;
let writer: { key: string; keyId: string };
let website: { key: string; keyId: string };
beforeAll(async () => {
  organization = await givenOrganization();
  writer = await organization.key({ label: 'Sync' });
  website = await organization.key({
    label: 'Landing page',
    createdBy: 8,
    scopes: ['leads.capture'],
  });
});

const at = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
const asha = { userId: 7, name: 'Asha Rao' };
const ravi = { userId: 8, name: 'Ravi Iyer' };
const administrator = { userId: null, name: 'administrator' };
const captured = (requestId: string) => ({
  type: 'captured',
  at,
  actor: ravi,
  keyId: website.keyId,
  keyLabel: 'Landing page',
  requestId,
});
const requestIdOf = ({ headers }: CallReply) => headers.get('X-Request-Id');
const leadOf = (reply: CallReply) => ({ ...reply.body.lead, requestId: requestIdOf(reply) });
const create = async (fields: object = {}) =>
  leadOf(
    await call('create-lead', {
      apiKey: writer.key,
      body: { fields: { ...person(), ...fields } },
    }),
  );
const capture = async (body: object) =>
  leadOf(await call('capture-lead', { apiKey: website.key, body }));
const update = (leadId: number, body: object) =>
  call('update-lead', { apiKey: writer.key, leadId, body });

describe('1 changes made through the API are recorded on the lead’s timeline as made via the API', () => {
  test('create-lead: lead_created', async () => {
    const { id, createdAt, requestId } = await create();

    expect(await timelineOf(organization, id)).toEqual([
      {
        type: 'lead_created',
        at: createdAt,
        actor: asha,
        via: 'api',
        keyId: writer.keyId,
        requestId,
      },
    ]);
  });

  test('a capture of a new lead: lead_created, then captured', async () => {
    const attribution = { pageUrl: 'https://example.com/mba', formName: 'Enquire' };

    const { id, requestId } = await capture({
      ...person(),
      source: 'facebook ads',
      notes: 'Evenings.',
      attribution,
    });

    expect(await timelineOf(organization, id)).toEqual([
      { type: 'lead_created', at, actor: ravi, via: 'api', keyId: website.keyId, requestId },
      {
        ...captured(requestId),
        source: 'Facebook Ads',
        notes: 'Evenings.',
        attribution,
        filled: [],
        kept: [],
      },
    ]);
  });

  test('a capture of an existing lead: captured, with what it filled and kept', async () => {
    const { id, name, phone } = await create({ city: 'Pune' });

    const { requestId } = await capture({
      name,
      phone,
      fields: { city: 'Kochi', course: 'MBA' },
    });

    expect((await timelineOf(organization, id)).slice(1)).toEqual([
      {
        ...captured(requestId),
        source: 'Website',
        filled: ['course'],
        kept: [{ field: 'city', current: 'Pune', submitted: 'Kochi' }],
      },
    ]);
  });

  test('a capture of an archived lead: captured, archived true', async () => {
    const { id, name, phone } = await create();
    await setArchived(table(), organization.id, id, { archived: true });

    const { requestId } = await capture({ name, phone });

    expect((await timelineOf(organization, id)).slice(2)).toEqual([
      {
        ...captured(requestId),
        source: 'Website',
        filled: [],
        kept: [],
        archived: true,
      },
    ]);
  });

  test('update-lead: lead_updated, each change with its value before and after, ids for references', async () => {
    const { id, name, phone } = await create({
      city: 'Pune',
      interests: ['loan'],
      source: 3,
      assigned_to: 7,
    });

    const reply = await update(id, {
      fields: {
        name: 'New Name',
        phone: '+919811199911',
        city: null,
        budget: 5,
        interests: ['hostel'],
        source: 1,
        assigned_to: 8,
        wants_call: false,
      },
      stageId: 21,
    });

    const [, updated, ...more] = await timelineOf(organization, id);
    expect(more).toEqual([]);
    const { changes, ...rest } = updated as unknown as { changes: { field: string }[] };
    expect(rest).toEqual({
      type: 'lead_updated',
      at: reply.body.lead.updatedAt,
      actor: asha,
      via: 'api',
      keyId: writer.keyId,
      requestId: requestIdOf(reply),
    });
    expect(changes.toSorted((a, b) => (a.field < b.field ? -1 : 1))).toEqual([
      { field: 'assigned_to', from: 7, to: 8 },
      { field: 'budget', from: null, to: 5 },
      { field: 'city', from: 'Pune', to: null },
      { field: 'interests', from: ['loan'], to: ['hostel'] },
      { field: 'name', from: name, to: 'New Name' },
      { field: 'phone', from: phone, to: '+919811199911' },
      { field: 'pipeline', from: 1, to: 2 },
      { field: 'source', from: 3, to: 1 },
      { field: 'stage', from: 11, to: 21 },
      { field: 'wants_call', from: null, to: false },
    ]);
  });

  test('archived and restored: by the administrator', async () => {
    const { id } = await create();

    await setArchived(table(), organization.id, id, { archived: true });
    await setArchived(table(), organization.id, id, { archived: true });
    await setArchived(table(), organization.id, id, { archived: false });

    expect((await timelineOf(organization, id)).slice(1)).toEqual([
      { type: 'archived', at, actor: administrator },
      { type: 'restored', at, actor: administrator },
    ]);
  });

  test('a replay, a refused request and a read leave nothing', async () => {
    const { id, name, phone } = await create();
    const captureOnce = () =>
      call('capture-lead', {
        apiKey: website.key,
        body: { name, phone },
        headers: { 'Idempotency-Key': `lead ${id}` },
      });
    await captureOnce();
    const before = await timelineOf(organization, id);

    await captureOnce();
    await capture({ name, phone, fields: { budget: 'much' } });
    await update(id, { stageId: 99 });
    await organization.get(id);
    await organization.list();

    expect(before).toHaveLength(2);
    expect(await timelineOf(organization, id)).toEqual(before);
  });

  test('the timeline has no read endpoint', async () => {
    const { id } = await givenLead(organization);

    for (const path of ['timeline', 'notes', 'history', 'events']) {
      const response = await fetch(`${service().baseUrl}/api/v1/leads/${id}/${path}`, {
        headers: { Authorization: `Bearer ${organization.reader}` },
      });
      expect(response.status, path).toBe(404);
    }
  });
});
