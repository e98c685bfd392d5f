import { describe, expect, test } from 'vitest';
import type { CaptureRequest } from '../../../shared/contract/types.ts';
import { captureNew, enquiryOf, newCapture, readCapture } from '../../../shared/leads/capture.ts';
import { fingerprintOf, idempotencyOf } from '../../../shared/leads/idempotency.ts';
import { readPhone } from '../../../shared/leads/identity.ts';
import type { FieldValues } from '../../../shared/leads/lead.ts';
import { leadOf } from '../../support/leads.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { refusalOf } from './refusal.ts';

const organization = sampleOrganization();
const asha = { name: 'Asha Rao', phone: '98765 43210' };
const read = (more: Partial<CaptureRequest> = {}, of = organization) => {
  const request = { ...asha, ...more };
  return readCapture(of, request, readPhone(request.phone).phone);
};

describe('a capture before it is read', () => {
  const key = { organizationId: 1, keyId: 'k' };

  test('a capture has its keys, the fingerprint without externalId, the phone and the email', () => {
    const sent = { ...asha, email: ' Asha@example.com ', notes: 'x' };
    expect(
      newCapture(key, idempotencyOf('header', { ...sent, externalId: 'external' }), sent),
    ).toEqual({
      ...key,
      keys: [
        { value: 'header', givenAs: 'Idempotency-Key' },
        { value: 'external', givenAs: 'externalId' },
      ],
      fingerprint: fingerprintOf(sent),
      phone: '+919876543210',
      email: 'Asha@example.com',
    });
  });

  test('a capture has neither keys, phone nor email if the request has none that can be read', () => {
    const nothing = { keys: [], phone: undefined, email: undefined };
    expect(
      newCapture(key, idempotencyOf(undefined, asha), { ...asha, phone: 'call me' }),
    ).toMatchObject(nothing);
  });
});

describe('a capture is refused', () => {
  const property = 'is not sent in fields: send it as the property';
  const unreadable = {
    name: ' ',
    email: 'asha',
    pipelineId: 99,
    fields: { phone: '1', budget: 'x' },
  };

  test.each<[Partial<CaptureRequest>, Record<string, string>, string]>([
    [{ name: ' \u200b\u00ad' }, { name: 'required' }, 'name is required.'],
    [{ phone: '      ' }, { phone: 'required' }, 'phone is required.'],
    [{ phone: 'call me' }, { phone: 'invalid_phone' }, 'phone holds letters'],
    [{ email: 'asha' }, { email: 'invalid_email' }, 'email must be an email address'],
    [{ pipelineId: 99 }, { pipelineId: 'pipeline_not_found' }, "is not one of the organization's"],
    [{ fields: { name: 'X' } }, { name: 'not_accepted' }, `${property} name.`],
    [{ fields: { phone: '1' } }, { phone: 'not_accepted' }, `${property} phone.`],
    [{ fields: { email: 'x' } }, { email: 'not_accepted' }, `${property} email.`],
    [{ fields: { source: 1 } }, { source: 'not_accepted' }, `${property} source, by name.`],
    [{ fields: { assigned_to: 7 } }, { assigned_to: 'not_accepted' }, 'the assignment rules.'],
    [{ fields: { budget: 'x' } }, { budget: 'invalid_number' }, 'budget must be a number.'],
    [
      unreadable,
      {
        email: 'invalid_email',
        name: 'required',
        phone: 'not_accepted',
        budget: 'invalid_number',
        pipelineId: 'pipeline_not_found',
      },
      'name is required.',
    ],
  ])('a capture of %j is refused with %j', async (request, reasons, part) => {
    const { code, message, details } = await refusalOf(() => read(request));

    expect([code, details.reasons]).toEqual(['VALIDATION_FAILED', reasons]);
    expect(message).toContain(part);
    expect(details.validKeys).toBeUndefined();
  });

  test('a refusal of an unknown key lists the keys that a capture may send in fields', async () => {
    const { details } = await refusalOf(() => read({ fields: { town: 'Pune', name: 'X' } }));

    expect(details.reasons).toEqual({ name: 'not_accepted', town: 'unknown_field' });
    const own = ['name', 'phone', 'email', 'source', 'assigned_to'];
    const others = organization.fields.filter(({ key, active }) => active && !own.includes(key));
    expect(details.validKeys).toEqual(others.map(({ key }) => key));
  });
});

