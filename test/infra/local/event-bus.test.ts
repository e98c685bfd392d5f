import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEventBus } from '../../../infra/local/event-bus.ts';
import { StartError } from '../../../infra/local/start-error.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-bus-test-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const putEvents = async (
  endpoint: string,
  leadIds: readonly number[],
): Promise<{ FailedEntryCount: number; Entries: { EventId: string }[] }> => {
  const Entries = leadIds.map((leadId) => ({
    Source: 'lead-service',
    DetailType: 'NoteAdded',
    Time: 1_795_283_844.717,
    Detail: JSON.stringify({ leadId }),
  }));
  return (
    await fetch(endpoint, { method: 'POST', body: JSON.stringify({ Entries }) })
  ).json() as never;
};

test('the local bus appends each event as a line, and removes an incomplete last line when it opens the file', async () => {
  const file = join(folder, 'events.jsonl');
  writeFileSync(file, '{"first":1}\n{"version":"0","id":"torn');
  const bus = await startEventBus(file);
  const [{ Entries, FailedEntryCount }] = await Promise.all([
    putEvents(bus.endpoint, [1, 2]),
    putEvents(bus.endpoint, [3]),
  ]);
  await bus.stop();

  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines[0]).toBe('{"first":1}');
  const events = lines.slice(1).map((line) => JSON.parse(line));
  expect(events.map(({ detail }) => detail.leadId).sort()).toEqual([1, 2, 3]);
  expect(FailedEntryCount).toBe(0);
  expect(events.map(({ id }) => id)).toContain(Entries[1]?.EventId);
  expect(events[0].time).toBe('2026-11-21T17:57:24Z');
});

test.each([
  ['its folder does not exist', 'missing/events.jsonl'],
  ['it is a folder', '.'],
])('the local bus refuses a file that it cannot write: %s', async (reason, name) => {
  const path = join(folder, name);

  const refused = startEventBus(path);

  await expect(refused).rejects.toThrow(StartError);
  await expect(refused).rejects.toThrow(`--events ${path}: the file cannot be written: ${reason}.`);
});

test.each([
  ['a settings file in one line', '{"id":1,"name":"Northwind Academy"}'],
  ['a file without a last line feed', 'LEADS_TABLE=leads\nAWS_REGION=ap-south-1'],
])(
  'the local bus refuses a file of something else, and leaves it as it is: %s',
  async (_, text) => {
    const path = join(folder, 'other-file');
    writeFileSync(path, text);

    await expect(startEventBus(path)).rejects.toThrow(
      `--events ${path}: the file ends in a line that is not an event`,
    );

    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);
