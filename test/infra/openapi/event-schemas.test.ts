import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { jsonSchema } from '../../../infra/openapi/event-schemas.ts';
import { eventOf, eventTypes } from '../../../shared/leads/events.ts';
import type { TimelineEntry } from '../../../shared/leads/timeline.ts';
import { node24, projectFolder } from '../../support/service-process.ts';

const at = '2026-11-20T10:00:00.123Z';
const byUser = { at, actorId: 7, keyId: 'abc' };
const entries: Readonly<Record<(typeof eventTypes)[number], TimelineEntry>> = {
  LeadCreated: { type: 'lead_created', via: 'api', ...byUser },
  LeadCaptured: {
    type: 'captured',
    ...byUser,
    keyLabel: 'l',
    source: 's',
    filled: ['a'],
    kept: [],
  },
  LeadUpdated: {
    type: 'lead_updated',
    via: 'api',
    ...byUser,
    changes: [{ field: 'stage', from: 1, to: 2 }],
  },
  NoteAdded: { type: 'note_added', via: 'api', ...byUser, text: 't' },
  LeadArchived: { type: 'archived', at, actorId: null },
  LeadRestored: { type: 'restored', at, actorId: null },
  LeadImported: { type: 'lead_created', via: 'import', at, actorId: null, importedAt: at },
  LeadErased: { type: 'erased', at, actorId: null },
};
const ajv = new Ajv2020({ formats: { 'date-time': true } });
const envelope = (type: string, detail: unknown) => ({
  version: '0',
  id: 'b0a1',
  source: 'lead-service',
  'detail-type': type,
  time: '2026-11-20T10:00:00Z',
  detail,
});

describe('the schema of an event', () => {
  test.each(eventTypes)(
    '%s accepts its event with exactly these members, and no other type',
    (type) => {
      const event = eventOf({ organizationId: 1, leadId: 5, id: 'i' }, entries[type]);
      const validate = ajv.compile(jsonSchema(type));
      const properties = (jsonSchema(type) as { properties: { detail: { properties: object } } })
        .properties.detail.properties;

      expect(event?.type).toBe(type);
      expect(validate(envelope(type, event?.detail))).toBe(true);
      expect(Object.keys(event?.detail ?? {}).sort()).toEqual(Object.keys(properties).sort());
      expect(validate(envelope('Other', event?.detail))).toBe(false);
      expect(validate(envelope(type, { ...event?.detail, leadId: '5' }))).toBe(false);
    },
  );
});

test('npm run events writes the schema of every event into a folder that it creates', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'event-schemas-'));
  const out = join(folder, 'new', 'schemas');
  try {
    const { stdout } = await promisify(execFile)(
      node24,
      ['infra/openapi/event-schemas.ts', '--out', out],
      { cwd: projectFolder },
    );

    expect(stdout).toBe(`Wrote 8 schemas to ${out}.\n`);
    expect(await readdir(out)).toHaveLength(8);
    const written = await readFile(join(out, 'LeadCaptured.json'), 'utf8');
    expect(JSON.parse(written)).toEqual(jsonSchema('LeadCaptured'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
