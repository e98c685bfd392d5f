import { type EventBus, openEventBus } from '../../shared/events/event-bus.ts';
import { type PendingEvent, publishInOrder } from '../../shared/events/publish-in-order.ts';
import { log } from '../../shared/observability/log.ts';
import {
  eventInRecord,
  leadOfRecord,
  type StreamRecord,
} from '../../shared/store/leads/stream-record.ts';

/** What Lambda sends for a batch of the table's stream, and what it reads of the response (AWS: Using Lambda with DynamoDB Streams). */
interface StreamBatch {
  readonly Records: readonly StreamRecord[];
}
interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

const publisher = 'publish-events';

/** What is wrong with a record, without the error's message, which may quote the record's text. */
function unread(error: unknown): Error {
  const own = new Error(
    'A record of the stream cannot be read. The timeline of its lead has the item.',
  );
  const frames = (error instanceof Error && error.stack?.match(/^ {4}at .*$/gm)) || [];
  own.stack = [`Error: ${own.message}`, ...frames].join('\n');
  return own;
}

let bus: EventBus | undefined;

/**
 * Publishes the events of new timeline entries. Not an endpoint: with `events: true`, Lambda calls it with batches of the table's stream.
 * Lambda repeats a batch from the record that the response names, so an event can come twice. Only a record that cannot be read is skipped:
 * no attempt can read it, and each would delay every later record of its shard.
 */
export const handler = async (
  { Records }: StreamBatch,
  { awsRequestId: requestId }: { readonly awsRequestId: string },
): Promise<BatchResponse> => {
  bus ??= openEventBus();
  const events = Records.flatMap((record): PendingEvent[] => {
    try {
      const event = eventInRecord(record);
      return event ? [{ sequenceNumber: record.dynamodb?.SequenceNumber ?? '', event }] : [];
    } catch (error) {
      const lead = leadOfRecord(record);
      log('error', 'unreadable', { requestId, endpoint: publisher, ...lead, error: unread(error) });
      return [];
    }
  });
  const { published, firstUnpublished, error } = await publishInOrder(bus, events);
  const line = { requestId, endpoint: publisher, events: events.length, published, error };
  log(firstUnpublished ? 'error' : 'info', 'published', line);
  return {
    batchItemFailures: firstUnpublished
      ? [{ itemIdentifier: firstUnpublished.sequenceNumber }]
      : [],
  };
};
