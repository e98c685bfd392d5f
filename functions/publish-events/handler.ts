import { type EventBus, openEventBus } from '../../shared/events/event-bus.ts';
import { type PendingEvent, publishInOrder } from '../../shared/events/publish-in-order.ts';
import { log } from '../../shared/observability/log.ts';
import {
  eventInRecord,
  leadOfRecord,
  type StreamRecord,
} from '../../shared/store/leads/stream-record.ts';

/** What Lambda sends for a batch of the table's stream, and what it expects in return (AWS: Using Lambda with DynamoDB Streams). */
interface StreamBatch {
  readonly Records: readonly StreamRecord[];
}
interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

const publisher = 'publish-events';

/** An error that shows where parsing failed. It omits the original message, which may quote the record's text. */
function withoutMessage(error: unknown): Error {
  const unparsed = new Error(
    "Skipped a stream record that cannot be parsed. The lead's timeline has the item; no event was published.",
  );
  const frames = (error instanceof Error && error.stack?.match(/^ {4}at .*$/gm)) || [];
  unparsed.stack = [`Error: ${unparsed.message}`, ...frames].join('\n');
  return unparsed;
}

let bus: EventBus | undefined;

/**
 * Publishes the events of new timeline entries. Not an endpoint: with `events: true`, Lambda calls it with batches of the table's stream.
 * Lambda retries a batch from the record that the response names, so an event can be published twice. Only a record that cannot be parsed
 * is skipped: no retry could parse it, and each would delay every later record of its shard.
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
      log('error', 'unreadable', {
        requestId,
        endpoint: publisher,
        ...lead,
        error: withoutMessage(error),
      });
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
