import { describe, expect, test } from 'vitest';
import { setArchived } from '../../../shared/store/leads/archive.ts';
import { givenLead, storedLead, timelineOf } from '../../support/leads.ts';
import { useOrganization } from '../../support/organizations.ts';
import { type Person, person } from '../../support/people.ts';
import { table } from '../../support/table.ts';

const organization = useOrganization();
const lastOf = async (leadId: number) => (await timelineOf(organization, leadId)).at(-1);
const found = (leadId: number, updated: boolean) => ({
  lead: { id: leadId, created: false, updated },
});

describe('4.3 rule 1: a lead matches by phone number or email, ignoring case', () => {
  const byPhone = (phone: string) => ({ name: 'x', phone });
  const byEmail = (email: string) => ({ ...person(), email });
  test.each<[string, (lead: Person) => object]>([
    ['phone', ({ phone }) => byPhone(phone)],
    ['phone written otherwise', ({ phone }) => byPhone(phone.replace('+91', '0091 '))],
    ['phone as a program writes it', ({ phone }) => byPhone(`tel:+91${phone}.0`)],
    ['phone without its country code', ({ phone }) => byPhone(phone.replace('+91', ''))],
    ['email', ({ email }) => byEmail(email)],
    ['email in capitals', ({ email }) => byEmail(email.toUpperCase())],
    [
      'email copied with invisible characters',
      ({ email }) => byEmail(`\u202a${email.replace('@', '\u200b@')}\u2060`),
    ],
    ['both', ({ phone, email }) => ({ name: 'x', phone, email })],
  ])('a capture matches a lead by %s', async (_, bodyOf) => {
    const lead = await givenLead(organization);

    const { status, body } = await organization.capture(bodyOf(lead));

    expect([status, body.lead.id, body.lead.created]).toEqual([200, lead.id, false]);
  });

  test('two people behind one switchboard are one lead: a phone number does not include the extension', async () => {
    const { phone } = person();
    const first = await organization.capture({ name: 'Asha', phone: `${phone} ext. 21` });

    const second = await organization.capture({
      name: 'Ravi',
      phone: `${phone} ext. 35`,
      notes: 'Please dial 35.',
    });

    expect(second.body).toEqual(found(first.body.lead.id, false));
    expect(await organization.read(first.body.lead.id)).toMatchObject({ name: 'Asha', phone });
    expect(await lastOf(first.body.lead.id)).toMatchObject({
      notes: 'Please dial 35.',
      kept: [{ field: 'name', current: 'Asha', submitted: 'Ravi' }],
    });
  });

  test('a capture whose phone and email belong to two leads matches the phone and lists the email as kept', async () => {
    const [byPhone, byEmail] = [
      await givenLead(organization, { fields: { email: null } }),
      await givenLead(organization),
    ];

    const { body } = await organization.capture({
      name: byPhone.name,
      phone: byPhone.phone,
      email: byEmail.email,
    });

    expect(body).toEqual(found(byPhone.id, false));
    expect(await lastOf(byPhone.id)).toMatchObject({
      kept: [{ field: 'email', current: null, submitted: byEmail.email }],
    });
    expect(await organization.read(byPhone.id)).toEqual(byPhone);
    expect(await timelineOf(organization, byEmail.id)).toHaveLength(1);
  });

  test('an email with invisible characters is stored as sent and stays unique', async () => {
    const { phone, email, name } = person();
    const sent = `\u200b${email}`;
    const { body } = await organization.capture({ name, phone, email: sent });

    expect((await organization.read(body.lead.id)).email).toBe(sent);
    const again = await organization.create({ fields: { ...person(), email } });
    expect([again.status, again.body.error.details]).toEqual([
      409,
      { leadId: body.lead.id, field: 'email' },
    ]);
  });
});

