import type { TableEnvironment } from './engine.ts';
import { startEventBus } from './event-bus.ts';
import { EventSource } from './event-source.ts';
import type { Functions } from './functions.ts';
import { streamOf } from './table-stream.ts';

/** What stands for the bus and the event source mapping of a deployment with `events: true`. */
export interface LocalEvents {
  /** What the publisher needs. */
  readonly environment: Readonly<Record<string, string>>;
  /** Begins to read the table's stream. @throws StartError for a table without a stream */
  start(environment: TableEnvironment, functions: Functions): Promise<void>;
  /** Publishes what the stream has, as far as there is time. */
  stop(): Promise<void>;
}

/** The rest of the five seconds of a stop is for the requests in flight and the engine. */
const finishWithinMs = 1000;

/** @param path the events; `path.position` keeps how far they are published. @throws StartError when the file cannot be written */
export async function startLocalEvents(
  path: string,
  tell: (sentence: string) => void,
): Promise<LocalEvents> {
  const bus = await startEventBus(path);
  let source: EventSource | undefined;
  return {
    environment: { EVENT_BUS: 'local', AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint },
    async start(environment, functions) {
      const streamArn = await streamOf(environment);
      const positionFile = `${path}.position`;
      source = new EventSource({ environment, streamArn, functions, positionFile, tell });
      source.start();
    },
    async stop() {
      await source?.stop(finishWithinMs);
      await bus.stop();
    },
  };
}
