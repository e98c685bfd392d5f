import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '../../../infra/cli/listen.ts';

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
  const port = await listen(server, 0);
  return {
    /** `AWS_ENDPOINT_URL_EVENTBRIDGE` of the publisher. */
    endpoint: `http://127.0.0.1:${port}`,
    entries: entries as readonly PutEventsEntry[],
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