describe('a capture is read by the organization’s rules', () => {
  const fairs = sampleOrganization({
    sources: [
      { id: 1, name: 'Website' },
      { id: 2, name: 'Café Fair' },
      { id: 3, name: 'STRASSE', active: false },
      { id: 4, name: 'Straße' },
      { id: 5, name: 'Cafe\u0301\u00a0Fair' },
    ],
  });
  const noWebsite = sampleOrganization({ sources: [{ id: 3, name: 'Fair' }] });

  test.each<
    [string | undefined, typeof fairs, number | undefined, number | undefined, string, string?]
  >([
    ['Cafe\u0301 Fair', fairs, 2, 2, 'Café Fair'],
    ['Cafe\u0301\u00a0Fair', fairs, 5, 5, 'Cafe\u0301\u00a0Fair'],
    ['\u200ecafé  FAIR', fairs, 2, 2, 'Café Fair'],
    ['STRASSE', fairs, 4, 4, 'Straße'],
    ['Strase ', fairs, undefined, 1, 'Website', 'Strase '],
    ['Old fair', organization, undefined, 1, 'Website', 'Old fair'],
    [undefined, organization, undefined, 1, 'Website'],
    [undefined, noWebsite, undefined, undefined, 'Website'],
  ])(
    'a capture with the source %j is read by the organization’s rules',
    (source, of, submitted, recorded, sourceName, submittedSource) => {
      const found = read(source === undefined ? {} : { source }, of);
      expect([found.submitted.source, found.onCreate.source]).toEqual([submitted, recorded]);
      expect(found).toMatchObject({ sourceName, submittedSource });
    },
  );

  test.each<[Partial<CaptureRequest>, FieldValues]>([
    [{}, {}],
    [{ email: ' A@b.in ' }, { email: 'A@b.in' }],
    [{ email: ' ' }, {}],
    [
      { fields: { city: ' Pune', budget: '', interests: ['loan'] } },
      { city: 'Pune', interests: ['loan'] },
    ],
    [{ pipelineId: 2, notes: 'x', attribution: {}, externalId: 'x' }, {}],
  ])('a capture of %j fills a new lead with %j', (request, values) => {
    const submitted = { name: 'Asha Rao', phone: '+919876543210', ...values };
    const website = { sourceName: 'Website', submittedSource: undefined };
    expect(read(request)).toEqual({ ...website, submitted, onCreate: { ...submitted, source: 1 } });
  });
});

const caller = { createdBy: 7, keyId: 'k', label: 'website' };
const origin = { actorId: 7, keyId: 'k', keyLabel: 'website', requestId: 'r', source: 'Website' };

test.each<[Partial<CaptureRequest>, object]>([
  [{}, {}],
  [{ source: 'Old fair' }, { submittedSource: 'Old fair' }],
  [{ notes: '', attribution: {} }, {}],
  [
    { notes: ' Ring\n', attribution: { utmTerm: 'x' } },
    { notes: ' Ring\n', attribution: { utmTerm: 'x' } },
  ],
])('an enquiry with %j is recorded with its origin and %j', (more, recorded) =>
  expect(enquiryOf(caller, 'r', { ...asha, ...more }, read(more))).toStrictEqual({
    ...origin,
    ...recorded,
  }),
);

test('a capture without a match creates a lead, and records its result for 24 hours', () => {
  const now = new Date('2026-03-01T10:00:00.000Z');
  const at = now.toISOString();
  const own = { organizationId: 1, id: 5, createdAt: at };
  const { fields } = leadOf(own, { ...asha, city: 'Pune' });
  const start = { ...own, fields, stage: { id: 21, pipelineId: 2 }, owner: 7 };
  const enquiry = enquiryOf(caller, 'r', asha, read());

  expect(captureNew(start, enquiry, { fingerprint: 'f', now })).toEqual({
    outcome: 'new',
    lead: leadOf({ ...own, stageId: 21, pipelineId: 2 }, { ...fields, assigned_to: 7 }),
    entry: { ...origin, at, type: 'captured_new', filled: [], kept: [] },
    record: {
      fingerprint: 'f',
      result: { id: 5, created: true, updated: false },
      expiresAt: Date.parse('2026-03-02T10:00:00.000Z'),
    },
  });
});
