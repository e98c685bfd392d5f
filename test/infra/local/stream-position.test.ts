import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPosition, savePosition } from '../../../infra/local/stream-position.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'position-test-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the position in a stream is kept, and another stream or a damaged file begins anew', async () => {
  const file = join(folder, 'position');
  const position = { streamArn: 'a', shards: { one: { sequenceNumber: '7' } } };
  const before = await readPosition(file, 'a');
  await savePosition(file, position);

  expect(before).toEqual({ streamArn: 'a', shards: {} });
  expect(await readPosition(file, 'a')).toEqual(position);
  expect(await readPosition(file, 'b')).toEqual({ streamArn: 'b', shards: {} });
  writeFileSync(file, '{');
  expect(await readPosition(file, 'a')).toEqual({ streamArn: 'a', shards: {} });
});
