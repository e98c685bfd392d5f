import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from 'vitest';
import type { FieldValue, FieldValues, Lead } from '../../../shared/leads/lead.ts';
import { fitEntry, presentEntry, type TimelineEntry } from '../../../shared/leads/timeline.ts';
import {
  type Explained,
  explainedBy,
  TimelineReplay,
  unexplainedParts,
  valuesDigestOf,
} from '../../../shared/leads/timeline-replay.ts';

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
  /** Bytes of an item as DynamoDB counts them. */
  const bytes = (one: TimelineEntry) =>
    sizeOf({ M: marshall(one, { removeUndefinedValues: true }) });
  function sizeOf({ S, N, L, M }: AttributeValue): number {
    if (S !== undefined) return Buffer.byteLength(S);
    if (N !== undefined) return 21;
    const inside = [
      ...(L ?? []).map(sizeOf),
      ...Object.entries(M ?? {}).map(([name, one]) => Buffer.byteLength(name) + sizeOf(one)),
    ];
    return inside.reduce((sum, one) => sum + one + 1, 3);
  }
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

  test('cuts the longest values alike, marks the cut, and leaves short ones and the enquiry whole', () => {
    const notes = 'न'.repeat(5000);
    const attribution = { pageUrl: 'é'.repeat(2000) };
    const kept = [
      keptOf('क'.repeat(110_000), '🎓'.repeat(20_000)),
      keptOf('Pune', 'Delhi', 'city'),
      keptOf(false, true, 'wants_call'),
    ];

    const fitted = fitEntry(entry('captured', { kept, notes, attribution, filled: ['budget'] }));

    expect(bytes(fitted)).toBeLessThanOrEqual(380_000);
    expect(fitted).toMatchObject({ notes, attribution, filled: ['budget'], type: 'captured', at });
    const [remarks, ...others] = (
      fitted as unknown as { kept: { current: string; submitted: string }[] }
    ).kept;
    expect(others).toEqual(kept.slice(1));
    expect(remarks!.current).toMatch(/^क+…$/);
    expect(remarks!.current.length).toBeGreaterThan(20_000);
    expect(remarks!.submitted.isWellFormed()).toBe(true);
  });

  test('fits what an organization with the most fields can say of one lead', () => {
    const kept = Array.from({ length: 3000 }, (_, n) =>
      keptOf('🎓'.repeat(29), '🎓'.repeat(8), `${n}`),
    );
    const most = entry('captured', {
      kept,
      notes: '🎓'.repeat(5000),
      attribution: { pageUrl: '🎓'.repeat(2000), referrer: '🎓'.repeat(2000) },
    });
    expect(bytes(most)).toBeGreaterThan(500_000);
    expect(bytes(fitEntry(most))).toBeLessThanOrEqual(380_000);
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
    expect(bytes(fitted)).toBeLessThanOrEqual(380_000);
    expect(change!.from.at(-1)).toBe('…');
    expect(change!.from.slice(0, -1).every((item, n) => item === options[n])).toBe(true);
  });
});

const atSecond = (second: number): string => `2026-01-31T09:30:0${second}.000Z`;
const lead = (more: Partial<Lead> = {}): Lead => ({
  id: 5,
  organizationId: 1,
  version: 1,
  fields: { name: 'Asha', phone: '+919812345678', lead_type: 'student' },
  stageId: 11,
  pipelineId: 1,
  createdAt: atSecond(0),
  updatedAt: atSecond(0),
  ...more,
});
const withFields = (fields: FieldValues, more: Partial<Lead> = {}): Lead =>
  lead({ ...more, fields: { ...lead().fields, ...fields } });

