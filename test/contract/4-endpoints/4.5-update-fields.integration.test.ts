import { describe, expect, test } from 'vitest';
import { changesOf, givenLead, useOrganizationWithLead } from '../../support/leads.ts';
import { givenOrganization, useOrganization } from '../../support/organizations.ts';
import { customField } from '../../support/settings.ts';
import { takenValues } from './field-values.ts';

const organization = useOrganization();
const quiet = useOrganizationWithLead({ city: 'Pune', budget: 5 });

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
