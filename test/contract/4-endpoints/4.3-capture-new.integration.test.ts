import { describe, expect, test } from 'vitest';
import { changeSettings, givenLead, storedLeads } from '../../support/leads.ts';
import { givenOrganization, useOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { customField } from '../../support/settings.ts';

const organization = useOrganization();
const found = (leadId: number, updated: boolean) => ({
  lead: { id: leadId, created: false, updated },
});

describe('4.3 rule 2: no match: a new lead in the starting stage, owner from the rules, 201, Location', () => {
  test('a capture without a match creates a lead with a stage and an owner, and answers 201 with Location', {
    tags: 'written',
  }, async () => {
    const someone = person();

    const { status, body, headers } = await organization.capture({
      ...someone,
      fields: { city: 'Pune', lead_type: 'consultant' },
    });

    expect([status, body]).toEqual([
      201,
      { lead: { id: expect.any(Number), created: true, updated: false } },
    ]);
    expect(headers.get('location')).toMatch(new RegExp(`leads/${body.lead.id}$`));
    expect(await organization.read(body.lead.id)).toMatchObject({
      ...someone,
      leadType: 'consultant',
      stageId: 11,
      pipelineId: 1,
      sourceId: 1,
      fields: { city: 'Pune' },
      assignedTo: expect.any(Number),
    });
  });

  test('captures rotate over two users, by rules that see the captured fields', async () => {
    const own = await givenOrganization({
      assignmentRules: [
        { when: { field: 'course', equals: ['mba'] }, users: [8] },
        { when: { field: 'pipeline', equals: ['2'] }, users: [7] },
      ],
    });
    const ownerOf = async (more: object) =>
      (await own.read((await own.capture({ ...person(), ...more })).body.lead.id)).assignedTo;

    expect([
      await ownerOf({ fields: { course: 'MBA' } }),
      await ownerOf({ pipelineId: 2 }),
    ]).toEqual([8, 7]);
    const others = [await ownerOf({}), await ownerOf({}), await ownerOf({}), await ownerOf({})];
    expect(others.slice(0, 2).sort()).toEqual([7, 8]);
    expect(others.slice(2)).toEqual(others.slice(0, 2));
  });

  test('a field that is required on create is required only for new leads', async () => {
    const own = await givenOrganization({
      fields: [customField('city', 'text', { requiredOnCreate: true })],
    });
    const lead = await givenLead(own, { fields: { city: 'Pune' } });

    const fresh = await own.capture(person());
    const known = await own.capture({ name: lead.name, phone: lead.phone });

    expect([fresh.status, fresh.body.error.details.fields]).toEqual([
      422,
      { city: 'is required.' },
    ]);
    expect(known.status).toBe(200);
    expect((await own.capture({ ...person(), fields: { city: 'Pune' } })).status).toBe(201);
  });
});

describe('4.3 NOT_READY: no stage or no active user for new leads; existing leads are captured', () => {
  test.each([
    ['no pipeline', { pipelines: [] }, /stage/],
    ['no default pipeline', { pipelines: [{ id: 1, name: 'One', order: 1, stages: [] }] }, /stage/],
    [
      'no active starting stage',
      { pipelines: [{ id: 1, name: 'One', order: 1, isDefault: true, stages: [] }] },
      /stage/,
    ],
    ['no active user', { users: [{ id: 7, name: 'Asha', active: false }] }, /user/],
  ])(
    'an organization with %s answers 503, and nothing is created',
    async (_, different, message) => {
      const own = await givenOrganization(different);

      const { status, body } = await own.capture(person());

      expect([status, body.error]).toEqual([
        503,
        { code: 'NOT_READY', message: expect.stringMatching(message) },
      ]);
      expect(await storedLeads(own)).toEqual([]);
    },
  );

  test('an existing lead is filled even without an active user and a starting stage', async () => {
    const own = await givenOrganization();
    const { id, name, phone } = await givenLead(own);
    const inactive = <T>(items: readonly T[]) => items.map((item) => ({ ...item, active: false }));
    await changeSettings(own, {
      users: inactive(own.settings.users),
      pipelines: own.settings.pipelines.map((one) => ({ ...one, stages: inactive(one.stages) })),
    });

    const { status, body } = await own.capture({ name, phone, fields: { city: 'Pune' } });

    expect([status, body]).toEqual([200, found(id, true)]);
  });
});
