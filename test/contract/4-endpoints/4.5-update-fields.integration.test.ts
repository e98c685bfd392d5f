import { beforeAll, describe, expect, test } from 'vitest';
import { givenLead, storedLeads } from '../../support/leads.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { customField } from '../../support/settings.ts';
import { takenValues } from './field-values.ts';
import { changesOf, organization, quiet, quietLead, update, useUpdates } from './given-updates.ts';

useUpdates();

let untouched: Awaited<ReturnType<typeof storedLeads>>;
beforeAll(async () => {
  untouched = await storedLeads(quiet);
});

/** Refused with 422 naming the field or property, and nothing changed. */
async function refused(body: unknown, name: string, details: object = {}): Promise<void> {
  const answer = await update(quietLead.id, body, quiet);

  expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
  expect(Object.keys(answer.body.error.details.fields)).toContain(name);
  expect(answer.body.error.details).toMatchObject(details);
  expect(answer.body.error.message).toMatch(/\S [\s\S]*[.?]$/);
  expect(await storedLeads(quiet)).toEqual(untouched);
}

describe('4.5 fields: only those sent are changed, checked with the organization’s field rules', () => {
  test.each(takenValues)('update-lead reads %s = %j as %j', async (fieldKey, sent, stored) => {
    const { id } = await givenLead(organization, {
      fields: { remarks: 'Stays.', hasOwnProperty: 'stays' },
    });

    const { status, body } = await update(id, { fields: { [fieldKey]: sent } });

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

      const { status, body } = await update(id, { fields: { [fieldKey]: sent } }, own);

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
  test.each([
    ['source', 99, 'SOURCE_NOT_FOUND'],
    ['source', 4, 'SOURCE_NOT_ACTIVE'],
    ['assigned_to', 99, 'OWNER_NOT_FOUND'],
    ['assigned_to', 9, 'OWNER_NOT_ACTIVE'],
  ])('update-lead refuses %s %i with details.reason %s and details.field', (field, id, reason) =>
    refused({ fields: { [field]: id } }, field, { reason, field }),
  );
});
