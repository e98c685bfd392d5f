import { describe, expect, test } from 'vitest';
import { storedLeads, timelineOf, useOrganizationWithLead } from '../../support/leads.ts';
import { givenOrganization, useOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';

const organization = useOrganization();
const quiet = useOrganizationWithLead();

describe('4.3 fields: by field key, checked with the same rules as the app’s forms', () => {
  test('capture-lead lists the keys that it accepts in details.validKeys after an unknown key', async () => {
    const { body } = await organization.capture({ ...person(), fields: { town: 'Pune' } });

    const own = ['name', 'phone', 'email', 'source', 'assigned_to'];
    const taken = organization.settings.fields
      .filter(({ key, active }) => active && !own.includes(key))
      .map(({ key }) => key);
    expect(body.error.details.validKeys).toEqual(taken);
  });

  test('capture-lead leaves a field empty for an empty value', async () => {
    const { body } = await organization.capture({
      ...person(),
      fields: { city: '', budget: null, interests: [], course: ' ' },
    });

    expect((await organization.read(body.lead.id)).fields).toEqual({});
  });
});

describe('4.3 name, phone, email', () => {
  test('capture-lead keeps names and emails as typed, without the blanks around them', async () => {
    const { phone } = person();

    const { body } = await organization.capture({
      name: '  आशा राव 😀 ',
      phone,
      email: ' Asha.Typed@Example.com ',
    });

    expect(await organization.read(body.lead.id)).toMatchObject({
      name: 'आशा राव 😀',
      email: 'Asha.Typed@Example.com',
    });
  });
});

describe('4.3 source: the name of an active source, case-insensitive; any other is recorded as Website', () => {
  test.each([
    ['Facebook Ads', 3, 'Facebook Ads'],
    [' facebook ADS ', 3, 'Facebook Ads'],
    ['Facebook\u00a0Ads\u200b', 3, 'Facebook Ads'],
    ['Old fair', 1, 'Website'],
    [undefined, 1, 'Website'],
  ])(
    'capture-lead reads the source %j as source %i, recorded as %s',
    async (source, sourceId, recorded) => {
      const { body } = await organization.capture({ ...person(), source });

      expect((await organization.read(body.lead.id)).sourceId).toBe(sourceId);
      const captured = (await timelineOf(organization, body.lead.id)).find(
        ({ type }) => type === 'captured',
      );
      expect(captured?.source).toBe(recorded);
      expect(captured?.submittedSource).toBe(source === 'Old fair' ? source : undefined);
    },
  );

  test('without an active source Website the lead has no source and the timeline says Website', async () => {
    const own = await givenOrganization({ sources: [{ id: 1, name: 'Website', active: false }] });

    const { status, body } = await own.capture({ ...person(), source: 'x' });

    const lead = await own.get(body.lead.id);
    expect([status, lead.body.lead.sourceId]).toEqual([201, null]);
    expect((await timelineOf(own, body.lead.id)).at(-1)?.source).toBe('Website');
  });
});

describe('4.3 VALIDATION_FAILED: every problem, and nothing captured', () => {
  test.each([
    ['a new person', person],
    ['a known person', () => ({ name: 'Known', phone: quiet.lead.phone })],
  ])('capture-lead refuses an unknown pipelineId for %s', async (_, someone) => {
    await quiet.expectInvalid(await quiet.capture({ ...someone(), pipelineId: 99 }), 'pipelineId');
  });

  test('capture-lead names every problem of a body at once, each with its reason', async () => {
    const { body } = await organization.capture({
      phone: 1,
      email: 2,
      pipelineId: 0,
      fields: { city: {} },
    });

    expect(body.error.details.reasons).toEqual({
      city: 'wrong_type',
      email: 'wrong_type',
      name: 'required',
      phone: 'wrong_type',
      pipelineId: 'invalid_id',
    });
  });
});

describe('4.3 notes and attribution are shown on the timeline with the enquiry', () => {
  const attribution = {
    pageUrl: 'https://example.com/mba?utm_source=x',
    pageTitle: 'MBA',
    referrer: 'https://search.example/',
    utmSource: 'x',
    utmMedium: 'cpc',
    utmCampaign: 'autumn',
    utmTerm: 'mba pune',
    utmContent: 'blue',
    formName: 'Enquire now',
  };

  test('the timeline shows all notes and attribution of an enquiry', async () => {
    const { body } = await organization.capture({
      ...person(),
      notes: 'Ring after six.\nप्रिय',
      attribution,
    });

    const captured = (await timelineOf(organization, body.lead.id)).at(-1);
    expect(captured).toMatchObject({
      type: 'captured',
      notes: 'Ring after six.\nप्रिय',
      attribution,
    });
  });

  test('an enquiry without notes or attribution shows none on the timeline', async () => {
    const { body } = await organization.capture({ ...person(), notes: '', attribution: {} });

    const captured = (await timelineOf(organization, body.lead.id)).at(-1);
    expect(Object.keys(captured ?? {})).not.toContain('notes');
    expect(Object.keys(captured ?? {})).not.toContain('attribution');
  });
});

describe('4.3 INVALID_IDEMPOTENCY_KEY: longer than 200 characters, or not plain ASCII', () => {
  test.each([
    ['200 characters', 'k'.repeat(200)],
    ['one character', '~'],
    ['blanks within', 'a b'],
  ])('an idempotency key of %s is accepted', async (_, key) => {
    expect((await organization.capture(person(), key)).status).toBe(201);
  });

  test.each([
    ['201 characters', 'k'.repeat(201)],
    ['a letter of Latin-1', 'clé'],
    ['a tab', 'a\tb'],
    ['no characters', ''],
    ['another script, as UTF-8', Buffer.from('चाबी').toString('latin1')],
  ])('an idempotency key of %s is refused', async (_, key) => {
    const before = await storedLeads(organization);

    const { status, body } = await organization.capture(person(), key);

    expect([status, body.error.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
    expect(body.error.message).toContain('200');
    expect(await storedLeads(organization)).toEqual(before);
  });

  test('a wrong idempotency key is refused before a wrong body', async () => {
    expect((await organization.capture({}, 'k'.repeat(201))).body.error.code).toBe(
      'INVALID_IDEMPOTENCY_KEY',
    );
  });
});
