import { describe, expect, test } from 'vitest';
import { type FieldValues, presentLead } from '../../../shared/leads/lead.ts';
import { assertLeadFits } from '../../../shared/leads/lead-size.ts';
import { limits } from '../../../shared/limits.ts';
import { leadOf } from '../../support/leads.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { refusalOf } from './refusal.ts';

test('a presented lead has the names of its source and its owner, also of inactive ones', () => {
  const lead = leadOf(
    { organizationId: 1, id: 5, createdAt: '2026-01-01T00:00:00.000Z' },
    { phone: '+919876543210', source: 4, assigned_to: 9 },
  );

  expect(presentLead(sampleOrganization(), lead)).toMatchObject({
    sourceId: 4,
    source: { id: 4, name: 'Old fair' },
    assignedTo: 9,
    owner: { id: 9, name: 'Meera Das' },
  });
});

describe('the size of a lead', () => {
  const ofBytes = (bytes: number): FieldValues => ({ a: 'x'.repeat(bytes - 1) });

  test('is refused one byte over what is stored, naming the largest field', async () => {
    expect(() => assertLeadFits(ofBytes(limits.leadMaxBytes))).not.toThrow();
    const { code, details } = await refusalOf(() =>
      assertLeadFits({ ...ofBytes(limits.leadMaxBytes), b: 'y' }),
    );
    expect(code).toBe('VALIDATION_FAILED');
    expect(details.fields).toEqual({ a: expect.stringContaining('shorten it') });
  });

  test('the size of a lead is counted in bytes', async () => {
    expect(() => assertLeadFits({ a: 'न'.repeat(116_000) })).not.toThrow();
    await refusalOf(() => assertLeadFits({ a: 'न'.repeat(117_000) }));
  });

  test('is refused beyond a megabyte as JSON writes it', async () => {
    expect(() => assertLeadFits({ a: '\u0001'.repeat(166_000) })).not.toThrow();
    await refusalOf(() => assertLeadFits({ a: '\u0001'.repeat(167_000) }));
  });

  test('counts every item of a list', async () => {
    await refusalOf(() => assertLeadFits({ interests: Array(200_000).fill('a') }));
    expect(() =>
      assertLeadFits({ interests: Array(100_000).fill('a'), budget: 5, wants_call: true }),
    ).not.toThrow();
  });
});
