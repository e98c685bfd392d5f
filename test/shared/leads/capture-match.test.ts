import { describe, expect, test } from 'vitest';
import { limits } from '../../../shared/contract/limits.ts';
import { captureMatch, fillLead } from '../../../shared/leads/capture.ts';
import type { FieldValues, Lead } from '../../../shared/leads/lead.ts';
import { leadOf } from '../../support/leads.ts';
import { refusalOf } from './refusal.ts';

const lead = (fields: FieldValues, own: Partial<Lead> = {}): Lead =>
  leadOf(
    { organizationId: 1, id: 5, createdAt: '2026-01-01T00:00:00.000Z', ...own },
    { phone: '+919876543210', name: 'Asha', ...fields },
  );
const archived = { archivedAt: '2026-02-01T00:00:00.000Z' };

describe('a matched lead', () => {
  const email = { email: 'a@b.in' };
  const both = { interests: ['loan', 'hostel'] };

  /** `kept` names fields: each with the lead's value or null, and the submitted value. */
  test.each<
    [string, FieldValues, FieldValues, string[], string[], (Partial<Lead> & { isTaken?: true })?]
  >([
    [
      'is filled where it is empty, in the order sent',
      {},
      { city: 'x', budget: 0 },
      ['city', 'budget'],
      [],
    ],
    ['takes no for a value', {}, { wants_call: false }, ['wants_call'], []],
    ['is not changed by what it has', { budget: 5, city: 'x' }, { city: 'x', budget: 5 }, [], []],
    ['keeps its name', {}, { name: 'Asha Rao' }, [], ['name']],
    [
      'keeps a text that differs in its case alone',
      { city: 'Pune' },
      { city: 'pune' },
      [],
      ['city'],
    ],
    ['keeps no for yes', { wants_call: false }, { wants_call: true }, [], ['wants_call']],
    ['keeps a text for a number', { city: '5' }, { city: 5 }, [], ['city']],
    ['gets an email that nobody has', {}, email, ['email'], []],
    [
      'gets no email of another lead, but the rest',
      {},
      { ...email, city: 'x' },
      ['city'],
      ['email'],
      { isTaken: true },
    ],
    ['keeps its email for another', email, { email: 'c@b.in' }, [], ['email']],
    ['has the same email in capitals', email, { email: 'A@B.in' }, [], []],
    [
      'keeps a second email in capitals',
      { work_email: 'a@b.in' },
      { work_email: 'A@b.in' },
      [],
      ['work_email'],
    ],
    ['has the same list in another order', both, { interests: ['hostel', 'loan'] }, [], []],
    ['keeps a longer list', both, { interests: ['hostel'] }, [], ['interests']],
    ['is filled in a field called as an inherited property', {}, { valueOf: 'x' }, ['valueOf'], []],
    [
      'is not filled while it is archived',
      { city: 'x' },
      { city: 'x', budget: 5 },
      [],
      ['budget'],
      archived,
    ],
  ])(
    'a matched lead %s',
    (_, current, submitted, filled, kept, { isTaken = false, ...own } = {}) => {
      const match = lead(current, own);
      const before = structuredClone(match);

      const fills = Object.fromEntries(filled.map((field) => [field, submitted[field]]));
      expect(fillLead(match, submitted, isTaken)).toEqual({
        fields: { ...match.fields, ...fills },
        filled,
        kept: kept.map((field) => ({
          field,
          current: Object.hasOwn(match.fields, field) ? match.fields[field] : null,
          submitted: submitted[field],
        })),
      });
      expect(match).toEqual(before);
    },
  );
});

describe('a capture that matches a lead', () => {
  const now = new Date('2026-03-01T10:00:00.000Z');
  const at = now.toISOString();
  const expiresAt = Date.parse('2026-03-02T10:00:00.000Z');
  const enquiry = { actorId: 7, keyId: 'k', keyLabel: 'site', requestId: 'r', source: 'Website' };
  const holder = (leadId: number, field: string) => ({ leadId, field });

  const capture = (match: Lead, submitted: FieldValues, holders = [holder(5, 'phone')]) => {
    const decision = captureMatch(match, submitted, enquiry, { holders, fingerprint: 'f', now });
    if (decision.outcome !== 'match') throw new Error(`The outcome is ${decision.outcome}.`);
    return decision;
  };

  test('a capture fills the lead, and records the enquiry and the result at the same time', () => {
    const match = lead({});
    expect(capture(match, { city: 'Pune', name: 'Asha Rao' })).toEqual({
      outcome: 'match',
      match,
      lead: { ...match, fields: { ...match.fields, city: 'Pune' }, updatedAt: at },
      entry: {
        ...enquiry,
        at,
        type: 'captured',
        filled: ['city'],
        kept: [{ field: 'name', current: 'Asha', submitted: 'Asha Rao' }],
      },
      record: { fingerprint: 'f', result: { id: 5, created: false, updated: true }, expiresAt },
    });
  });

  test.each<[string, Partial<Lead>, FieldValues, string[], { archived?: true }]>([
    ['has nothing to fill', {}, { name: 'Asha' }, [], {}],
    ['is archived', archived, { city: 'Pune' }, ['city'], { archived: true }],
  ])(
    'a capture leaves a lead that %s as it is, and says so',
    (_, own, submitted, fields, isArchived) => {
      const match = lead({}, own);

      const decision = capture(match, submitted);

      const kept = fields.map((field) => ({ field, current: null, submitted: submitted[field] }));
      expect(decision.lead).toBe(match);
      expect(decision.entry).toEqual({
        ...enquiry,
        at,
        type: 'captured',
        filled: [],
        kept,
        ...isArchived,
      });
      const result = { id: 5, created: false, updated: false, ...isArchived };
      expect(decision.record).toEqual({ fingerprint: 'f', result, expiresAt });
    },
  );

  test.each([
    ['nobody', [], ['email']],
    ['the matched lead', [holder(5, 'email')], ['email']],
    ['nobody, and a phone that another lead has,', [holder(6, 'phone')], ['email']],
    ['another lead', [holder(5, 'phone'), holder(6, 'email')], []],
  ])('a capture with an email that %s has fills %j', (_, holders, filled) => {
    expect(capture(lead({}), { email: 'a@b.in' }, holders).entry).toMatchObject({ filled });
  });

  test('a capture is dated at least a millisecond after the last change, even by a slow clock', () => {
    const match = lead({}, { updatedAt: '2026-03-01T10:00:05.000Z' });

    const decision = capture(match, { city: 'Pune' });

    const later = '2026-03-01T10:00:05.001Z';
    expect([decision.lead.updatedAt, decision.entry.at]).toEqual([later, later]);
    expect(decision.record.expiresAt).toBe(expiresAt + 5001);
  });

  test('a capture is refused if what it fills makes the lead too large, naming that', async () => {
    const full = lead({ remarks: 'x'.repeat(limits.leadMaxBytes - 100) });
    const { code, details } = await refusalOf(() => capture(full, { city: 'y'.repeat(200) }));
    expect([code, details.reasons]).toEqual(['VALIDATION_FAILED', { city: 'too_long' }]);
  });

  test('a capture is not refused for the size of a lead that it does not fill', () =>
    expect(capture(lead({ remarks: 'x'.repeat(limits.leadMaxBytes) }), {}).entry.at).toBe(at));
});
