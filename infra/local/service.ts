import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stop as stopEsbuild } from 'esbuild';
import { localRequestTimeoutMs } from '../../shared/store/table/client.ts';
import { buildFunctions, writtenEndpoints } from '../bundle/bundle.ts';
import { errorCode } from '../cli/error-code.ts';
import { routerFor } from '../gateway/routes.ts';
import { type Engine, startEngine } from './engine.ts';
import { type LocalEvents, openEvents } from './events.ts';
import { Functions, workersOfEnvironment } from './functions.ts';
import { createGateway } from './gateway.ts';
import {
  type OrganizationFile,
  prepareTable,
  readOrganizationFiles,
  type ServedOrganization,
} from './prepare-table.ts';
import { StartError } from './start-error.ts';
import type { TableEnvironment } from './table.ts';

export interface ServiceOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** A folder, or `:memory:`. */
  readonly db: string;
  readonly engine: string;
  /** Settings files; empty for the demo organization. */
  readonly organizations: readonly string[];
  readonly gatewayLimits: boolean;
  /** A file that gets the events; undefined for none. */
  readonly events?: string | undefined;
  /** Prints a sentence for the person who started the service. Never any part of a request. */
  readonly tell: (sentence: string) => void;
  /** Gets the functions' logs. */
  readonly output: NodeJS.WritableStream;
}

export interface Service {
  readonly baseUrl: string;
  readonly engineName: string;
  readonly organizations: readonly ServedOrganization[];
  readonly environment: TableEnvironment;
  /** Settles with the last output of the engine when the engine ends by itself; the service cannot go on then. */
  readonly engineDied: Promise<string>;
  /** Accepts no more requests, finishes those in flight, and ends the engine. Needs at most five seconds. */
  stop(): Promise<void>;
}

/** For requests in flight at the stop. The rest of the five seconds is for the engine. */
const finishWithinMs = 3000;

/** What a stop must end. */
interface Running {
  engine?: Engine;
  functions?: Functions;
  events?: LocalEvents;
}

/**
 * Builds, starts and connects everything (LOCAL.md, "Start"). Checks all that it can before it creates keys: a start that is refused later
 * loses them, because only the ready line shows them.
 * @throws StartError
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const workers = workersOfEnvironment(process.env);
  const files = readOrganizationFiles(options.organizations);
  const functions = Promise.withResolvers<Functions>();
  const server = createGateway({
    route: routerFor(writtenEndpoints()),
    // A request that comes before the service is ready waits.
    invoke: async (...invocation) => (await functions.promise).invoke(...invocation),
    gatewayLimits: options.gatewayLimits,
  });
  await listen(server, options.port);
  const running: Running = {};
  const stop = async (): Promise<void> => {
    await closeServer(server);
    await running.events?.stop();
    await running.functions?.stop();
    await running.engine?.stop();
  };
  try {
    const served = await startBehind(running, { ...options, ...workers, files });
    if (running.functions) functions.resolve(running.functions);
    const { port } = server.address() as AddressInfo;
    return { baseUrl: `http://127.0.0.1:${port}`, ...served, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface StartOptions extends ServiceOptions {
  readonly files: readonly OrganizationFile[];
  readonly workersPerFunction?: number;
}

/** Starts what answers the requests: the engine, its table, the functions and the events. */
async function startBehind(
  running: Running,
  { files, tell, output, ...options }: StartOptions,
): Promise<Omit<Service, 'baseUrl' | 'stop'>> {
  const building = buildFunctions();
  building.catch(() => undefined); // an engine that cannot start is reported first
  const engine = await startEngine({ engine: options.engine, dataFolder: options.db });
  running.engine = engine;
  const { environment } = engine;
  const distFolder = await building;
  await stopEsbuild(); // its process would stay as long as the service
  // After the engine has locked the data folder: another service on the folder may be writing to the same file until then.
  if (options.events !== undefined) running.events = await openEvents(options.events, tell);
  const organizations = await prepareTable({ environment, files, tell });
  running.functions = new Functions({
    distFolder,
    environment: { ...environment, DYNAMODB_TIMEOUT_MS: String(localRequestTimeoutMs) },
    report: tell,
    output,
    ...(options.workersPerFunction && { workersPerFunction: options.workersPerFunction }),
  });
  await running.events?.follow(environment);
  return { engineName: engine.name, organizations, environment, engineDied: engine.died };
}

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use: name another port, or 0 for a free one.',
  EACCES: 'the system does not allow this port: name a port above 1023.',
};

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const reason = listenFailures[errorCode(error) ?? ''];
    throw reason ? new StartError(`--port ${port}: ${reason}`, { cause: error }) : error;
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((settle) => server.close(settle));
  // A connection that is kept alive becomes idle only after its last response.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  const timeout = setTimeout(() => server.closeAllConnections(), finishWithinMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(timeout);
}
