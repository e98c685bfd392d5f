import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publisherName } from '../../../infra/bundle/built-functions.ts';
import { bundleFunctions } from '../../../infra/bundle/bundle.ts';
import { json, startAwsServer } from '../../support/aws/aws-server.ts';

const run = promisify(execFile);
let folder: string;
const published: { readonly Detail: string }[] = [];
let bus: Awaited<ReturnType<typeof startAwsServer>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'publish-events-test-'));
  const publisher = (await bundleFunctions()).get(publisherName)!;
  await writeFile(join(folder, 'index.mjs'), publisher.code);
  bus = await startAwsServer(({ body }) => {
    const { Entries } = JSON.parse(body) as { Entries: typeof published };
    published.push(...Entries);
    return json({ FailedEntryCount: 0, Entries: Entries.map((_, at) => ({ EventId: `${at}` })) });
  });
});
afterAll(async () => {
  bus.close();
  await rm(folder, { recursive: true });
});

/** Runs the built function with a batch, in a process of its own. @returns what it printed, and its response */
async function publish(Records: readonly object[]): Promise<{ lines: string[]; response: object }> {
  const script = `const { handler } = await import(${JSON.stringify(pathToFileURL(join(folder, 'index.mjs')).href)});
    console.log(JSON.stringify(await handler(${JSON.stringify({ Records })}, { awsRequestId: 'batch-1' })));`;
  const env = {
    EVENT_BUS: 'leads',
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint,
    AWS_REGION: 'ap-south-1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
    env,
  });
  const lines = stdout.trimEnd().split('\n');
  return { response: JSON.parse(lines.pop() ?? ''), lines };
}

const at = '2026-11-22T10:00:00.000Z';
const note = { type: 'note_added', at, actorId: 1, keyId: 'key-1', text: 'Call Zebediah back.' };
const record = (leadId: number, image: object): object => {
  const key = { pk: `TIMELINE#3#${leadId}`, sk: `${at}#00${leadId}` };
  return {
    eventName: 'INSERT',
    dynamodb: { SequenceNumber: String(leadId), Keys: marshall(key), NewImage: image },
  };
};
const itemRecord = (leadId: number, entry: object): object =>
  record(leadId, marshall({ pk: `TIMELINE#3#${leadId}`, sk: `${at}#00${leadId}`, ...entry }));

test('records that cannot be read are logged without their text, and the others are published', async () => {
  const unreadable = [
    itemRecord(1, { ...note, type: 'captured', filled: [], text: 'Zebediah' }),
    record(2, { pk: { S: 'TIMELINE#3#2' }, sk: { S: at }, text: { Zebediah: 'Zebediah' } }),
  ];

  const { lines, response } = await publish([
    itemRecord(7, note),
    ...unreadable,
    itemRecord(8, note),
  ]);

  expect(response).toEqual({ batchItemFailures: [] });
  expect(published.map(({ Detail }) => JSON.parse(Detail).leadId)).toEqual([7, 8]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    ...[1, 2].map((leadId) => ({
      level: 'ERROR',
      message: 'unreadable',
      requestId: 'batch-1',
      endpoint: 'publish-events',
      organizationId: 3,
      leadId,
      error: { message: expect.any(String), stack: expect.stringContaining(' at ') },
    })),
    { level: 'INFO', message: 'published', events: 2, published: 2 },
  ]);
  expect(lines.join('\n')).not.toContain('Zebediah');
});
