import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { formOf } from '../../../infra/admin/lead/export.ts';
import { writeRecords } from '../../../infra/cli/resumable-file.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();

test('an export of many chunks that is cut anywhere is completed by what it lacks', async () => {
  const leads = Array.from({ length: 3000 }, (_, index) => leadOf(index + 1));
  const form = formOf(sampleOrganization(), 'jsonl', {});
  const lines = leads.map(form.lineOf);
  const whole = Buffer.from(lines.join(''));
  const path = files.path('cut.jsonl');
  expect(whole.length).toBeGreaterThan(5 * 65_536);

  const parts = [0.2, 0.5, 0.77, 0.9999, 1].map((part) => Math.floor(part * whole.length));
  for (const length of [0, 1, 2, 3, ...parts]) {
    await writeFile(path, whole.subarray(0, length));
    let added = 0;
    const ids = await writeRecords({ out: path, resume: true }, form, async (write) => {
      added = await write(lines);
    });

    expect(added).toBe(leads.length - ids.size);
    expect((await readFile(path)).equals(whole)).toBe(true);
  }
});

const leadOf = (id: number): Lead => ({
  id,
  organizationId: 1,
  version: 1,
  fields: {
    name: 'Zoë',
    phone: `+9198${id}`,
    lead_type: 'student',
    remarks: `one\n"two", ${'three '.repeat(id % 30)}`,
  },
  stageId: 11,
  pipelineId: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
});
