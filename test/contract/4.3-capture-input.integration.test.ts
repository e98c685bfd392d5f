import { beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/call.ts';
import { timelineOf } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { givenQuietOrganization, type QuietOrganization } from '../support/quiet-organization.ts';
import {
  noIds,
  noObjects,
  refusedKeys,
  refusedValues,
  takenValues,
  withKey,
} from './field-values.ts';

let organization: GivenOrganization;
let quiet: QuietOrganization;
beforeAll(async () => {
  [organization, quiet] = await Promise.all([givenOrganization(), givenQuietOrganization()]);
});
const capture = (body: unknown, own = organization) =>
  call('capture-lead', { apiKey: own.website, body });
const read = async (leadId: number) =>
  (await call('get-lead', { apiKey: organization.reader, leadId })).body.lead;

/** Refused with 422 naming the field or property, and neither a lead nor a timeline changed: for a new person and for a known one. */
async function refused(change: object, name: string, details: object = {}): Promise<void> {
  const people = [person(), { name: 'Known', phone: quiet.lead.phone }];
  const answers = await Promise.all(
    people.map((someone) => capture({ ...someone, ...change }, quiet)),
  );
  for (const { status, body } of answers) {
    expect([status, body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(Object.keys(body.error.details.fields)).toContain(name);
    expect(body.error.details).toMatchObject(details);
    expect(body.error.message).toMatch(/\S [\s\S]*[.?]$/);
  }
  await quiet.expectUntouched();
}

describe('4.3 fields: by field key, checked with the same rules as the app’s forms', () => {
  test.each(takenValues)('capture-lead reads %s = %j as %j', async (fieldKey, sent, stored) => {
    const { status, body } = await capture({ ...person(), fields: { [fieldKey]: sent } });

    expect([status, body.error]).toEqual([201, undefined]);
    expect((await read(body.lead.id)).fields).toEqual({ [fieldKey]: stored });
  });

  test.each(refusedValues)('capture-lead refuses %s = %j', (fieldKey, sent) =>
    refused({ fields: { city: 'Kochi', [fieldKey]: sent } }, fieldKey),
  );

  test.each(refusedKeys)('capture-lead refuses the unknown field key %j', (fieldKey) =>
    refused({ fields: { ...withKey(fieldKey, 'x'), city: 'Kochi' } }, fieldKey),
  );

  test('capture-lead lists the keys that it accepts in details.validKeys after an unknown key', async () => {
    const { body } = await capture({ ...person(), fields: { town: 'Pune' } });

    const own = ['name', 'phone', 'email', 'source', 'assigned_to'];
    const taken = organization.settings.fields
      .filter(({ key, active }) => active && !own.includes(key))
      .map(({ key }) => key);
    expect(body.error.details.validKeys).toEqual(taken);
  });

  test.each([
    ['name', 'Asha', 'name'],
    ['phone', '+919812345678', 'phone'],
    ['email', 'asha@example.com', 'email'],
    ['source', 1, 'source'],
    ['assigned_to', 7, 'owner'],
  ])(
    'capture-lead refuses %s in fields and says what to do instead',
    async (fieldKey, value, instead) => {
      await refused({ fields: { [fieldKey]: value } }, fieldKey);

      const { body } = await capture({ ...person(), fields: { [fieldKey]: value } });
      expect(body.error.details.fields[fieldKey]).toContain(instead);
    },
  );

  test('capture-lead leaves a field empty for an empty value', async () => {
    const { body } = await capture({
      ...person(),
      fields: { city: '', budget: null, interests: [], course: ' ' },
    });

    expect((await read(body.lead.id)).fields).toEqual({});
  });
});

describe('4.3 name, phone, email', () => {
  test.each([
    ['98123 00001', '+919812300001'],
    ['098123-00002', '+919812300002'],
    ['+1 (415) 555-2671', '+14155552671'],
    ['0091 98123 00003', '+919812300003'],
    ['९८१२३०००४५', '+919812300045'],
  ])(
    'capture-lead reads the phone %s as %s: with country code, or as an Indian number',
    async (phone, stored) => {
      const { status, body } = await capture({ name: 'Asha', phone });

      expect(status).toBe(201);
      expect((await read(body.lead.id)).phone).toBe(stored);
    },
  );

  test('capture-lead keeps names and emails as typed, without the blanks around them', async () => {
    const { phone } = person();

    const { body } = await capture({
      name: '  आशा राव 😀 ',
      phone,
      email: ' Asha.Typed@Example.com ',
    });

    expect(await read(body.lead.id)).toMatchObject({
      name: 'आशा राव 😀',
      email: 'Asha.Typed@Example.com',
    });
  });

  test('capture-lead reads an empty email as none', async () => {
    const { name, phone } = person();

    const { status, body } = await capture({ name, phone, email: '' });

    expect(status).toBe(201);
    expect((await read(body.lead.id)).email).toBeNull();
  });

  test.each([
    ['name', '   '],
    ['phone', 'ring me up'],
    ['phone', '000000'],
    ['email', 'asha'],
    ['email', 'a@b'],
    ['email', 'a b@example.com'],
  ])('capture-lead refuses %s %j in place of a person’s', (name, value) =>
    refused({ [name]: value }, name),
  );

  test.each(['name', 'phone'])('capture-lead refuses a body without %s', (name) =>
    refused({ [name]: undefined }, name),
  );
});

describe('4.3 source: a name of one of the organization’s active sources, case-insensitive; any other is recorded as Website', () => {
  test.each([
    ['Facebook Ads', 3, 'Facebook Ads'],
    [' facebook ADS ', 3, 'Facebook Ads'],
    ['Website', 1, 'Website'],
    ['Billboard', 1, 'Website'],
    ['Old fair', 1, 'Website'],
    ['3', 1, 'Website'],
    [undefined, 1, 'Website'],
  ])(
    'capture-lead reads the source %j as source %i, recorded as %s',
    async (source, sourceId, recorded) => {
      const { body } = await capture({ ...person(), source });

      expect((await read(body.lead.id)).sourceId).toBe(sourceId);
      const captured = (await timelineOf(organization, body.lead.id)).find(
        ({ type }) => type === 'captured',
      );
      expect(captured?.source).toBe(recorded);
    },
  );

  test('without an active source Website the lead has no source and the timeline says Website', async () => {
    const own = await givenOrganization({ sources: [{ id: 1, name: 'Website', active: false }] });

    const { status, body } = await capture({ ...person(), source: 'x' }, own);

    const lead = await call('get-lead', { apiKey: own.reader, leadId: body.lead.id });
    expect([status, lead.body.lead.sourceId]).toEqual([201, null]);
    expect((await timelineOf(own, body.lead.id)).at(-1)?.source).toBe('Website');
  });
});

describe('4.3 body: no other properties, no other types', () => {
  const wrong = [1, true, null, [], {}];
  const texts = ['name', 'phone', 'email', 'source', 'notes', 'externalId'];
  const attributions = [
    'pageUrl',
    'pageTitle',
    'referrer',
    'utmSource',
    'utmMedium',
    'utmCampaign',
    'utmTerm',
    'utmContent',
    'formName',
  ];

  test.each(['stageId', 'Phone', 'lead', 'utmSource', '__proto__', 'constructor', 'toString'])(
    'capture-lead refuses the property %s',
    (name) => refused(withKey(name, 'x'), name),
  );

  test.each(noObjects)('capture-lead refuses the body %s', async (sent) => {
    const { status, body } = await capture(sent);

    expect([status, body.error.code, Object.keys(body.error.details.fields)]).toEqual([
      422,
      'VALIDATION_FAILED',
      ['body'],
    ]);
  });

  test.each(texts.flatMap((name) => wrong.map((value) => [name, value] as const)))(
    'capture-lead refuses %s %j',
    (name, value) => refused({ [name]: value }, name),
  );

  test.each(
    texts.flatMap((name) =>
      ['a\0bcdefg', '\ud83dabcdefg', 'abcdefg\udc00'].map((value) => [name, value] as const),
    ),
  )('capture-lead refuses %s %j, which contains an invalid character', (name, value) =>
    refused({ [name]: value }, name),
  );

  test.each(noIds)('capture-lead refuses pipelineId %j', (pipelineId) =>
    refused({ pipelineId }, 'pipelineId'),
  );

  test('capture-lead refuses an unknown pipelineId, for a known person too', () =>
    refused({ pipelineId: 99 }, 'pipelineId'));

  test.each([null, 'x', 1, true, [], [{}]])('capture-lead refuses fields %j', (fields) =>
    refused({ fields }, 'fields'),
  );

  test.each([null, 'x', 1, true, []])('capture-lead refuses attribution %j', (attribution) =>
    refused({ attribution }, 'attribution'),
  );

  test.each(['pageURL', 'utm_source', '__proto__', 'constructor'])(
    'capture-lead refuses the property attribution.%s',
    (name) => refused({ attribution: withKey(name, 'x') }, `attribution.${name}`),
  );

  test.each(
    attributions.flatMap((name) =>
      [1, null, [], {}, 'a\0b', '\ud800'].map((value) => [name, value] as const),
    ),
  )('capture-lead refuses attribution.%s %j', (name, value) =>
    refused({ attribution: { [name]: value } }, `attribution.${name}`),
  );

  test('capture-lead names every problem of a body at once, each with its reason', async () => {
    const { body } = await capture({ phone: 1, email: 2, pipelineId: 0, fields: { city: {} } });

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
    const { body } = await capture({ ...person(), notes: 'Ring after six.\nप्रिय', attribution });

    const captured = (await timelineOf(organization, body.lead.id)).at(-1);
    expect(captured).toMatchObject({
      type: 'captured',
      notes: 'Ring after six.\nप्रिय',
      attribution,
    });
  });

  test('the timeline shows no notes and no attribution where an enquiry has none', async () => {
    const { body } = await capture({ ...person(), notes: '', attribution: {} });

    const captured = (await timelineOf(organization, body.lead.id)).at(-1);
    expect(Object.keys(captured ?? {})).not.toContain('notes');
    expect(Object.keys(captured ?? {})).not.toContain('attribution');
  });
});
