import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CommandError } from '../../../infra/cli/command.ts';
import { LocalEvents } from '../../../infra/local/events.ts';
import { useFolder } from '../given-folder.ts';

const files = useFolder();

const open = (path: string) => LocalEvents.open(path, () => undefined);

test('a file of events loses only an incomplete last line, however large it is', async () => {
  const file = files.path('years-of-events.jsonl');
  const wholeBytes = 2 ** 31 + 1;
  writeFileSync(file, '');
  truncateSync(file, wholeBytes - 1); // a hole, which takes no space on the disk
  appendFileSync(file, '\n{"version":"0","id":"torn');

  await open(file);

  expect(statSync(file).size).toBe(wholeBytes);
});

test.each([
  ['the file or its folder does not exist', 'missing/events.jsonl'],
  ['it is a folder', '.'],
])('a file of events that cannot be written is refused: %s', async (reason, name) => {
  const path = files.path(name);

  await expect(open(path)).rejects.toThrow(
    new CommandError(`--events ${path}: the file cannot be written: ${reason}.`),
  );
});

test.each([
  ['a settings file in one line', '{"id":1,"name":"Northwind Academy"}'],
  ['a file without a last line feed', 'LEADS_TABLE=leads\nAWS_REGION=ap-south-1'],
])('a file of something else is refused for events, and left as it is: %s', async (_, text) => {
  const path = files.path('other-file');
  writeFileSync(path, text);

  await expect(open(path)).rejects.toThrow(
    `--events ${path}: the file ends in a line that is not an event`,
  );

  expect(readFileSync(path, 'utf8')).toBe(text);
});
