import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/publish-events/handler.ts';
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

const published: { readonly Detail: string }[] = [];
/** The bus refuses every request with an event of this lead. */
const refusedLead = 99;
// The publisher opens its bus once.
let bus: Awaited<ReturnType<typeof startAwsServer>>;
beforeAll(async () => {
  bus = await startAwsServer(({ body }) => {
    const { Entries } = JSON.parse(body) as { Entries: typeof published };
    if (Entries.some(({ Detail }) => JSON.parse(Detail).leadId === refusedLead))
      return [400, '{"__type":"AccessDeniedException"}'];
    published.push(...Entries);
    return json({ FailedEntryCount: 0, Entries: Entries.map((_, at) => ({ EventId: `${at}` })) });
  });
});
afterAll(() => bus.close());

async function publish(...Records: object[]): Promise<{ leadIds: unknown[]; response: object }> {
  vi.stubEnv('EVENT_BUS', 'leads');
  vi.stubEnv('AWS_ENDPOINT_URL_EVENTBRIDGE', bus.endpoint);
  vi.stubEnv('AWS_REGION', 'ap-south-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  published.length = 0;
  const response = await handler({ Records }, { awsRequestId: 'batch-1' });
  vi.unstubAllEnvs();
  return { leadIds: published.map(({ Detail }) => JSON.parse(Detail).leadId), response };
}

test('records that cannot be parsed are logged without their text, and the others are published', async () => {
  const unreadable = [
    itemRecord(1, { ...note, type: 'captured', filled: [], text: 'Zebediah' }),
    record(2, { pk: { S: 'TIMELINE#3#2' }, sk: { S: at }, text: { Zebediah: 'Zebediah' } }),
  ];
  const removed = { ...itemRecord(3, note), eventName: 'REMOVE' };

  const sent = [itemRecord(7, note), ...unreadable, removed, itemRecord(8, note)];
  const { leadIds, response } = await publish(...sent);

  expect([response, leadIds]).toEqual([{ batchItemFailures: [] }, [7, 8]]);
  expect(published[0]).toMatchObject({ EventBusName: 'leads', Source: 'lead-service' });
  const message =
    "Skipped a stream record that cannot be parsed. The lead's timeline has the item; no event was published.";
  expect(logged()).toMatchObject([
    ...[1, 2].map((leadId) => ({
      level: 'ERROR',
      message: 'unreadable',
      requestId: 'batch-1',
      endpoint: 'publish-events',
      organizationId: 3,
      leadId,
      error: {
        message,
        stack: expect.stringMatching(/^Error: Skipped .*published\.(\n {4}at .+)+$/),
      },
    })),
    { level: 'INFO', message: 'published', events: 2, published: 2 },
  ]);
  expect(lines.join()).not.toContain('Zebediah');
});

test('Lambda is told the first record that the bus refused, to repeat the batch from it', async () => {
  const { leadIds, response } = await publish(
    itemRecord(7, note),
    itemRecord(7, note),
    itemRecord(refusedLead, note),
  );

  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: '7' }] });
  expect(leadIds).toEqual([]);
  expect(logged()).toMatchObject([
    { level: 'ERROR', message: 'published', events: 3, published: 0 },
  ]);
});
