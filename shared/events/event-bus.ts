import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { eventSource, type LeadEvent } from '../leads/events.ts';
import { recordFailedOperation } from '../observability/failed-operation.ts';

export interface EventBus {
  /** Publishes up to ten events. @returns for each event whether the bus accepted it @throws Error if that is unknown */
  readonly put: (events: readonly LeadEvent[]) => Promise<boolean[]>;
}

/** No request waits for the publisher, so EventBridge gets more time than the table. Three attempts fit into the function's time-out. */
const clientTimeouts = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 1000,
    requestTimeout: 3000,
    throwOnRequestTimeout: true,
    socketTimeout: 3000,
  },
};

/** Opens the bus that `EVENT_BUS` names. @throws Error when it is not set */
export function openEventBus(): EventBus {
  const { EVENT_BUS: name } = process.env;
  if (!name) throw new Error('EVENT_BUS is not set: set it to the name of the EventBridge bus.');
  const client = new EventBridgeClient(clientTimeouts);
  const putEvents = async (events: readonly LeadEvent[]) => {
    try {
      return await client.send(requestOf(name, events));
    } catch (error) {
      recordFailedOperation(error, 'PutEvents');
      throw error;
    }
  };
  return {
    put: async (events) => {
      const { Entries = [] } = await putEvents(events);
      return events.map((_, index) => Entries[index]?.EventId !== undefined);
    },
  };
}

const requestOf = (busName: string, events: readonly LeadEvent[]): PutEventsCommand =>
  new PutEventsCommand({
    Entries: events.map(({ type, time, detail }) => ({
      EventBusName: busName,
      Source: eventSource,
      DetailType: type,
      Time: new Date(time),
      Detail: JSON.stringify(detail),
    })),
  });
