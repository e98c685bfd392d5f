import { describe, expect, test } from 'vitest';
import { storedBytes } from '../../../shared/base/item-size.ts';
import type { FieldValue } from '../../../shared/leads/lead.ts';
import { fitEntry, presentEntry, type TimelineEntry } from '../../../shared/leads/timeline.ts';

const at = '2026-11-20T10:00:00.000Z';
const nameOf = (userId: number) => `person ${userId}`;
const actor = { userId: 7, name: 'person 7' };
const enquiry = {
  keyId: 'abc',
  keyLabel: 'Landing page',
  source: 'Website',
  filled: ['city'],
  kept: [{ field: 'name', current: 'A', submitted: 'B' }],
};
const entry = (type: 'captured' | 'captured_new', more: object = {}): TimelineEntry => ({
  type,
  at,
  actorId: 7,
  ...enquiry,
  ...more,
});

test('an entry is presented in one order of members, in whatever order DynamoDB returns them', () => {
  const change = { to: 'Pune', from: null, field: 'city' };
  const shuffled = { kept: [{ submitted: 'B', current: 'A', field: 'name' }], filled: ['city'] };
  const attribution = { utmSource: 'x', utmMedium: 'y', landingPage: 'z' };

  const [captured] = presentEntry(
    {
      ...shuffled,
      attribution,
      source: 'Website',
      keyLabel: 'L',
      keyId: 'k',
      actorId: 7,
      at,
      type: 'captured',
    },
    nameOf,
  );
  const [updated] = presentEntry(
    { changes: [change], keyId: 'k', via: 'api', actorId: 7, at, type: 'lead_updated' },
    nameOf,
  );

  expect(JSON.stringify(captured)).toBe(
    `{"type":"captured","at":"${at}","actor":${JSON.stringify(actor)},"attribution":{"landingPage":"z","utmMedium":"y","utmSource":"x"},"filled":["city"],"kept":[{"current":"A","field":"name","submitted":"B"}],"keyId":"k","keyLabel":"L","source":"Website"}`,
  );
  expect(JSON.stringify(updated)).toBe(
    `{"type":"lead_updated","at":"${at}","actor":${JSON.stringify(actor)},"changes":[{"field":"city","from":null,"to":"Pune"}],"keyId":"k","via":"api"}`,
  );
});

describe('fitting an entry into an item', () => {
  const keptOf = (current: FieldValue | null, submitted: FieldValue, field = 'remarks') => ({
    field,
    current,
    submitted,
  });

  test('changes nothing of an entry that fits, however long one value is', () => {
    const whole = entry('captured', {
      kept: [keptOf('a'.repeat(300_000), 'b')],
      notes: 'न'.repeat(5000),
    });
    expect(fitEntry(whole)).toBe(whole);
  });

  test('cuts the longest values to one length, marks the cut, and keeps short values and the enquiry', () => {
    const notes = 'न'.repeat(5000);
    const attribution = { pageUrl: 'é'.repeat(2000) };
    const kept = [
      keptOf('क'.repeat(110_000), '🎓'.repeat(20_000)),
      keptOf('Pune', 'Delhi', 'city'),
      keptOf(false, true, 'wants_call'),
    ];

    const fitted = fitEntry(entry('captured', { kept, notes, attribution, filled: ['budget'] }));

    expect(storedBytes(fitted)).toBeLessThanOrEqual(380_000);
    expect(fitted).toMatchObject({ notes, attribution, filled: ['budget'], type: 'captured', at });
    const [remarks, ...others] = (
      fitted as unknown as { kept: { current: string; submitted: string }[] }
    ).kept;
    expect(others).toEqual(kept.slice(1));
    expect(remarks!.current).toMatch(/^क+…$/);
    expect(remarks!.current.length).toBeGreaterThan(20_000);
    expect(remarks!.submitted.isWellFormed()).toBe(true);
  });

  test('fits an entry with as many fields as an organization can have', () => {
    const kept = Array.from({ length: 3000 }, (_, n) =>
      keptOf('🎓'.repeat(29), '🎓'.repeat(8), `${n}`),
    );
    const most = entry('captured', {
      kept,
      notes: '🎓'.repeat(5000),
      attribution: { pageUrl: '🎓'.repeat(2000), referrer: '🎓'.repeat(2000) },
    });
    expect(storedBytes(most)).toBeGreaterThan(500_000);
    expect(storedBytes(fitEntry(most))).toBeLessThanOrEqual(380_000);
  });

  test('cuts lists by whole items, and changes as well as kept values', () => {
    const options = Array.from({ length: 2000 }, (_, n) => `option ${n} `.padEnd(190, 'x'));
    const changes = [
      { field: 'interests', from: options.slice(0, 1800), to: options.slice(0, 500) },
    ];

    const fitted = fitEntry({
      type: 'lead_updated',
      at,
      actorId: 7,
      via: 'api',
      keyId: 'abc',
      changes,
    });

    const [change] = (fitted as unknown as { changes: { from: string[]; to: string[] }[] }).changes;
    expect(storedBytes(fitted)).toBeLessThanOrEqual(380_000);
    expect(change!.from.at(-1)).toBe('…');
    expect(change!.from.slice(0, -1).every((item, n) => item === options[n])).toBe(true);
  });
});
