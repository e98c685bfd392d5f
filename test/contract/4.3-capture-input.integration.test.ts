import { beforeAll, describe, expect, test } from 'vitest';
import { type CallAnswer, call } from '../support/call.ts';
import { givenLead, storedLeads, timelineOf } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { noIds, noObjects, refusedKeys, refusedValues, takenValues, withKey } from './field-values.ts';

let organization: GivenOrganization;
/** An organization of one lead, where whatever is refused leaves just that as it is. */
let quiet: GivenOrganization;
let quietLead: CallAnswer['body'];
beforeAll(async () => {
  [organization, quiet] = await Promise.all([givenOrganization(), givenOrganization()]);
  quietLead = await givenLead(quiet);
});
const capture = (body: unknown, own = organization) => call('capture-lead', { apiKey: own.website, body });
const read = async (leadId: number) => (await call('get-lead', { apiKey: organization.reader, leadId })).body.lead;

/** Refused with 422 naming the field or property, and neither a lead nor a timeline changed: for a new person and for a known one. */
async function refused(change: object, name: string, details: object = {}): Promise<void> {
  const before = await storedLeads(quiet);

  for (const someone of [person(), { name: 'Known', phone: quietLead.phone }]) {
    const { status, body } = await capture({ ...someone, ...change }, quiet);
    expect([status, body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(Object.keys(body.error.details.fields)).toContain(name);
    expect(body.error.details).toMatchObject(details);
    expect(body.error.message).toMatch(/\S [\s\S]*[.?]$/);
  }
  expect(await storedLeads(quiet)).toEqual(before);
}

describe('4.3 fields: by field key, checked with the same rules as the app’s forms', () => {
  test.each(takenValues)('%s takes %j as %j', async (fieldKey, sent, stored) => {
    const { status, body } = await capture({ ...person(), fields: { [fieldKey]: sent } });

    expect([status, body.error]).toEqual([201, undefined]);
    expect((await read(body.lead.id)).fields).toEqual({ [fieldKey]: stored });
  });

  test.each(refusedValues)('%s refuses %j', (fieldKey, sent) =>
    refused({ fields: { city: 'Kochi', [fieldKey]: sent } }, fieldKey),
  );

  test.each(refusedKeys)('the key %j is refused', (fieldKey) =>
    refused({ fields: { ...withKey(fieldKey, 'x'), city: 'Kochi' } }, fieldKey),
  );

  test('an unknown key: details.validKeys lists those a capture takes', async () => {
    const { body } = await capture({ ...person(), fields: { town: 'Pune' } });

    const own = ['name', 'phone', 'email', 'source', 'assigned_to'];
    const taken = organization.settings.fields.filter(({ key, active }) => active && !own.includes(key)).map(({ key }) => key);
    expect(body.error.details.validKeys).toEqual(taken);
  });

  test.each([
    ['name', 'Asha', 'name'],
    ['phone', '+919812345678', 'phone'],
    ['email', 'asha@example.com', 'email'],
    ['source', 1, 'source'],
    ['assigned_to', 7, 'owner'],
  ])('%s is refused there, with what to do instead', async (fieldKey, value, instead) => {
    await refused({ fields: { [fieldKey]: value } }, fieldKey);

    const { body } = await capture({ ...person(), fields: { [fieldKey]: value } });
    expect(body.error.details.fields[fieldKey]).toContain(instead);
  });

  test('empty values leave a field empty', async () => {
    const { body } = await capture({ ...person(), fields: { city: '', budget: null, interests: [], course: ' ' } });

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
  ])('phone %s is read as %s: with country code, or as an Indian number', async (phone, stored) => {
    const { status, body } = await capture({ name: 'Asha', phone });

    expect(status).toBe(201);
    expect((await read(body.lead.id)).phone).toBe(stored);
  });

  test('names and e-mails arrive as typed, without the blanks around them', async () => {
    const { phone } = person();

    const { body } = await capture({ name: '  आशा राव 😀 ', phone, email: ' Asha.Typed@Example.com ' });

    expect(await read(body.lead.id)).toMatchObject({ name: 'आशा राव 😀', email: 'Asha.Typed@Example.com' });
  });

  test('an empty e-mail is none', async () => {
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
  ])('%s %j is refused', (name, value) => refused({ [name]: value }, name));

  test.each(['name', 'phone'])('%s missing is refused', (name) => refused({ [name]: undefined }, name));
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
  ])('%j: source %i, recorded as %s', async (source, sourceId, recorded) => {
    const { body } = await capture({ ...person(), source });

    expect((await read(body.lead.id)).sourceId).toBe(sourceId);
    const captured = (await timelineOf(organization, body.lead.id)).find(({ type }) => type === 'captured');
    expect(captured?.source).toBe(recorded);
  });

  test('no active source named Website: no source on the lead, Website on the timeline', async () => {
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

  test.each(['stageId', 'Phone', 'lead', 'utmSource', '__proto__', 'constructor', 'toString'])('the property %s', (name) =>
    refused(withKey(name, 'x'), name),
  );

  test.each(noObjects)('the body %s', async (sent) => {
    const { status, body } = await capture(sent);

    expect([status, body.error.code, Object.keys(body.error.details.fields)]).toEqual([422, 'VALIDATION_FAILED', ['body']]);
  });

  test.each(texts.flatMap((name) => wrong.map((value) => [name, value] as const)))('%s %j', (name, value) =>
    refused({ [name]: value }, name),
  );

  test.each(texts.flatMap((name) => ['a\0bcdefg', '\ud83dabcdefg', 'abcdefg\udc00'].map((value) => [name, value] as const)))(
    '%s %j: a character that is no text',
    (name, value) => refused({ [name]: value }, name),
  );

  test.each(noIds)('pipelineId %j', (pipelineId) => refused({ pipelineId }, 'pipelineId'));

  test('a pipelineId that is none of the organization’s, for a known person too', () =>
    refused({ pipelineId: 99 }, 'pipelineId'));

  test.each([null, 'x', 1, true, [], [{}]])('fields %j', (fields) => refused({ fields }, 'fields'));

  test.each([null, 'x', 1, true, []])('attribution %j', (attribution) => refused({ attribution }, 'attribution'));

  test.each(['pageURL', 'utm_source', '__proto__', 'constructor'])('attribution.%s', (name) =>
    refused({ attribution: withKey(name, 'x') }, `attribution.${name}`),
  );

  test.each(attributions.flatMap((name) => [1, null, [], {}, 'a\0b', '\ud800'].map((value) => [name, value] as const)))(
    'attribution.%s %j',
    (name, value) => refused({ attribution: { [name]: value } }, `attribution.${name}`),
  );

  test('every problem is named at once', async () => {
    const { body } = await capture({ phone: 1, email: 2, pipelineId: 0, fields: { city: {} } });

    expect(Object.keys(body.error.details.fields).sort()).toEqual(['city', 'email', 'name', 'phone', 'pipelineId']);
  });
});

describe('4.3 notes and attribution are shown on the timeline with the enquiry', () => {
  const attribution = {
    ...{ pageUrl: 'https://example.com/mba?utm_source=x', pageTitle: 'MBA', referrer: 'https://search.example/', utmSource: 'x' },
    ...{ utmMedium: 'cpc', utmCampaign: 'autumn', utmTerm: 'mba pune', utmContent: 'blue', formName: 'Enquire now' },
  };

  test('all of it', async () => {
    const { body } = await capture({ ...person(), notes: 'Ring after six.\nप्रिय', attribution });

    const captured = (await timelineOf(organization, body.lead.id)).at(-1);
    expect(captured).toMatchObject({ type: 'captured', notes: 'Ring after six.\nप्रिय', attribution });
  });

  test('neither', async () => {
    const { body } = await capture({ ...person(), notes: '', attribution: {} });

    const captured = (await timelineOf(organization, body.lead.id)).at(-1);
    expect(Object.keys(captured ?? {})).not.toContain('notes');
    expect(Object.keys(captured ?? {})).not.toContain('attribution');
  });
});
