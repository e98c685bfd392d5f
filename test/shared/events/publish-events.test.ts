import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { handler } from '../../../functions/publish-events.ts';
import { json, startAwsServer } from '../../support/aws/aws-server.ts';
import { keepLines, lines, logged } from '../middleware/logged-lines.ts';

keepLines();

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

  const published: { readonly Detail: string }[] = [];
  const bus = await startAwsServer(({ body }) => {
    const { Entries } = JSON.parse(body) as { Entries: typeof published };
    published.push(...Entries);
    return json({ FailedEntryCount: 0, Entries: Entries.map((_, at) => ({ EventId: `${at}` })) });
  });
  onTestFinished(() => {
    bus.close();
    vi.unstubAllEnvs();
  });
  vi.stubEnv('EVENT_BUS', 'leads');
  vi.stubEnv('AWS_ENDPOINT_URL_EVENTBRIDGE', bus.endpoint);
  vi.stubEnv('AWS_REGION', 'ap-south-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');

  const Records = [itemRecord(7, note), ...unreadable, itemRecord(8, note)];
  const response = await handler({ Records }, { awsRequestId: 'batch-1' });

  expect(response).toEqual({ batchItemFailures: [] });
  expect(published.map(({ Detail }) => JSON.parse(Detail).leadId)).toEqual([7, 8]);
  expect(published[0]).toMatchObject({ EventBusName: 'leads', Source: 'lead-service' });
  expect(logged()).toMatchObject([
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
  expect(lines.join()).not.toContain('Zebediah');
});
