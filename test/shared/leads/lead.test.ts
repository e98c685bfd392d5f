import { describe, expect, test } from 'vitest';
import { limits } from '../../../shared/contract/limits.ts';
import {
  type FieldValues,
  isFieldValue,
  leadFieldsOf,
  presentLead,
} from '../../../shared/leads/lead.ts';
import { assertLeadFits, fieldsBytes } from '../../../shared/leads/lead-size.ts';
import { leadOf } from '../../support/leads.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { refusalOf } from './refusal.ts';

const own = { organizationId: 1, id: 5, createdAt: '2026-01-01T00:00:00.000Z' };
const phone = '+919876543210';

test('a presented lead has its names, of inactive items too, and the active fields that it fills', () => {
  const fields = {
    phone,
    source: 4,
    assigned_to: 9,
    city: 'Pune',
    wants_call: false,
    old_notes: 'x',
  };

  expect(presentLead(sampleOrganization(), leadOf(own, fields))).toEqual({
    ...{ id: 5, name: 'Lead 5', phone, email: null, leadType: 'student' },
    ...{ stageId: 11, stage: { id: 11, name: 'New', meaning: 'open' } },
    ...{ pipelineId: 1, pipeline: { id: 1, name: 'Admissions' } },
    ...{ sourceId: 4, source: { id: 4, name: 'Old fair' } },
    ...{ assignedTo: 9, owner: { id: 9, name: 'Meera Das' } },
    fields: { city: 'Pune', wants_call: false },
    ...{ createdAt: own.createdAt, updatedAt: own.createdAt },
  });
});

test('a presented lead has null for missing values', () => {
  const lacking = { email: null, sourceId: null, source: null, assignedTo: null, owner: null };
  const presented = presentLead(sampleOrganization(), leadOf(own, { phone }));
  expect(presented).toMatchObject({ ...lacking, fields: {} });
});

test.each(['name', 'phone', 'lead_type'])('a lead without %s never passes the rules', (missing) => {
  const { [missing]: _, ...fields } = leadOf(own, { phone }).fields as FieldValues;
  expect(() => leadFieldsOf(fields)).toThrow('A lead without a name, a phone or a type');
  expect(() => leadFieldsOf({ ...fields, [missing]: 5 })).toThrow('passed the rules');
});

test.each([
  ['x', true],
  [0, true],
  [false, true],
  [[], true],
  [['x'], true],
  [['x', 5], false],
  [{}, false],
  [null, false],
  [undefined, false],
])('%j is a value of a field: %s', (value, is) => expect(isFieldValue(value)).toBe(is));

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

  test('counts a number as the largest, a tick as a byte, and an item of a list with one more', () => {
    expect(fieldsBytes({ a: 5, b: 1e99 })).toBe(44);
    expect(fieldsBytes({ a: false })).toBe(2);
    expect(fieldsBytes({ ab: ['x', 'yy'] })).toBe(10);
  });

  test('names the largest field that the request sends, and without one the largest of the lead', async () => {
    const fields = { a: 'x'.repeat(limits.leadMaxBytes), b: 'y', c: 'zz', d: 'z' };
    const named = async (...sent: string[]) =>
      Object.keys((await refusalOf(() => assertLeadFits(fields, sent))).details.fields!);
    expect([await named('b', 'c', 'd'), await named()]).toEqual([['c'], ['a']]);
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
