import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEvents } from '../../../infra/local/events.ts';
import { StartError } from '../../../infra/local/start-error.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'events-file-test-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const open = (path: string) => openEvents(path, () => undefined);

test('a file of events that is opened again loses an incomplete last line, and nothing else', async () => {
  const file = join(folder, 'events.jsonl');
  writeFileSync(file, '{"version":"0","id":"whole"}\n{"version":"0","id":"torn');

  await (await open(file)).stop();

  expect(readFileSync(file, 'utf8')).toBe('{"version":"0","id":"whole"}\n');
});

test.each([
  ['its folder does not exist', 'missing/events.jsonl'],
  ['it is a folder', '.'],
])('a file of events that cannot be written is refused: %s', async (reason, name) => {
  const path = join(folder, name);

  const refused = open(path);

  await expect(refused).rejects.toThrow(StartError);
  await expect(refused).rejects.toThrow(`--events ${path}: the file cannot be written: ${reason}.`);
});

test.each([
  ['a settings file in one line', '{"id":1,"name":"Northwind Academy"}'],
  ['a file without a last line feed', 'LEADS_TABLE=leads\nAWS_REGION=ap-south-1'],
])('a file of something else is refused for events, and left as it is: %s', async (_, text) => {
  const path = join(folder, 'other-file');
  writeFileSync(path, text);

  await expect(open(path)).rejects.toThrow(
    `--events ${path}: the file ends in a line that is not an event`,
  );

  expect(readFileSync(path, 'utf8')).toBe(text);
});
