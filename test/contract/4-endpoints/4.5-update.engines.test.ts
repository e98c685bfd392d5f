import { describe, expect, test } from 'vitest';
import {
  changeSettings,
  givenLead,
  type OrganizationWithLead,
  timelineOf,
  useOrganizationWithLead,
} from '../../support/leads.ts';
import {
  type GivenOrganization,
  givenOrganization,
  useOrganization,
} from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { customField } from '../../support/settings.ts';
import { takenValues } from './field-values.ts';

const organization = useOrganization();
const quiet = useOrganizationWithLead({ city: 'Pune', budget: 5 });

/** The changes on a lead's timeline, one list per update. */
const changesOf = async (organization: GivenOrganization, leadId: number) =>
  (await timelineOf(organization, leadId))
    .filter(({ type }) => type === 'lead_updated')
    .map(({ changes }) => changes);

describe('4.5 response: 200 with the lead after the change', () => {
  test('update-lead answers 200 with the lead after the change', { tags: 'written' }, async () => {
    const before = await givenLead(organization);

    const { status, body } = await organization.update(before.id, {
      fields: { city: 'Pune' },
      stageId: 12,
    });

    expect([status, Object.keys(body)]).toEqual([200, ['lead']]);
    const read = await organization.get(before.id);
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

describe('4.5 an update that changes nothing answers 200 and writes nothing', () => {
  test.each<[string, (lead: OrganizationWithLead['lead']) => object]>([
    ['an empty body', () => ({})],
    ['no fields', () => ({ fields: {} })],
    ['values as the lead has them', () => ({ fields: { city: 'Pune', budget: 5 } })],
    ['values that read as its own', () => ({ fields: { city: ' Pune ', budget: '5.0' } })],
    [
      'its phone, written otherwise',
      ({ phone }) => ({ fields: { phone: phone.replace('+91', '0') } }),
    ],
    ['null for what is empty', () => ({ fields: { course: null, remarks: '' } })],
    ['its own stage and pipeline', () => ({ stageId: 11, pipelineId: 1 })],
    [
      'the lead as it was read',
      ({ fields, name, phone, email, assignedTo }) => ({
        fields: { ...fields, name, phone, email, assigned_to: assignedTo },
      }),
    ],
  ])('an update that changes nothing writes nothing: %s', async (_, bodyOf) => {
    const { status, body } = await quiet.update(quiet.lead.id, bodyOf(quiet.lead));

    expect([status, body.lead]).toEqual([200, quiet.lead]);
    await quiet.expectUntouched();
  });

  test('update-lead accepts an option, source or user that is no longer active when it is the lead’s own', async () => {
    const own = await givenOrganization();
    const lead = await givenLead(own, { fields: { source: 3, assigned_to: 8 } });
    const inactive = <T extends { id: number }>(items: readonly T[]) =>
      items.map((item) => ({ ...item, active: item.id < 3 || item.id === 7 }));
    await changeSettings(own, {
      sources: inactive(own.settings.sources),
      users: inactive(own.settings.users),
    });

    const { status, body } = await own.update(lead.id, {
      fields: { source: 3, assigned_to: 8, city: 'Pune' },
    });

    expect([status, body.lead.sourceId, body.lead.assignedTo, body.lead.fields]).toEqual([
      200,
      3,
      8,
      { city: 'Pune' },
    ]);
    expect(await changesOf(own, lead.id)).toEqual([[{ field: 'city', from: null, to: 'Pune' }]]);
  });
});

describe('4.5 DUPLICATE_LEAD: the new phone or email belongs to another lead', () => {
  test.each(['phone', 'email'] as const)(
    'update-lead answers 409 with the other lead’s id and the field %s, and changes nothing',
    async (field) => {
      const [holder, lead] = [await givenLead(organization), await givenLead(organization)];

      const { status, body } = await organization.update(lead.id, {
        fields: { city: 'Pune', [field]: holder[field].toUpperCase() },
      });

      expect([status, body.error.code, body.error.details]).toEqual([
        409,
        'DUPLICATE_LEAD',
        { leadId: holder.id, field },
      ]);
      expect(await organization.read(lead.id)).toEqual(lead);
      expect(await timelineOf(organization, lead.id)).toHaveLength(1);
    },
  );

  test('a phone or email that a lead gives up is free for another lead at once', {
    tags: 'written',
  }, async () => {
    const { id, phone, email } = await givenLead(organization);

    await organization.update(id, { fields: { phone: person().phone, email: person().email } });
    const { status } = await organization.create({ fields: { name: 'Next', phone, email } });

    expect(status).toBe(201);
  });

  test('update-lead accepts an email that only changes its case', async () => {
    const { id, email } = await givenLead(organization);

    const { status, body } = await organization.update(id, {
      fields: { email: email.toUpperCase() },
    });

    expect([status, body.lead.email]).toEqual([200, email.toUpperCase()]);
  });
});

async function refused(body: unknown, name: string, details?: object): Promise<void> {
  await quiet.expectInvalid(await quiet.update(quiet.lead.id, body), name, details);
}

describe('4.5 fields: only those sent are changed, checked with the organization’s field rules', () => {
  test.each(takenValues)('update-lead reads %s = %j as %j', async (fieldKey, sent, stored) => {
    const { id } = await givenLead(organization, {
      fields: { remarks: 'Stays.', hasOwnProperty: 'stays' },
    });

    const { status, body } = await organization.update(id, { fields: { [fieldKey]: sent } });

    expect([status, body.error]).toEqual([200, undefined]);
    expect(body.lead.fields).toEqual({
      remarks: 'Stays.',
      hasOwnProperty: 'stays',
      [fieldKey]: stored,
    });
  });

  test.each([
    ['name', 'New Name', 'name', 'New Name'],
    ['phone', '098111 22233', 'phone', '+919811122233'],
    ['email', 'New@Example.com', 'email', 'New@Example.com'],
    ['source', 3, 'sourceId', 3],
    ['assigned_to', 8, 'assignedTo', 8],
    ['lead_type', 'consultant', 'leadType', 'consultant'],
  ])(
    'update-lead accepts %j for the built-in field %s',
    async (fieldKey, sent, property, stored) => {
      const own = await givenOrganization();
      const { id } = await givenLead(own, { fields: { assigned_to: 7 } });

      const { status, body } = await own.update(id, { fields: { [fieldKey]: sent } });

      expect([status, body.lead?.[property]]).toEqual([200, stored]);
    },
  );
});

describe('4.5 null clears a field; a required one cannot be emptied', () => {
  test.each(['city', 'budget', 'start_on', 'course', 'interests', 'wants_call', 'second_source'])(
    'update-lead clears %s by null',
    async (fieldKey) => {
      const [, sent, stored] = takenValues.find(([key]) => key === fieldKey)!;
      const { id } = await givenLead(organization, { fields: { [fieldKey]: sent } });

      const { status, body } = await organization.update(id, { fields: { [fieldKey]: null } });

      expect([status, body.lead.fields]).toEqual([200, {}]);
      expect(await changesOf(organization, id)).toEqual([
        [{ field: fieldKey, from: stored, to: null }],
      ]);
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
      fields: [
        customField('city', 'text', { requiredOnEdit: true }),
        customField('course', 'text'),
      ],
    });
    const [empty, filled] = [
      await givenLead(own),
      await givenLead(own, { fields: { city: 'Pune' } }),
    ];

    const answers = [
      await own.update(empty.id, { fields: { course: 'MBA' } }),
      await own.update(filled.id, { fields: { course: 'MBA' } }),
      await own.update(empty.id, { fields: { city: null, course: 'BBA' } }),
      await own.update(filled.id, { fields: { city: '' } }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 422]);
    expect(answers[3]?.body.error.details.fields).toEqual({ city: 'cannot be emptied.' });
  });
});

test('a change of longer texts than an item holds is applied, and its timeline item has their beginnings', async () => {
  const keys = ['first', 'second', 'third', 'fourth'];
  const own = await givenOrganization({ fields: keys.map((key) => customField(key, 'textarea')) });
  const { id } = await givenLead(own);
  const text = 'x'.repeat(84_000);
  for (const key of keys) await own.update(id, { fields: { [key]: text } });

  const fields = { first: null, second: null, third: null, fourth: 'y'.repeat(90_000) };
  const { status } = await own.update(id, { fields });

  expect(status).toBe(200);
  const cut = (letter: string) => expect.stringMatching(new RegExp(`^${letter}{1000,}`));
  const changes = (await changesOf(own, id)).at(-1);
  expect(changes?.toSorted((a, b) => keys.indexOf(a.field) - keys.indexOf(b.field))).toEqual(
    keys.map((field) => ({ field, from: cut('x'), to: field === 'fourth' ? cut('y') : null })),
  );
});

describe('4.5 body: all properties optional, no others, no other types', () => {
  test.each([
    ['source', 99, 'SOURCE_NOT_FOUND'],
    ['source', 4, 'SOURCE_NOT_ACTIVE'],
    ['assigned_to', 99, 'OWNER_NOT_FOUND'],
    ['assigned_to', 9, 'OWNER_NOT_ACTIVE'],
  ])('update-lead refuses %s %i with details.reason %s and details.field', (field, id, reason) =>
    refused({ fields: { [field]: id } }, field, { reason, field }),
  );
});
