import { beforeAll, describe, expect, test } from 'vitest';
import { readLead } from '../../shared/store/leads/leads.ts';
import { type CallReply, call } from '../support/call.ts';
import { changeSettings, givenLead, storedLeads, timelineOf } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { customField } from '../support/settings.ts';
import { table } from '../support/table.ts';
import { noIds, noObjects, refusedKeys, refusedValues, takenValues, withKey } from './field-values.ts';

let organization: GivenOrganization;
/** An organization of two leads, where whatever is refused leaves just those as they are. */
let quiet: GivenOrganization;
let quietLead: CallReply['body'];
beforeAll(async () => {
  [organization, quiet] = await Promise.all([givenOrganization(), givenOrganization()]);
  await givenLead(quiet);
  quietLead = await givenLead(quiet, { fields: { city: 'Pune', budget: 5 } });
});
const update = (leadId: number, body: unknown, own = organization) => call('update-lead', { apiKey: own.writer, leadId, body });
const changesOf = async (leadId: number, own = organization) =>
  (await timelineOf(own, leadId)).filter(({ type }) => type === 'lead_updated').map(({ changes }) => changes);

/** Refused with 422 naming the field or property, and nothing changed. */
async function refused(body: unknown, name: string, details: object = {}): Promise<void> {
  const before = await storedLeads(quiet);

  const answer = await update(quietLead.id, body, quiet);

  expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
  expect(Object.keys(answer.body.error.details.fields)).toContain(name);
  expect(answer.body.error.details).toMatchObject(details);
  expect(answer.body.error.message).toMatch(/\S [\s\S]*[.?]$/);
  expect(await storedLeads(quiet)).toEqual(before);
}

describe('4.5 response: 200 with the lead after the change', () => {
  test('update-lead answers 200 with the lead after the change', async () => {
    const before = await givenLead(organization);

    const { status, body } = await update(before.id, { fields: { city: 'Pune' }, stageId: 12 });

    expect([status, Object.keys(body)]).toEqual([200, ['lead']]);
    const read = await call('get-lead', { apiKey: organization.reader, leadId: before.id });
    expect(read.body).toEqual(body);
    expect(body.lead).toEqual({
      ...before,
      fields: { city: 'Pune' },
      stageId: 12,
      stage: { id: 12, name: 'Enrolled', meaning: 'won' },
      updatedAt: body.lead.updatedAt,
    });
  });
});

describe('4.5 fields: only those sent are changed, checked with the organization’s field rules', () => {
  test.each(takenValues)('update-lead reads %s = %j as %j', async (fieldKey, sent, stored) => {
    const { id } = await givenLead(organization, { fields: { remarks: 'Stays.', hasOwnProperty: 'stays' } });

    const { status, body } = await update(id, { fields: { [fieldKey]: sent } });

    expect([status, body.error]).toEqual([200, undefined]);
    expect(body.lead.fields).toEqual({ remarks: 'Stays.', hasOwnProperty: 'stays', [fieldKey]: stored });
  });

  test.each(refusedValues)('update-lead refuses %s = %j', async (fieldKey, sent) => {
    await refused({ fields: { city: 'Kochi', [fieldKey]: sent } }, fieldKey);
  });

  test.each(refusedKeys)('update-lead refuses the unknown key %j and lists the valid keys', async (fieldKey) => {
    const { status, body } = await update(quietLead.id, { fields: withKey(fieldKey, 'x') }, quiet);

    expect([status, Object.keys(body.error.details.fields)]).toEqual([422, [fieldKey]]);
    await refused({ fields: { ...withKey(fieldKey, 'x'), city: 'Kochi' } }, fieldKey);
  });

  test.each([
    ['name', 'New Name', 'name', 'New Name'],
    ['phone', '098111 22233', 'phone', '+919811122233'],
    ['email', 'New@Example.com', 'email', 'New@Example.com'],
    ['source', 3, 'sourceId', 3],
    ['assigned_to', 8, 'assignedTo', 8],
    ['lead_type', 'consultant', 'leadType', 'consultant'],
  ])('update-lead accepts %j for the built-in field %s', async (fieldKey, sent, property, stored) => {
    const own = await givenOrganization();
    const { id } = await givenLead(own, { fields: { assigned_to: 7 } });

    const { status, body } = await update(id, { fields: { [fieldKey]: sent } }, own);

    expect([status, body.lead?.[property]]).toEqual([200, stored]);
  });
});

