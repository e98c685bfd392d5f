import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localRequestTimeoutMs } from '../../shared/store/table/client.ts';
import { buildFunctions, writtenEndpoints } from '../bundle/bundle.ts';
import { type Engine, startEngine, type TableEnvironment } from './engine.ts';
import { Functions } from './functions.ts';
import { createGateway } from './gateway.ts';
import { prepareTable } from './prepare-table.ts';
import { routerFor } from './routes.ts';
import { readOrganizationFiles, type ServedOrganization } from './settings-at-start.ts';
import { StartError } from './start-error.ts';

export interface ServiceOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** A folder, or `:memory:`. */
  readonly db: string;
  readonly engine: string;
  /** Settings files; none: the demo organization. */
  readonly organizations: readonly string[];
  readonly gatewayLimits: boolean;
  /** What a person may want to know while it runs. Never anything of a request. */
  readonly tell: (sentence: string) => void;
  /** Where the functions' logs go. */
  readonly output: NodeJS.WritableStream;
}

export interface Service {
  readonly baseUrl: string;
  readonly engineName: string;
  readonly organizations: readonly ServedOrganization[];
  readonly environment: TableEnvironment;
  /** Settles when the engine ends by itself, with its last words: the service is of no use then. */
  readonly engineDied: Promise<string>;
  /** Takes no more requests, lets those in flight finish, ends the engine. At most five seconds. */
  stop(): Promise<void>;
}

/** In flight at the stop: the rest of the five seconds is the engine's. */
const finishWithinMs = 3000;

/** Builds, starts and connects everything (LOCAL.md, "Start"). The port is taken first: what is started or
 *  minted after that is not for nothing. @throws StartProblem */
export async function startService(options: ServiceOptions): Promise<Service> {
  const files = readOrganizationFiles(options.organizations);
  let functions: Functions | undefined;
  const server = createGateway({
    route: (method, path) => route(method, path),
    // Requests that come before the service is ready are kept waiting, not refused.
    invoke: async (...invocation) => (await whenReady).invoke(...invocation),
    gatewayLimits: options.gatewayLimits,
  });
  const route = routerFor(writtenEndpoints());
  const { promise: whenReady, resolve: setReady } = Promise.withResolvers<Functions>();
  await listen(server, options.port);
  let engine: Engine | undefined;
  const stop = async (): Promise<void> => {
    await closeServer(server);
    await functions?.stop();
    await engine?.stop();
  };
  try {
    const [distFolder, started] = await Promise.allSettled([
      buildFunctions(),
      startEngine({ engine: options.engine, dataFolder: options.db }),
    ]);
    if (started.status === 'fulfilled') engine = started.value;
    if (distFolder.status === 'rejected') throw distFolder.reason;
    if (started.status === 'rejected') throw started.reason;
    engine = started.value;
    const { environment } = engine;
    const organizations = await prepareTable({ environment, files, tell: options.tell });
    functions = new Functions({
      distFolder: distFolder.value,
      environment: { ...environment, DYNAMODB_TIMEOUT_MS: String(localRequestTimeoutMs) },
      report: options.tell,
      output: options.output,
    });
    setReady(functions);
    const { port } = server.address() as AddressInfo;
    return {
      baseUrl: `http://127.0.0.1:${port}`,
      engineName: engine.name,
      organizations,
      environment,
      engineDied: engine.died,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new StartError(`--port ${port}: the port is in use: name another, or 0 for a free one.`);
    if (code === 'EACCES') throw new StartError(`--port ${port}: the system does not allow this port: name one above 1023.`);
    throw error;
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((settle) => server.close(settle));
  // A connection that is kept alive becomes idle only after its last answer.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  const tooLong = setTimeout(() => server.closeAllConnections(), finishWithinMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(tooLong);
}
