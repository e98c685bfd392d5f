import type { Server } from 'node:http';
import { stop as stopEsbuild } from 'esbuild';
import { endpoints } from '../../shared/contract/endpoints.ts';
import { localRequestTimeoutMs } from '../../shared/store/table/client.ts';
import { buildFunctions } from '../bundle/bundle.ts';
import { listen } from '../cli/listen.ts';
import { routerFor } from '../gateway/routes.ts';
import { type Engine, startEngine } from './engine.ts';
import { LocalEvents } from './events.ts';
import { Functions, workersPerFunctionIn } from './functions.ts';
import { createGateway } from './gateway.ts';
import { prepareTable, readOrganizationFiles, type ServedOrganization } from './prepare-table.ts';

export interface ServiceOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** A folder, or `:memory:`. */
  readonly db: string;
  readonly engine: string;
  /** Settings files; empty for the demo organization. */
  readonly organizations: readonly string[];
  /** The file to which events are appended; undefined for none. */
  readonly events?: string | undefined;
  /** Prints a sentence for the person who started the service. Never any part of a request. */
  readonly tell: (sentence: string) => void;
  /** Receives the functions' logs. */
  readonly output: NodeJS.WritableStream;
}

export interface Service {
  readonly baseUrl: string;
  readonly engine: Engine;
  readonly organizations: readonly ServedOrganization[];
  /** Accepts no more requests, finishes pending ones, and ends the engine. Takes at most five seconds. */
  stop(): Promise<void>;
}

/** How long a stop waits for pending requests. The rest of the five seconds is for the engine. */
const finishWithinMs = 3000;

/**
 * Builds, starts and connects everything (LOCAL.md, "Start"). Checks everything it can before it creates keys: only the ready line shows
 * them, so a start that is refused later would lose them.
 * @throws CommandError
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { tell, output } = options;
  const workersPerFunction = workersPerFunctionIn(process.env);
  const files = readOrganizationFiles(options.organizations);
  const { baseUrl, serve, close } = await openGateway(options);
  let engine: Engine | undefined;
  let events: LocalEvents | undefined;
  let functions: Functions | undefined;
  const stop = async (): Promise<void> => {
    await close();
    await events?.stop();
    await functions?.stop();
    await engine?.stop();
  };
  try {
    const building = buildFunctions();
    building.catch(() => undefined); // an engine that cannot start is reported first
    engine = await startEngine({ engine: options.engine, dataFolder: options.db });
    const { environment } = engine;
    const distFolder = await building.finally(stopEsbuild); // otherwise its process would remain
    // Waits until the engine has locked the data folder: until then, another service on the folder may be writing to the same file.
    if (options.events !== undefined) events = await LocalEvents.open(options.events, tell);
    const organizations = await prepareTable({ environment, files, tell });
    functions = new Functions({
      distFolder,
      environment: { ...environment, DYNAMODB_TIMEOUT_MS: String(localRequestTimeoutMs) },
      workersPerFunction,
      report: tell,
      output,
    });
    await events?.follow(environment);
    serve(functions);
    return { baseUrl, engine, organizations, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Accepts requests, which wait until `serve` receives the functions. */
async function openGateway({ port }: ServiceOptions) {
  const functions = Promise.withResolvers<Functions>();
  const server = createGateway({
    route: routerFor(endpoints),
    invoke: async (...call) => (await functions.promise).invoke(...call),
  });
  return {
    baseUrl: `http://127.0.0.1:${await listen(server, port)}`,
    serve: functions.resolve,
    close: () => closeServer(server),
  };
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((settle) => server.close(settle));
  // A kept-alive connection becomes idle only after its last response.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  const timeout = setTimeout(() => server.closeAllConnections(), finishWithinMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(timeout);
}
