import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reopenExportFile } from '../../../../infra/admin/lead/export-file.ts';
import { reopenTimelinesFile } from '../../../../infra/admin/lead/timelines-file.ts';

/** A power of two, so that an array that doubles when it is full has no spare room. */
const records = 2 ** 18;
/** Code and buffers, which do not grow with the file. */
const otherBytes = 2;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resume-memory-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(lineOf: (leadId: number) => string): Promise<string> {
  const path = join(folder, 'records.jsonl');
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
async function bytesPerRecord<Opened extends { handle: { close(): Promise<void> } }>(
  reopen: () => Promise<Opened>,
): Promise<{ bytes: number; opened: Opened }> {
  const before = await usedBytes();
  const opened = await reopen();
  const bytes = ((await usedBytes()) - before) / records;
  await opened.handle.close();
  return { bytes, opened };
}

test('a resumed export remembers each lead of its file in 4 bytes', async () => {
  const path = await fileOf(
    (leadId) => `{"leadId":${leadId},"leadServiceExport":"organization 1","fields":{}}`,
  );

  const { bytes, opened } = await bytesPerRecord(() =>
    reopenExportFile(path, { organizationId: 1, format: 'jsonl', heading: '' }),
  );

  expect(opened.leadIds.size).toBe(records);
  expect(bytes).toBeLessThan(4 + otherBytes);
});

test('resumed timelines remember each item of their file in 8 bytes', async () => {
  const path = await fileOf(
    (leadId) => `{"leadId":${leadId},"id":"2026-11-21#${leadId}","type":"archived"}`,
  );

  const { bytes, opened } = await bytesPerRecord(() => reopenTimelinesFile(path, async () => {}));

  expect(opened.ids.size).toBe(records);
  expect(bytes).toBeLessThan(8 + otherBytes);
});
