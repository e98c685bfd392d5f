import { expect, test } from 'vitest';
import type { FieldValues, Lead } from '../../../shared/leads/lead.ts';
import type { TimelineEntry } from '../../../shared/leads/timeline.ts';
import {
  type Explained,
  explainedBy,
  TimelineReplay,
  unexplainedParts,
  valuesDigestOf,
} from '../../../shared/leads/timeline-replay.ts';

const at = (second: number): string => `2026-01-31T09:30:0${second}.000Z`;
const lead = (more: Partial<Lead> = {}): Lead => ({
  id: 5,
  organizationId: 1,
  version: 1,
  fields: { name: 'Asha', phone: '+919812345678', lead_type: 'student' },
  stageId: 11,
  pipelineId: 1,
  createdAt: at(0),
  updatedAt: at(0),
  ...more,
});
const withFields = (fields: FieldValues, more: Partial<Lead> = {}): Lead =>
  lead({ ...more, fields: { ...lead().fields, ...fields } });

const origin = { actorId: 7, keyId: 'k' };
const opening: TimelineEntry = {
  ...origin,
  type: 'lead_created',
  at: at(0),
  via: 'api',
  valuesDigest: valuesDigestOf(lead()),
};
const enquiry = { ...origin, keyLabel: 'site', source: 'Website', kept: [] };
const captured = (second: number, filled: string[], after?: Lead): TimelineEntry => ({
  ...enquiry,
  type: 'captured',
  at: at(second),
  filled,
  ...(after && { valuesDigest: valuesDigestOf(after) }),
});
const updated = (second: number, after?: Lead): TimelineEntry => ({
  ...origin,
  type: 'lead_updated',
  at: at(second),
  via: 'api',
  changes: [],
  ...(after && { valuesDigest: valuesDigestOf(after) }),
});
const noted: TimelineEntry = {
  ...origin,
  type: 'note_added',
  at: at(9),
  via: 'api',
  text: 'Called.',
};
const archived = (second: number, type: 'archived' | 'restored'): TimelineEntry => ({
  type,
  at: at(second),
  actorId: null,
});
const imported: TimelineEntry = {
  type: 'lead_created',
  at: at(0),
  actorId: null,
  via: 'import',
  importedAt: at(9),
  valuesDigest: valuesDigestOf(lead()),
};

function unexplained(of: Lead, ...entries: TimelineEntry[]): (keyof Explained)[] {
  const replay = new TimelineReplay();
  for (const entry of entries) replay.add(entry);
  expect(replay.openings).toBe(1);
  return unexplainedParts(explainedBy(of), replay.explained);
}

const filled = withFields({ city: 'Pune' }, { version: 2, updatedAt: at(1) });
const moved = { ...filled, stageId: 12, version: 3, updatedAt: at(2) };
const hidden = { ...moved, version: 4, updatedAt: at(3), archivedAt: at(3) };

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
    lead({ version: 3, updatedAt: at(2) }),
    [opening, archived(1, 'archived'), archived(2, 'restored')],
  ],
  [
    'imported as it was changed and archived elsewhere',
    lead({ updatedAt: at(4), archivedAt: at(4) }),
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
    lead({ version: 2, updatedAt: at(4), archivedAt: at(4) }),
    [imported],
    ['version'],
  ],
  ['another creation', lead({ createdAt: at(1) }), [opening], ['createdAt']],
  ['an archival without an entry', lead({ archivedAt: at(0) }), [opening], ['archivedAt']],
  [
    'a restoration without an entry',
    lead({ version: 2, updatedAt: at(1) }),
    [opening, archived(1, 'archived')],
    ['archivedAt'],
  ],
])('a timeline does not explain a lead with %s', (_, of, entries, parts) => {
  expect(unexplained(of, ...entries)).toEqual(parts);
});
