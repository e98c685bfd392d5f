import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { jsonSchema } from '../../../infra/openapi/event-schemas.ts';
import { eventOf, eventTypes, type LeadEvent } from '../../../shared/leads/events.ts';
import type { TimelineEntry } from '../../../shared/leads/timeline.ts';

const at = '2026-11-20T10:00:00.123Z';
const place = { organizationId: 1, leadId: 5, id: `${at}#0a1b2c3d4e5f` };
const base = { ...place, at };
const byUser = { ...base, keyId: 'abc', userId: 7 };
const byAdministrator = { ...base, keyId: null, userId: null };
const secret = 'Rohan +919822012345 rohan@example.com';
const enquiry = {
  at,
  actorId: 7,
  keyId: 'abc',
  keyLabel: secret,
  source: secret,
  submittedSource: secret,
  notes: secret,
  attribution: { pageUrl: secret },
};
const kept = [{ field: 'name', current: secret, submitted: secret }];

const cases: readonly [TimelineEntry, LeadEvent['type'], object][] = [
  [{ type: 'lead_created', at, actorId: 7, via: 'api', keyId: 'abc' }, 'LeadCreated', byUser],
  [
    { type: 'captured_new', ...enquiry, filled: [], kept: [] },
    'LeadCaptured',
    { ...byUser, created: true, filled: [], kept: [] },
  ],
  [
    { type: 'captured', ...enquiry, filled: ['city'], kept, archived: true },
    'LeadCaptured',
    { ...byUser, created: false, filled: ['city'], kept: ['name'] },
  ],
  [
    {
      type: 'lead_updated',
      at,
      actorId: 7,
      via: 'api',
      keyId: 'abc',
      changes: [
        { field: 'email', from: null, to: secret },
        { field: 'stage', from: 11, to: 12 },
      ],
    },
    'LeadUpdated',
    { ...byUser, changed: ['email', 'stage'] },
  ],
  [
    { type: 'note_added', at, actorId: 7, via: 'api', keyId: 'abc', text: secret },
    'NoteAdded',
    byUser,
  ],
  [{ type: 'archived', at, actorId: null }, 'LeadArchived', byAdministrator],
  [{ type: 'restored', at, actorId: null }, 'LeadRestored', byAdministrator],
  [{ type: 'erased', at, actorId: null }, 'LeadErased', byAdministrator],
];

const ajv = new Ajv2020({ formats: { 'date-time': true } });
const envelope = (type: string, detail: object) => ({
  version: '0',
  id: 'b0a1',
  source: 'lead-service',
  'detail-type': type,
  time: '2026-11-20T10:00:00Z',
  detail,
});

describe('the event of a timeline entry', () => {
  test.each(cases)(
    'of $0.type has no value of a person, and conforms to the schema of its type alone',
    (entry, type, detail) => {
      const schema = jsonSchema(type) as { properties: { detail: { properties: object } } };
      const validate = ajv.compile(schema);

      const event = eventOf(place, entry);

      expect(event).toEqual({ type, time: at, detail });
      expect(JSON.stringify(event)).not.toContain(secret);
      expect(Object.keys(schema.properties.detail.properties).sort()).toEqual(
        Object.keys(detail).sort(),
      );
      expect(validate(envelope(type, detail))).toBe(true);
      expect(validate(envelope('Other', detail))).toBe(false);
      expect(validate(envelope(type, { ...detail, leadId: '5' }))).toBe(false);
    },
  );

  test('of an imported lead is dated by the import, and keeps the time of its origin', () => {
    const importedAt = '2026-11-21T00:00:00.000Z';
    const entry = { type: 'lead_created', at, actorId: null, via: 'import', importedAt } as const;

    expect(eventOf(place, entry)).toEqual({
      type: 'LeadImported',
      time: importedAt,
      detail: byAdministrator,
    });
  });

  test('exists for every type, and for no type that this release does not know', () => {
    const later = { type: 'merged', at, actorId: null } as unknown as TimelineEntry;

    expect(new Set([...cases.map(([, type]) => type), 'LeadImported'])).toEqual(
      new Set(eventTypes),
    );
    expect(eventOf(place, later)).toBeUndefined();
  });
});