const origin = { actorId: 7, keyId: 'k' };
const opening: TimelineEntry = {
  ...origin,
  type: 'lead_created',
  at: atSecond(0),
  via: 'api',
  valuesDigest: valuesDigestOf(lead()),
};
const capture = { ...origin, keyLabel: 'site', source: 'Website', kept: [] };
const captured = (second: number, filled: string[], after?: Lead): TimelineEntry => ({
  ...capture,
  type: 'captured',
  at: atSecond(second),
  filled,
  ...(after && { valuesDigest: valuesDigestOf(after) }),
});
const updated = (second: number, after?: Lead): TimelineEntry => ({
  ...origin,
  type: 'lead_updated',
  at: atSecond(second),
  via: 'api',
  changes: [],
  ...(after && { valuesDigest: valuesDigestOf(after) }),
});
const noted: TimelineEntry = {
  ...origin,
  type: 'note_added',
  at: atSecond(9),
  via: 'api',
  text: 'Called.',
};
const archived = (second: number, type: 'archived' | 'restored'): TimelineEntry => ({
  type,
  at: atSecond(second),
  actorId: null,
});
const imported: TimelineEntry = {
  type: 'lead_created',
  at: atSecond(0),
  actorId: null,
  via: 'import',
  importedAt: atSecond(9),
  valuesDigest: valuesDigestOf(lead()),
};

function unexplained(of: Lead, ...entries: TimelineEntry[]): (keyof Explained)[] {
  const replay = new TimelineReplay();
  for (const entry of entries) replay.add(entry);
  expect(replay.openings).toBe(1);
  return unexplainedParts(explainedBy(of), replay.explained);
}

const filled = withFields({ city: 'Pune' }, { version: 2, updatedAt: atSecond(1) });
const moved = { ...filled, stageId: 12, version: 3, updatedAt: atSecond(2) };
const hidden = { ...moved, version: 4, updatedAt: atSecond(3), archivedAt: atSecond(3) };

test.each<[string, Lead, TimelineEntry[]]>([
  ['created', lead(), [opening]],
  ['noted and captured without a change', lead(), [opening, captured(1, []), noted]],
  ['filled', filled, [opening, captured(1, ['city'], filled)]],
  ['filled and updated', moved, [opening, captured(1, ['city'], filled), updated(2, moved)]],
  [
    'archived',
    hidden,
    [opening, captured(1, ['city'], filled), updated(2, moved), archived(3, 'archived')],
  ],
  [
    'archived and restored',
    lead({ version: 3, updatedAt: atSecond(2) }),
    [opening, archived(1, 'archived'), archived(2, 'restored')],
  ],
  [
    'imported as it was changed and archived elsewhere',
    lead({ updatedAt: atSecond(4), archivedAt: atSecond(4) }),
    [imported],
  ],
  [
    'last updated with an entry that a restore wrote',
    moved,
    [opening, captured(1, ['city'], filled), updated(2)],
  ],
])('a timeline explains a lead that was %s', (_, of, entries) => {
  expect(unexplained(of, ...entries)).toEqual([]);
});

test.each<[string, Lead, TimelineEntry[], (keyof Explained)[]]>([
  ['another stage', lead({ stageId: 12 }), [opening], ['valuesDigest']],
  ['another pipeline', lead({ pipelineId: 2 }), [opening], ['valuesDigest']],
  ['another field', withFields({ city: 'Pune' }), [opening], ['valuesDigest']],
  ['another field than was imported', withFields({ city: 'Pune' }), [imported], ['valuesDigest']],
  ['a change without an entry', filled, [opening], ['change', 'valuesDigest']],
  ['an entry without its change', lead(), [opening, updated(1, lead())], ['change']],
  ['a lost entry between two', moved, [opening, updated(2, moved)], ['change']],
  [
    'a change since the import without an entry',
    lead({ version: 2, updatedAt: atSecond(4), archivedAt: atSecond(4) }),
    [imported],
    ['version'],
  ],
  ['another creation', lead({ createdAt: atSecond(1) }), [opening], ['createdAt']],
  ['an archival without an entry', lead({ archivedAt: atSecond(0) }), [opening], ['archivedAt']],
  [
    'a restoration without an entry',
    lead({ version: 2, updatedAt: atSecond(1) }),
    [opening, archived(1, 'archived')],
    ['archivedAt'],
  ],
])('a timeline does not explain a lead with %s', (_, of, entries, parts) => {
  expect(unexplained(of, ...entries)).toEqual(parts);
});
