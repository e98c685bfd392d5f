import { describe, expect, test } from 'vitest';
import type { CaptureRequest } from '../../../shared/client/api-types.ts';
import { captureMatch, enquiryOf, fillLead, readCapture } from '../../../shared/leads/capture.ts';
import { parsePhone } from '../../../shared/leads/identity.ts';
import type { FieldValues, Lead } from '../../../shared/leads/lead.ts';
import { limits } from '../../../shared/limits.ts';
import { leadOf } from '../../support/leads.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { refusalOf } from './refusal.ts';

const organization = sampleOrganization();
const asha = { name: 'Asha Rao', phone: '98765 43210' };
const read = (more: Partial<CaptureRequest> = {}, of = organization) => {
  const request = { ...asha, ...more };
  return readCapture(of, request, parsePhone(request.phone));
};

test.each<[string, Partial<CaptureRequest>, string, string]>([
  ['a name of invisible characters', { name: ' \u200b\u00ad' }, 'name', 'required'],
  ['a blank phone', { phone: '      ' }, 'phone', 'required'],
  ['an unknown pipeline', { pipelineId: 99 }, 'pipelineId', 'pipelines'],
  ['a field sent for the name', { fields: { name: 'X' } }, 'name', 'send it as the property'],
  ['a field sent for the source', { fields: { source: 1 } }, 'source', 'by name'],
  ['a field sent for the owner', { fields: { assigned_to: 7 } }, 'assigned_to', 'assignment rules'],
])('a capture with %s is refused', async (_, request, fieldKey, part) => {
  const { code, details, message } = await refusalOf(() => read(request));
  expect(code).toBe('VALIDATION_FAILED');
  expect(details.fields).toEqual({ [fieldKey]: expect.stringContaining(part) });
  expect(message).toContain(`${fieldKey} `);
});

const fairs = sampleOrganization({
  sources: [
    { id: 1, name: 'Website' },
    { id: 2, name: 'Café Fair' },
    { id: 3, name: 'STRASSE', active: false },
    { id: 4, name: 'Straße' },
    { id: 5, name: 'Cafe\u0301\u00a0Fair' },
  ],
});
test.each([
  ['Cafe\u0301 Fair', 2, undefined],
  ['Cafe\u0301\u00a0Fair', 5, undefined],
  ['\u200ecafé  FAIR', 2, undefined],
  ['STRASSE', 4, undefined],
  ['Strase ', undefined, 'Strase '],
  [undefined, undefined, undefined],
])('the source %j is that of ID %s, and is recorded as %j', (source, id, recorded) => {
  const { submitted, submittedSource } = read(source === undefined ? {} : { source }, fairs);
  expect([submitted.source, submittedSource]).toEqual([id, recorded]);
});

const lead = (fields: FieldValues): Lead =>
  leadOf(
    { organizationId: 1, id: 5, createdAt: '2026-01-01T00:00:00.000Z' },
    { ...asha, ...fields },
  );

describe('filling a matched lead', () => {
  test('takes the same choice from a list for the same, though the settings order it otherwise now', () => {
    expect(
      fillLead(lead({ interests: ['loan', 'hostel'] }), { interests: ['hostel', 'loan'] }, false)
        .kept,
    ).toEqual([]);
    expect(
      fillLead(lead({ interests: ['loan', 'hostel'] }), { interests: ['hostel'] }, false).kept,
    ).toHaveLength(1);
  });

  test('refuses a value that makes the lead too large, and names it', async () => {
    const full = lead({ remarks: 'x'.repeat(limits.leadMaxBytes - 100) });
    const caller = { createdBy: 7, keyId: 'k', label: 'website' };
    const enquiry = enquiryOf(caller, 'request', asha, read());
    const situation = { holders: [], fingerprint: 'f', now: new Date() };

    const { code, details } = await refusalOf(() =>
      captureMatch(full, { city: 'y'.repeat(200) }, enquiry, situation),
    );

    expect([code, Object.keys(details.fields ?? {})]).toEqual(['VALIDATION_FAILED', ['city']]);
  });
});
