import { type EventBus, openEventBus } from '../shared/events/event-bus.ts';
import { type PendingEvent, publishInOrder } from '../shared/events/publish-in-order.ts';
import { log } from '../shared/log.ts';
import { eventInRecord, type StreamRecord } from '../shared/store/leads/stream-record.ts';

/** What Lambda sends for a batch of the table's stream, and what it reads of the response (AWS: Using Lambda with DynamoDB Streams). */
interface StreamBatch {
  readonly Records: readonly StreamRecord[];
}
interface BatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

let bus: EventBus | undefined;

/**
 * Publishes the events of new timeline entries. Not an endpoint: with `events: true`, Lambda calls it with batches of the table's stream.
 * Lambda repeats a batch from the record that the response names, so an event can come twice, but none is skipped.
 */
export const handler = async (
  { Records }: StreamBatch,
  { awsRequestId: requestId }: { readonly awsRequestId: string },
): Promise<BatchResponse> => {
  bus ??= openEventBus();
  const events = Records.flatMap((record): PendingEvent[] => {
    const event = eventInRecord(record);
    return event ? [{ sequenceNumber: record.dynamodb?.SequenceNumber ?? '', event }] : [];
  });
  const { published, firstUnpublished, error } = await publishInOrder(bus, events);
  const line = { requestId, endpoint: 'publish-events', events: events.length, published, error };
  log(firstUnpublished ? 'error' : 'info', 'published', line);
  return {
    batchItemFailures: firstUnpublished
      ? [{ itemIdentifier: firstUnpublished.sequenceNumber }]
      : [],
  };
};