describe('4.5 null clears a field; a required one cannot be emptied', () => {
  test.each(['city', 'budget', 'start_on', 'course', 'interests', 'wants_call', 'second_source'])(
    'update-lead clears %s by null',
    async (fieldKey) => {
      const [, sent, stored] = takenValues.find(([key]) => key === fieldKey)!;
      const { id } = await givenLead(organization, { fields: { [fieldKey]: sent } });

      const { status, body } = await update(id, { fields: { [fieldKey]: null } });

      expect([status, body.lead.fields]).toEqual([200, {}]);
      expect(await changesOf(id)).toEqual([[{ field: fieldKey, from: stored, to: null }]]);
    },
  );

  test.each([
    ['name', null],
    ['name', ' '],
    ['phone', null],
    ['phone', ''],
    ['lead_type', null],
  ])('update-lead does not empty the required field %s by %j', (fieldKey, value) =>
    refused({ fields: { [fieldKey]: value } }, fieldKey),
  );

  test('update-lead does not empty a field that is required on edit, but leaves an empty one empty', async () => {
    const own = await givenOrganization({
      fields: [customField('city', 'text', { requiredOnEdit: true }), customField('course', 'text')],
    });
    const [empty, filled] = [await givenLead(own), await givenLead(own, { fields: { city: 'Pune' } })];

    const answers = [
      await update(empty.id, { fields: { course: 'MBA' } }, own),
      await update(filled.id, { fields: { course: 'MBA' } }, own),
      await update(empty.id, { fields: { city: null, course: 'BBA' } }, own),
      await update(filled.id, { fields: { city: '' } }, own),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 422]);
    expect(answers[3]?.body.error.details.fields).toEqual({ city: 'cannot be emptied.' });
  });
});

describe('4.5 body: all properties optional, no others, no other types', () => {
  test.each(['stageID', 'name', 'leadId', '__proto__', 'constructor'])('update-lead refuses the property %s', (name) =>
    refused({ ...withKey(name, {}), fields: { city: 'Kochi' } }, name),
  );

  test.each(noObjects)('update-lead refuses the body %s', (body) => refused(body, 'body'));

  test.each([null, 'x', 1, true, [], [{}]])('update-lead refuses fields %j', (fields) => refused({ fields }, 'fields'));

  test.each(['stageId', 'pipelineId'].flatMap((name) => noIds.map((id) => [name, id] as const)))(
    'update-lead refuses %s %j',
    (name, id) => refused({ fields: { city: 'Kochi' }, [name]: id }, name),
  );

  test.each([
    ['source', 99, 'SOURCE_NOT_FOUND'],
    ['source', 4, 'SOURCE_NOT_ACTIVE'],
    ['assigned_to', 99, 'OWNER_NOT_FOUND'],
    ['assigned_to', 9, 'OWNER_NOT_ACTIVE'],
  ])('update-lead refuses %s %i with details.reason %s and details.field', (field, id, reason) =>
    refused({ fields: { [field]: id } }, field, { reason, field }),
  );
});

describe('4.5 an update that changes nothing answers 200 and writes nothing', () => {
  test.each([
    ['an empty body', () => ({})],
    ['no fields', () => ({ fields: {} })],
    ['values as the lead has them', () => ({ fields: { city: 'Pune', budget: 5 } })],
    ['values that read as the lead has them', () => ({ fields: { city: ' Pune ', budget: '5.0' } })],
    ['the phone written otherwise', () => ({ fields: { phone: quietLead.phone.replace('+91', '0') } })],
    ['null for what is empty', () => ({ fields: { course: null, remarks: '' } })],
    ['its own stage and pipeline', () => ({ stageId: 11, pipelineId: 1 })],
    [
      'the lead as it was read',
      () => ({
        fields: {
          ...quietLead.fields,
          name: quietLead.name,
          phone: quietLead.phone,
          email: quietLead.email,
          assigned_to: quietLead.assignedTo,
        },
      }),
    ],
  ])('an update that changes nothing writes nothing: %s', async (_, bodyOf) => {
    const before = await storedLeads(quiet);

    const { status, body } = await update(quietLead.id, bodyOf(), quiet);

    expect([status, body.lead]).toEqual([200, quietLead]);
    expect(await storedLeads(quiet)).toEqual(before);
  });

  test('update-lead accepts an option, source or user that is no longer active when it is the lead’s own', async () => {
    const own = await givenOrganization();
    const lead = await givenLead(own, { fields: { source: 3, assigned_to: 8 } });
    const inactive = <T extends { id: number }>(items: readonly T[]) =>
      items.map((item) => ({ ...item, active: item.id < 3 || item.id === 7 }));
    await changeSettings(own, { sources: inactive(own.settings.sources), users: inactive(own.settings.users) });

    const { status, body } = await update(lead.id, { fields: { source: 3, assigned_to: 8, city: 'Pune' } }, own);

    expect([status, body.lead.sourceId, body.lead.assignedTo, body.lead.fields]).toEqual([200, 3, 8, { city: 'Pune' }]);
    expect(await changesOf(lead.id, own)).toEqual([[{ field: 'city', from: null, to: 'Pune' }]]);
  });
});

