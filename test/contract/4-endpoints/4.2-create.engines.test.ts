import { describe, expect, test } from 'vitest';
import { setArchived } from '../../../shared/store/leads/archive.ts';
import { givenLead, leadsOf, useOrganizationWithLead } from '../../support/leads.ts';
import { givenOrganization, useOrganization } from '../../support/organizations.ts';
import { type Person, person } from '../../support/people.ts';
import { customField } from '../../support/settings.ts';
import { table } from '../../support/table.ts';
import { takenValues } from './field-values.ts';

const organization = useOrganization();
const quiet = useOrganizationWithLead();

async function refused(body: unknown, name: string, details?: object): Promise<void> {
  await quiet.expectInvalid(await quiet.create(body), name, details);
}

describe('4.2 response: 201 with the lead', () => {
  test('create-lead answers 201 with the lead', { tags: 'written' }, async () => {
    const someone = person();

    const { status, body } = await organization.create({ fields: someone });

    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['lead']);
    expect(body.lead).toMatchObject(someone);
    expect(await organization.read(body.lead.id)).toEqual(body.lead);
  });
});

describe('4.2 fields: values by field key, read by the organization’s rules', () => {
  test.each(takenValues)('create-lead reads %s = %j as %j', async (fieldKey, sent, stored) => {
    const { status, body } = await organization.create({
      fields: { ...person(), [fieldKey]: sent },
    });

    expect([status, body.error]).toEqual([201, undefined]);
    expect(body.lead.fields).toEqual({ [fieldKey]: stored });
  });

  test('create-lead names every problem of a body at once, each with its reason', async () => {
    const { body } = await organization.create({
      fields: { name: '', budget: 'much', course: 'law', town: 'x' },
      stageId: 99,
    });

    expect(body.error.details.reasons).toEqual({
      budget: 'invalid_number',
      course: 'unknown_option',
      name: 'required',
      phone: 'required',
      stageId: 'stage_not_found',
      town: 'unknown_field',
    });
  });
});

describe('4.2 required: name and phone, and what the organization requires on create', () => {
  test.each([
    ['fields', {}],
    ['name', { fields: { phone: person().phone } }],
    ['phone', { fields: { name: 'Asha' } }],
    ['name', { fields: { ...person(), name: '  ' } }],
    ['phone', { fields: { ...person(), phone: '12' } }],
  ])('create-lead requires %s, missing or unusable in $1', (name, body) => refused(body, name));

  test('create-lead requires the organization’s required fields, but none that showWhen hides', async () => {
    const own = await givenOrganization({
      fields: [
        customField('city', 'text', { requiredOnCreate: true }),
        customField('wants_call', 'checkbox'),
        customField('call_on', 'date', {
          requiredOnCreate: true,
          showWhen: { field: 'wants_call', equals: ['true'] },
        }),
      ],
    });
    const send = (fields: object) => own.create({ fields: { ...person(), ...fields } });

    const answers = [
      await send({}),
      await send({ city: 'Pune', wants_call: true }),
      await send({ city: 'Pune' }),
      await send({ city: 'Pune', wants_call: 'yes', call_on: '2026-12-01' }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 201, 201]);
    expect(answers.slice(0, 2).map(({ body }) => body.error.details.fields)).toEqual([
      { city: 'is required.' },
      { call_on: 'is required.' },
    ]);
  });
});

describe('4.2 source takes a source id, assigned_to a user id; details.reason and details.field', () => {
  test.each([
    ['source', 99, 'SOURCE_NOT_FOUND'],
    ['source', 4, 'SOURCE_NOT_ACTIVE'],
    ['assigned_to', 99, 'OWNER_NOT_FOUND'],
    ['assigned_to', 9, 'OWNER_NOT_ACTIVE'],
  ])('create-lead refuses %s %i with the reason %s', (field, id, reason) =>
    refused({ fields: { ...person(), [field]: id } }, field, { reason, field }),
  );
});

describe('4.2 DUPLICATE_LEAD: a lead with this phone or email exists; details.leadId and details.field', () => {
  const duplicate = (leadId: number, field = 'phone') => ({
    error: { code: 'DUPLICATE_LEAD', message: expect.any(String), details: { leadId, field } },
  });

  test.each<[string, string, (lead: Person) => Partial<Person>]>([
    ['phone', 'phone', ({ phone }) => ({ phone })],
    ['phone, written otherwise', 'phone', ({ phone }) => ({ phone: phone.replace('+91', '0') })],
    ['email', 'email', ({ email }) => ({ email })],
    ['email in another case', 'email', ({ email }) => ({ email: email.toUpperCase() })],
    ['both', 'phone', ({ phone, email }) => ({ phone, email })],
  ])('create-lead names the existing lead by %s', async (_, field, sharedWith) => {
    const lead = await givenLead(organization);

    const { status, body } = await organization.create({
      fields: { ...person(), ...sharedWith(lead) },
    });

    expect([status, body]).toEqual([409, duplicate(lead.id, field)]);
  });

  test('create-lead and update-lead say that the lead that has the phone or email is archived', async () => {
    const [archived, other] = [await givenLead(organization), await givenLead(organization)];
    await setArchived(table(), organization.id, archived.id, { archived: true });
    const create = (shared: object) => organization.create({ fields: { ...person(), ...shared } });

    const answers = [
      await create({ phone: archived.phone }),
      await create({ email: archived.email }),
      await organization.update(other.id, { fields: { phone: archived.phone } }),
      await create({ phone: other.phone }),
    ];

    const sentence = (field: string) =>
      `Lead ${archived.id} has this ${field} and is archived: an administrator can restore it.`;
    expect(answers.map(({ body }) => body.error.message)).toEqual([
      sentence('phone'),
      sentence('email'),
      sentence('phone'),
      'Another lead has this phone or email.',
    ]);
    expect(answers[1]?.body.error.details).toEqual({ leadId: archived.id, field: 'email' });
  });

  test('create-lead names the lead that has the phone when another lead has the email', {
    tags: 'written',
  }, async () => {
    const [byPhone, byEmail] = [await givenLead(organization), await givenLead(organization)];

    const { status, body } = await organization.create({
      fields: { ...person(), phone: byPhone.phone, email: byEmail.email },
    });

    expect([status, body]).toEqual([409, duplicate(byPhone.id)]);
  });

  test('a retried create names the existing lead and writes nothing', async () => {
    const { name, phone, email } = quiet.lead;

    const { status, body } = await quiet.create({ fields: { name, phone, email } });

    expect([status, body]).toEqual([409, duplicate(quiet.lead.id)]);
    await quiet.expectUntouched();
  });

  test('ten parallel creates of one person give one 201 and nine 409 with its id', async () => {
    const fields = person();

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => organization.create({ fields })),
    );

    const [made] = answers.filter(({ status }) => status === 201);
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 9 }, () => 409),
    ]);
    const others = answers
      .filter((answer) => answer !== made)
      .map(({ body }) => body.error.details);
    expect(others).toEqual(others.map(() => ({ leadId: made?.body.lead.id, field: 'phone' })));
    const stored = (await leadsOf(organization)).filter(
      (lead) => lead.fields.phone === fields.phone,
    );
    expect(stored).toHaveLength(1);
  });
});
