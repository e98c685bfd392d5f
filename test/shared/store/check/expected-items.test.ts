import { expect, test } from 'vitest';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { explainedBy } from '../../../../shared/leads/timeline-replay.ts';
import { ExpectedItems } from '../../../../shared/store/check/expected-items.ts';

const leadWith = (id: number, email: string | null): Lead => ({
  id,
  organizationId: 1,
  version: 1,
  fields: {
    name: 'Person',
    lead_type: 'student',
    phone: `+91${id}`,
    ...(email !== null && { email }),
  },
  stageId: 11,
  pipelineId: 1,
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
});

const leads = [leadWith(5, 'Five@example.com'), leadWith(6, null)];
function expectedItems(): ExpectedItems {
  const expected = new ExpectedItems();
  for (const lead of leads) expected.add(lead);
  return expected;
}

test('a lead is incomplete until its phone, its email and its timeline were found', () => {
  const expected = expectedItems();
  const incomplete = [];
  for (const find of [
    () => expected.markIdentity('phone', 5, '+915'),
    () => expected.markIdentity('email', 5, 'five@example.com'),
    () => expected.markTimeline(5, explainedBy(leadWith(5, 'Five@example.com'))),
    () => expected.markTimeline(6, explainedBy(leadWith(6, null))),
    () => expected.markIdentity('phone', 6, '+916'),
  ]) {
    incomplete.push([...expected.incomplete()]);
    expect(find()).toBe(true);
  }

  expect(incomplete).toEqual([[5, 6], [5, 6], [5, 6], [6], [6]]);
  expect([...expected.incomplete()]).toEqual([]);
});

test('an identity of another lead, of no lead, or found before, is not expected', () => {
  const expected = expectedItems();
  expected.markIdentity('phone', 5, '+915');

  expect(expected.markIdentity('phone', 5, '+915')).toBe(false);
  expect(expected.markIdentity('phone', 6, '+915')).toBe(false);
  expect(expected.markIdentity('email', 6, 'five@example.com')).toBe(false);
  expect(expected.markIdentity('phone', 7, '+917')).toBe(false);
  expect(expected.markIdentity('phone', '5', '+915')).toBe(false);
  expect([5, 6, 7, '5'].map((leadId) => expected.has(leadId))).toEqual([true, true, false, false]);
});

test('a timeline explains a lead if every part that it says is the same', () => {
  const expected = expectedItems();
  const same = explainedBy(leadWith(6, null));

  expect(expected.markTimeline(6, { ...same, createdAt: undefined, change: undefined })).toBe(true);
  for (const part of Object.keys(same))
    expect(expected.markTimeline(6, { ...same, [part]: 'x' })).toBe(false);
  expect(expected.markTimeline(7, same)).toBe(false);
});
