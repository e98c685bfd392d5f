import { open, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { formOf } from '../../../infra/admin/lead/export.ts';
import { Numbers, timelinesForm } from '../../../infra/admin/lead/timelines.ts';
import { type RecordForm, writeRecords } from '../../../infra/cli/resumable-file.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { openTable } from '../../../shared/store/table/client.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { useFolder } from '../given-folder.ts';

/** A power of two, so that an array that doubles when it is full has no spare room. */
const records = 2 ** 18;
/** Code and buffers, which do not grow with the file. */
const otherBytes = 2;
/** Both read a long file, which takes a busy machine a while. */
const slow = { timeout: 60_000 };

const files = useFolder();

async function fileOf(lineOf: (leadId: number) => string): Promise<string> {
  const path = files.path('records.jsonl');
  const file = await open(path, 'w');
  for (let from = 0; from < records; from += 8192) {
    const lines = Array.from({ length: 8192 }, (_, index) => `${lineOf(from + index + 1)}\n`);
    await file.appendFile(lines.join(''));
  }
  await file.close();
  return path;
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
/** The least of several readings: what a stream has read is freed a moment after its end. */
async function usedBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let reading = 0; reading < 5; reading += 1) {
    await sleep(20);
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    least = Math.min(least, heapUsed + arrayBuffers);
  }
  return least;
}

/** What remains in memory of each record while the file is open. */
async function bytesPerRecord<Id>(path: string, form: RecordForm<Id>): Promise<number> {
  const before = await usedBytes();
  let bytes = 0;
  const earlier = await writeRecords({ out: path, resume: true }, form, async () => {
    bytes = ((await usedBytes()) - before) / records;
  });
  expect(earlier.count).toBe(records);
  return bytes;
}

test('resumed timelines remember each item of their file in 16 bytes', slow, async () => {
  const path = await fileOf(
    (leadId) => `{"leadId":${leadId},"id":"2026-11-21#${leadId}","type":"archived"}`,
  );
  const form = { ...timelinesForm(openTable('no table'), 1), assertOwn: async () => undefined };

  const bytes = await bytesPerRecord(path, form);

  expect(bytes).toBeLessThan(16 + otherBytes);
});

test.each([
  ['csv', false],
  ['csv', true],
  ['jsonl', false],
] as const)(
  'a %s export of many chunks (Excel: %j) that is cut anywhere is completed by what it lacks',
  async (format, excel) => {
    const leads = Array.from({ length: 3000 }, (_, index) => leadOf(index + 1));
    const { heading, lineOf } = formOf(sampleOrganization(), format, undefined, excel);
    const lines = leads.map(lineOf);
    const whole = Buffer.from(heading + lines.join(''));
    const path = files.path(`cut.${format}`);
    expect(whole.length).toBeGreaterThan(5 * 65_536);

    const parts = [0.2, 0.5, 0.77, 0.9999, 1].map((part) => Math.floor(part * whole.length));
    // The first bytes are a byte order mark, if the file has one.
    for (const length of [0, 1, 2, 3, ...parts]) {
      await writeFile(path, whole.subarray(0, length));
      const form = formOf(sampleOrganization(), format, undefined, excel);
      const options = { out: path, resume: true };
      const earlier = await writeRecords(options, form, (write, { last = 0 }) =>
        write(lines.slice(last)),
      );

      expect(earlier.last ?? 0).toBe(earlier.count);
      expect((await readFile(path)).equals(whole)).toBe(true);
    }
  },
);

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

test('the numbers of a file are counted, in whatever order they were added', () => {
  const given = Array.from({ length: 3000 }, (_, index) => 2n ** 63n + BigInt(index * 7919));
  const numbers = new Numbers();
  for (const number of [...given.toReversed(), ...given.slice(1)]) numbers.add(number);
  numbers.sort();

  expect(given.map((number) => numbers.count(number))).toEqual([1, ...Array(2999).fill(2)]);
  expect(given.filter((number) => numbers.count(number + 1n) > 0)).toEqual([]);
});
