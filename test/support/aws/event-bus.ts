import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** An entry of `PutEvents` (AWS: PutEventsRequestEntry). */
interface PutEventsEntry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
}

/** Stands for EventBridge: takes every event that is sent to its endpoint. */
export async function startEventBus() {
  const entries: PutEventsEntry[] = [];
  const server = createServer(async (request, response) => {
    const { Entries } = (await json(request)) as { Entries: PutEventsEntry[] };
    entries.push(...Entries);
    const body = { FailedEntryCount: 0, Entries: Entries.map((_, at) => ({ EventId: `${at}` })) };
    response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    /** `AWS_ENDPOINT_URL_EVENTBRIDGE` of the publisher. */
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    entries: entries as readonly PutEventsEntry[],
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