describe('4.5 DUPLICATE_LEAD: the new phone or email belongs to another lead', () => {
  test.each(['phone', 'email'] as const)(
    'update-lead answers 409 with the other lead’s id for %s, and changes nothing',
    async (field) => {
      const [holder, lead] = [await givenLead(organization), await givenLead(organization)];

      const { status, body } = await update(lead.id, { fields: { city: 'Pune', [field]: holder[field].toUpperCase() } });

      expect([status, body.error.code, body.error.details]).toEqual([409, 'DUPLICATE_LEAD', { leadId: holder.id }]);
      expect((await call('get-lead', { apiKey: organization.reader, leadId: lead.id })).body.lead).toEqual(lead);
      expect(await timelineOf(organization, lead.id)).toHaveLength(1);
    },
  );

  test('a phone or email that a lead gives up is free for another lead at once', async () => {
    const { id, phone, email } = await givenLead(organization);

    await update(id, { fields: { phone: person().phone, email: person().email } });
    const { status } = await call('create-lead', {
      apiKey: organization.writer,
      body: { fields: { name: 'Next', phone, email } },
    });

    expect(status).toBe(201);
  });

  test('update-lead accepts an email that only changes its case', async () => {
    const { id, email } = await givenLead(organization);

    const { status, body } = await update(id, { fields: { email: email.toUpperCase() } });

    expect([status, body.lead.email]).toEqual([200, email.toUpperCase()]);
  });

  test('ten parallel updates to one free phone give one 200 and nine 409', async () => {
    const { phone } = person();
    const leads = await Promise.all(Array.from({ length: 10 }, () => givenLead(organization)));

    const answers = await Promise.all(leads.map(({ id }) => update(id, { fields: { phone } })));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    const holder = answers.find(({ status }) => status === 200)?.body.lead.id;
    for (const { status, body } of answers) if (status === 409) expect(body.error.details).toEqual({ leadId: holder });
  });
});

describe('4.5 updates that race on one lead', () => {
  test('ten parallel updates of different fields all take effect, each on the timeline, and the version counts them', async () => {
    const { id } = await givenLead(organization);
    const wanted = { city: 'Pune', remarks: 'r', budget: 1, start_on: '2026-12-01', portfolio: 'https://example.com/' };
    const more = { course: 'mba', interests: ['loan'], wants_call: true, second_source: 3, mentor: 8 };
    const changes = Object.entries({ ...wanted, ...more });

    const answers = await Promise.all(changes.map(([fieldKey, value]) => update(id, { fields: { [fieldKey]: value } })));

    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect((await call('get-lead', { apiKey: organization.reader, leadId: id })).body.lead.fields).toEqual({
      ...wanted,
      ...more,
    });
    expect(await changesOf(id)).toHaveLength(10);
    expect((await readLead(table(), organization.id, id))?.version).toBe(11);
  });

  test('ten parallel updates of one field follow one another: each starts from the value before', async () => {
    const { id } = await givenLead(organization, { fields: { budget: 0 } });

    await Promise.all(Array.from({ length: 10 }, (_, index) => update(id, { fields: { budget: index + 1 } })));

    const steps = (await changesOf(id)).flat() as { from: number; to: number }[];
    const { budget } = (await call('get-lead', { apiKey: organization.reader, leadId: id })).body.lead.fields;
    expect(steps).toHaveLength(10);
    expect(new Set([...steps.map(({ from }) => from), budget])).toEqual(new Set([0, ...steps.map(({ to }) => to)]));
  });
});
