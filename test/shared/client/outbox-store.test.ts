import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { OutboxEntry } from '../../../shared/client/outbox-store.ts';
import { fileStore } from '../../../shared/client/outbox-store.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'file-store-')), 'outbox');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(join(folder, '..'), { recursive: true, force: true });
});

const entry = (digit: string): OutboxEntry => ({
  key: digit.repeat(64),
  enquiry: { name: 'Zoë आशा', phone: '98220 12345' },
  idempotencyKey: 'k',
  state: 'waiting',
  addedAt: '2026-11-21T10:00:00.000Z',
  attempts: 0,
  firstSentAt: null,
  nextAttemptAt: '2026-11-21T10:00:00.000Z',
  lastError: null,
  refused: {},
  removed: {},
});

test('a store without a folder is empty, and the first entry makes the folder for its owner only', async () => {
  const store = fileStore(folder);

  expect([await store.list(), await store.get('a'.repeat(64))]).toEqual([[], undefined]);
  await store.put(entry('a'));

  expect(await store.list()).toEqual([entry('a')]);
  const [name = ''] = await readdir(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
});

test('an entry is replaced, read and deleted by its key, and a missing one is no error', async () => {
  const store = fileStore(folder);
  await store.put(entry('a'));
  await store.put({ ...entry('a'), attempts: 2 });
  await store.put(entry('b'));

  expect((await store.get('a'.repeat(64)))?.attempts).toBe(2);
  await store.delete('a'.repeat(64));
  await store.delete('a'.repeat(64));

  expect((await store.list()).map(({ key }) => key)).toEqual(['b'.repeat(64)]);
});

test('many simultaneous processes leave a whole file', async () => {
  const stores = Array.from({ length: 8 }, () => fileStore(folder));

  await Promise.all(stores.map((store, attempts) => store.put({ ...entry('a'), attempts })));

  expect(await readdir(folder)).toHaveLength(1);
  expect(await stores[0]?.get('a'.repeat(64))).toMatchObject({ key: 'a'.repeat(64) });
});

test('half an entry that a killed process left is not listed, and is deleted after an hour', async () => {
  const store = fileStore(folder);
  await store.put(entry('a'));
  for (const name of ['old.part', 'new.part']) await writeFile(join(folder, name), '{"key":');
  const before = new Date(Date.now() - 2 * 3_600_000);
  await utimes(join(folder, 'old.part'), before, before);

  expect(await store.list()).toEqual([entry('a')]);
  expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual(['new.part']);
});

test('a damaged file is reported, and does not block other entries', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const store = fileStore(folder);
  await store.put(entry('a'));
  await writeFile(join(folder, 'b.json'), 'not JSON');

  expect(await store.list()).toEqual([entry('a')]);
  expect(printed.mock.calls.join()).toMatch(/b\.json is not an entry/);
});

test('a runtime without files is told to pass its own store to the outbox', async () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);

  await expect(fileStore(folder).put(entry('a'))).rejects.toThrow(/give the outbox a store/);
  await expect(fileStore(folder).list()).rejects.toThrow(/has no files/);
});

test('a key that is not a digest cannot name a file elsewhere', async () => {
  await expect(fileStore(folder).get('../../etc/passwd')).rejects.toThrow(/is not an outbox key/);
});
