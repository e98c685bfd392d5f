import { describe, expect, test } from 'vitest';
import { call } from '../support/call.ts';
import { changeSettings, givenLead } from '../support/leads.ts';
import { givenOrganization, useOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { customField } from '../support/settings.ts';

const organization = useOrganization();

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Every property of a lead, as it is for one with only a name and a phone. */
const barest = {
  id: expect.any(Number),
  name: expect.any(String),
  phone: expect.any(String),
  email: null,
  leadType: 'student',
  stageId: 11,
  pipelineId: 1,
  sourceId: null,
  assignedTo: 7,
  stage: { id: 11, name: 'New', meaning: 'open' },
  pipeline: { id: 1, name: 'Admissions' },
  source: null,
  owner: { id: 7, name: 'Asha Rao' },
  fields: {},
  createdAt: expect.stringMatching(dateTime),
  updatedAt: expect.stringMatching(dateTime),
};
const properties = Object.keys(barest).sort();

const allFields = {
  city: 'पुणे',
  remarks: 'Two lines,\nkept as typed.',
  budget: 120_000.5,
  start_on: '2028-02-29',
  guardian_phone: '+919812345678',
  work_email: 'Asha@Example.com',
  portfolio: 'https://example.com/work',
  course: 'mba',
  interests: ['hostel', 'abroad'],
  wants_call: false,
  second_source: 3,
  mentor: 8,
  hasOwnProperty: 'own',
};

describe('2 Lead: all properties are always present, no others', () => {
  test('a lead with only a name and a phone has every property', async () => {
    const { name, phone } = person();

    const lead = await givenLead(organization, {
      fields: { name, phone, email: null, assigned_to: 7 },
    });

    expect(Object.keys(lead).sort()).toEqual(properties);
    expect(lead).toEqual({ ...barest, name, phone });
  });

  test('a lead with every field has every property', async () => {
    const someone = person();

    const lead = await givenLead(organization, {
      fields: { ...someone, source: 3, assigned_to: 8, lead_type: 'consultant', ...allFields },
      stageId: 21,
    });

    expect(Object.keys(lead).sort()).toEqual(properties);
    expect(lead).toMatchObject({
      ...someone,
      leadType: 'consultant',
      stage: { id: 21, name: 'Enquiry', meaning: 'open' },
      pipeline: { id: 2, name: 'Corporate' },
      sourceId: 3,
      source: { id: 3, name: 'Facebook Ads' },
      assignedTo: 8,
      owner: { id: 8, name: 'Ravi Iyer' },
    });
    expect(lead.fields).toEqual(allFields);
  });

  test('create, get, update and list return the same lead', async () => {
    const created = await givenLead(organization, { fields: allFields });

    const read = await organization.get(created.id);
    const updated = await organization.update(created.id, {});
    const listed = await organization.list({ limit: 1 });

    expect([read.body.lead, updated.body.lead, listed.body.items[0]]).toEqual([
      created,
      created,
      created,
    ]);
  });
});

describe('2 Lead fields', () => {
  test('any number of leads may have no email', async () => {
    const leads = [
      await givenLead(organization, { fields: { email: null } }),
      await givenLead(organization, { fields: { email: '' } }),
    ];

    expect(leads.map(({ email }) => email)).toEqual([null, null]);
  });

  test('leadType must be student or consultant', async () => {
    const { status, body } = await organization.create({
      fields: { ...person(), lead_type: 'parent' },
    });

    expect(status).toBe(422);
    expect(body.error.details.fields).toEqual({
      lead_type: expect.stringContaining('student, consultant'),
    });
  });

  test('fields omits empty values, however they became empty', async () => {
    const { fields, id } = await givenLead(organization, {
      fields: {
        city: '',
        remarks: ' ',
        budget: null,
        interests: [],
        course: '',
        wants_call: false,
      },
    });
    const cleared = await organization.update(id, { fields: { wants_call: null } });

    expect(fields).toEqual({ wants_call: false });
    expect(cleared.body.lead.fields).toEqual({});
  });

  test('fields omits the value of a deactivated field and shows it again once the field is active', async () => {
    const own = await givenOrganization();
    const { id } = await givenLead(own, { fields: { city: 'Kochi', course: 'mba' } });
    const read = async () => (await own.read(id)).fields;

    await changeSettings(own, {
      fields: own.settings.fields.map((field) => ({ ...field, active: field.key !== 'city' })),
    });
    const without = await read();
    await changeSettings(own, {});

    expect(without).toEqual({ course: 'mba' });
    expect(await read()).toEqual({ city: 'Kochi', course: 'mba' });
  });

  test('a new name of a stage, pipeline, source or owner shows at once', async () => {
    const own = await givenOrganization();
    const { id } = await givenLead(own, { fields: { source: 3, assigned_to: 8 } });
    await own.get(id);
    const renamed = <T extends { name: string }>(items: readonly T[]) =>
      items.map((item) => ({ ...item, name: `New ${item.name}` }));

    await changeSettings(own, {
      users: renamed(own.settings.users),
      sources: renamed(own.settings.sources),
      pipelines: renamed(own.settings.pipelines).map((pipeline) => ({
        ...pipeline,
        stages: renamed(pipeline.stages),
      })),
    });
    const { body } = await own.get(id);

    const { stage, pipeline, source, owner } = body.lead;
    const names = [stage, pipeline, source, owner].map(({ name }) => name);
    expect(names).toEqual(['New New', 'New Admissions', 'New Facebook Ads', 'New Ravi Iyer']);
  });

  test('updatedAt moves forward with a change, and createdAt stays', async () => {
    const created = await givenLead(organization);

    const { body } = await organization.update(created.id, { fields: { city: 'Kochi' } });

    expect(body.lead.createdAt).toBe(created.createdAt);
    expect(Date.parse(body.lead.updatedAt)).toBeGreaterThanOrEqual(Date.parse(created.updatedAt));
  });
});

describe('2 list items: exactly the properties of their resource', () => {
  const showWhen = { field: 'course', equals: ['mba'] };

  test.each([
    ['StageRef', 'stage', { id: 11, name: 'New', meaning: 'open' }],
    ['NamedRef of a pipeline', 'pipeline', { id: 1, name: 'Admissions' }],
    ['NamedRef of an owner', 'owner', { id: 7, name: 'Asha Rao' }],
  ])('a %s has exactly its properties', async (_, property, expected) => {
    await givenLead(organization, { fields: { assigned_to: 7 }, pipelineId: 1 });

    const { body } = await organization.list({ limit: 1 });

    expect(body.items[0][property]).toEqual(expected);
  });

  test.each([
    [
      'Stage',
      'list-lead-stages',
      {
        id: 11,
        name: 'New',
        slug: 'new',
        order: 1,
        meaning: 'open',
        isDefault: true,
        pipelineId: 1,
      },
    ],
    ['Pipeline', 'list-pipelines', { id: 1, name: 'Admissions', order: 1, isDefault: true }],
    ['NamedRef of a source', 'list-lead-sources', { id: 3, name: 'Facebook Ads' }],
    ['NamedRef of a person', 'list-users', { id: 7, name: 'Asha Rao' }],
  ] as const)('a %s in its list has exactly its properties', async (_, name, expected) => {
    const { body } = await call(name, { apiKey: organization.reader });

    expect(body.items[0]).toEqual(expected);
  });

  test('a LeadField of a select with a condition, and one without, has exactly its properties', async () => {
    const own = await givenOrganization({
      fields: [
        customField('course', 'select', { options: [{ value: 'mba', label: 'MBA' }] }),
        customField('exam', 'date', {
          showWhen,
          requiredOnCreate: true,
          requiredOnEdit: true,
          label: 'Exam on',
        }),
      ],
    });

    const { body } = await call('list-lead-fields', { apiKey: own.website });

    const common = { section: 'Interest', storage: 'custom' };
    expect(body.items.slice(-2)).toEqual([
      {
        ...common,
        key: 'course',
        label: 'course',
        type: 'select',
        options: [{ value: 'mba', label: 'MBA' }],
        requiredOnCreate: false,
        requiredOnEdit: false,
        showWhen: null,
      },
      {
        ...common,
        key: 'exam',
        label: 'Exam on',
        type: 'date',
        options: [],
        requiredOnCreate: true,
        requiredOnEdit: true,
        showWhen,
      },
    ]);
  });

  test('a LeadField of a built-in field has storage column and the type that the contract names', async () => {
    const { body } = await call('list-lead-fields', { apiKey: organization.reader });

    const builtIn = body.items.filter(({ storage }: { storage: string }) => storage === 'column');
    expect(builtIn.map(({ key, type }: { key: string; type: string }) => [key, type])).toEqual([
      ['name', 'text'],
      ['phone', 'phone'],
      ['email', 'email'],
      ['source', 'lead_source'],
      ['assigned_to', 'user'],
      ['lead_type', 'select'],
    ]);
  });
});