describe('4.3 rule 3: match on a live lead: only empty fields are filled, differing ones kept and listed', () => {
  test('a capture fills empty fields and keeps others, each on the timeline as sent and as it was', {
    tags: 'written',
  }, async () => {
    const lead = await givenLead(organization, {
      fields: { email: null, city: 'Pune', budget: 5, source: 3 },
    });
    const email = person().email;

    const { status, body } = await organization.capture({
      name: 'Other Name',
      phone: lead.phone,
      email,
      source: 'Website',
      fields: {
        city: 'Kochi',
        budget: '5',
        course: 'MBA',
        interests: ['Hostel'],
        wants_call: 'no',
        lead_type: 'consultant',
      },
    });

    expect([status, body]).toEqual([200, found(lead.id, true)]);
    const fields = {
      city: 'Pune',
      budget: 5,
      course: 'mba',
      interests: ['hostel'],
      wants_call: false,
    };
    expect(await organization.read(lead.id)).toEqual({
      ...lead,
      email,
      fields,
      updatedAt: expect.any(String),
    });
    const captured = await lastOf(lead.id);
    expect(captured).toMatchObject({ type: 'captured', source: 'Website' });
    expect(new Set(captured?.filled as string[])).toEqual(
      new Set(['course', 'email', 'interests', 'wants_call']),
    );
    expect(captured?.kept).toHaveLength(4);
    expect(captured?.kept).toEqual(
      expect.arrayContaining([
        { field: 'name', current: lead.name, submitted: 'Other Name' },
        { field: 'source', current: 3, submitted: 1 },
        { field: 'city', current: 'Pune', submitted: 'Kochi' },
        { field: 'lead_type', current: 'student', submitted: 'consultant' },
      ]),
    );
  });

  test('a capture with nothing new is on the timeline, but updated is false and updatedAt stays', {
    tags: 'written',
  }, async () => {
    const lead = await givenLead(organization, { fields: { city: 'Pune' } });

    const { body } = await organization.capture({
      name: lead.name,
      phone: lead.phone,
      email: lead.email.toUpperCase(),
      fields: { city: 'Pune' },
    });

    expect(body).toEqual(found(lead.id, false));
    expect(await organization.read(lead.id)).toEqual(lead);
    expect(await lastOf(lead.id)).toMatchObject({ type: 'captured', filled: [], kept: [] });
  });

  test.each([
    ['a known source fills', 'facebook ads', 3, ['source']],
    ['Website named fills', 'Website', 1, ['source']],
    ['no source: the default never fills', undefined, null, []],
    ['an unknown source: the default never fills', 'Billboard', null, []],
  ])('a capture of a lead with an empty source: %s', async (_, source, sourceId, filled) => {
    const lead = await givenLead(organization);

    await organization.capture({ name: lead.name, phone: lead.phone, source });

    expect((await organization.read(lead.id)).sourceId).toBe(sourceId);
    expect((await lastOf(lead.id))?.filled).toEqual(filled);
  });

  test('the phone of a lead that matched by email is kept and listed', async () => {
    const lead = await givenLead(organization);
    const { phone } = person();

    await organization.capture({ name: lead.name, phone, email: lead.email });

    expect((await organization.read(lead.id)).phone).toBe(lead.phone);
    expect((await lastOf(lead.id))?.kept).toEqual([
      { field: 'phone', current: lead.phone, submitted: phone },
    ]);
  });

  test('an email that filled a lead belongs to it from then on', async () => {
    const lead = await givenLead(organization, { fields: { email: null } });
    const { email } = person();
    await organization.capture({ name: lead.name, phone: lead.phone, email });

    const { body } = await organization.capture({ ...person(), email });

    expect(body.lead.id).toBe(lead.id);
  });

  test('a capture never changes owner, stage or pipeline, nor fills them when empty', async () => {
    const lead = await givenLead(organization, { stageId: 12 });
    await organization.update(lead.id, { fields: { assigned_to: null } });

    await organization.capture({
      name: lead.name,
      phone: lead.phone,
      pipelineId: 2,
      fields: { city: 'Pune' },
    });

    expect(await organization.read(lead.id)).toMatchObject({
      stageId: 12,
      pipelineId: 1,
      assignedTo: null,
    });
  });
});

describe('4.3 rule 4: match on an archived lead: only the enquiry is noted, archived: true, no Location', () => {
  test.each([
    ['phone', ({ name, phone }: Person) => ({ name, phone })],
    ['email', ({ email }: Person) => ({ ...person(), email })],
  ])(
    'a capture that matches an archived lead by %s changes nothing',
    { tags: 'written' },
    async (_, bodyOf) => {
      const lead = await givenLead(organization);
      await setArchived(table(), organization.id, lead.id, { archived: true });
      const before = await storedLead(organization, lead.id);

      const { status, body, headers } = await organization.capture({
        ...bodyOf(lead),
        notes: 'Again.',
        fields: { city: 'Pune' },
      });

      expect([status, body]).toEqual([
        200,
        { lead: { id: lead.id, created: false, updated: false, archived: true } },
      ]);
      expect(headers.get('location')).toBeNull();
      const after = await storedLead(organization, lead.id);
      expect(after.lead).toEqual({ ...before.lead, version: after.timeline.length }); // counts the entry
      expect(after.timeline).toHaveLength(3);
      const captured = await lastOf(lead.id);
      expect(captured).toMatchObject({
        type: 'captured',
        archived: true,
        notes: 'Again.',
        filled: [],
      });
      const city = { field: 'city', current: null, submitted: 'Pune' };
      expect(captured?.kept).toContainEqual(city);
    },
  );

  test('a capture fills an archived lead again once it is restored', async () => {
    const { id, name, phone } = await givenLead(organization);
    await setArchived(table(), organization.id, id, { archived: true });
    await setArchived(table(), organization.id, id, { archived: false });

    expect((await organization.capture({ name, phone, fields: { city: 'Pune' } })).body).toEqual(
      found(id, true),
    );
  });
});
