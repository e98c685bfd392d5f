import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import {
  type ImportRow,
  readImportRow,
  updatedByRow,
} from '../../../../shared/leads/transfer/import-row.ts';
import { leadOf } from '../../../support/leads.ts';
import { sampleOrganization } from '../../../support/settings.ts';

const createdAt = '2026-01-31T13:00:00.123Z';
const updatedAt = '2026-02-03T00:00:00.000Z';
const archivedAt = updatedAt;
const phone = '+919876543210';
const active = leadOf({ organizationId: 1, id: 5, createdAt, updatedAt }, { phone, city: 'Pune' });
const archived = { ...active, archivedAt };
const now = new Date('2026-03-01T00:00:00.000Z');
const mark = 'organization 1';

/** What a row of a file changes in a lead, or the columns for which the row is refused. */
function updated(lead: typeof active, properties: ImportRow['properties'], fields: object = {}) {
  try {
    const { lead: after } = updatedByRow(
      sampleOrganization(),
      { fields: { phone, ...fields }, properties },
      lead,
      now,
    );
    return { city: after.fields.city, stage: after.stageId, archivedAt: after.archivedAt };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return Object.keys(error.details?.fields as object);
  }
}

describe('an update by a row', () => {
  test.each([
    [
      'a time of creation that is not the lead’s',
      active,
      { createdAt: '2020-01-01' },
      'created at',
    ],
    ['a time of update that is not the lead’s', active, { updatedAt: '2026-02-04' }, 'updated at'],
    ['that an active lead is archived', active, { archived: 'yes' }, 'archived'],
    ['since when an active lead is archived', active, { archived: '2026-02-03' }, 'archived'],
    ['that an archived lead is active', archived, { archived: 'no' }, 'archived'],
    ['another time at which a lead was archived', archived, { archived: '2026-02-02' }, 'archived'],
    ['neither a time nor yes', active, { archived: 'perhaps' }, 'archived'],
    ['of an exported lead that it is archived', active, { archived: 'x', mark }, 'archived'],
  ] as const)('is refused if it says %s', (_, lead, properties, name) => {
    expect(updated(lead, properties)).toEqual([name]);
  });

  test('is refused if it says the time of update, and changes a field', () => {
    expect(updated(active, { updatedAt }, { city: 'Goa' })).toEqual(['updated at']);
  });

  test.each([
    ['the lead’s own times', active, { createdAt, updatedAt, archived: '' }],
    ['that an active lead is not archived', active, { archived: false }],
    ['that an archived lead is archived', archived, { archived: 'yes' }],
    ['since when it is archived', archived, { archived: archivedAt }],
    [
      'the times of an older export',
      archived,
      { createdAt: '1/2/20', updatedAt, archived: 'x', mark },
    ],
  ] as const)('changes nothing if it says %s', (_, lead, properties) => {
    expect(updated(lead, properties)).toMatchObject({ city: 'Pune', stage: 11 });
  });

  test('that names only another pipeline moves the lead to its starting stage', () => {
    expect(updated(active, { pipeline: 'Corporate' })).toMatchObject({ stage: 21 });
    expect(updated({ ...active, stageId: 12 }, { pipeline: 1 })).toMatchObject({ stage: 12 });
  });
});

describe('a row of an export', () => {
  const organization = sampleOrganization();
  const properties = { mark, leadId: '5' };
  const rowOf = (fields: ImportRow['fields']): ImportRow => ({
    fields: { name: 'Asha', phone, ...fields },
    properties,
  });

  test.each<[string, ImportRow['fields'], number | undefined]>([
    ['is written under any settings if all of it is active', { source: '3' }, undefined],
    ['is so with a phone that would be refused today', { phone: '+9112345' }, undefined],
    ['checks the settings for an inactive source', { source: '4' }, 1],
    ['checks the settings for an inactive user', { mentor: '9' }, 1],
    ['checks the settings for an inactive field', { old_notes: 'x' }, 1],
  ])('%s', (_, fields, settingsVersion) => {
    const read = readImportRow(organization, rowOf(fields), now.toISOString());
    const lead = { ...active, fields: { ...active.fields, phone: String(fields.phone ?? phone) } };
    const update = updatedByRow(organization, rowOf(fields), lead, now);

    expect([read, update]).toMatchObject([{ settingsVersion }, { settingsVersion }]);
  });

  test('checks no settings in an update for values that its lead already has', () => {
    const lead = { ...active, fields: { ...active.fields, source: 4, old_notes: 'x' } };
    const row = rowOf({ source: '4', old_notes: 'x', city: 'Goa' });

    expect(updatedByRow(organization, row, lead, now).settingsVersion).toBeUndefined();
  });
});
