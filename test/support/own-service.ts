import { Writable } from 'node:stream';
import { distFolder } from '../../infra/bundle/built-functions.ts';
import { listen } from '../../infra/cli/listen.ts';
import { routerFor } from '../../infra/gateway/routes.ts';
import { Functions } from '../../infra/local/functions.ts';
import { createGateway } from '../../infra/local/gateway.ts';
import { endpoints } from '../../shared/contract/endpoints.ts';
import { localRequestTimeoutMs } from '../../shared/store/table/client.ts';
import { type DynamodbProxy, startDynamodbProxy } from './faults/proxy.ts';
import { assertNoLeaks } from './log-leaks.ts';
import { service } from './service.ts';
import { racingWorkers } from './service-process.ts';
import type { TableEnvironment } from './table.ts';

/** The built functions behind the local gateway, in this process. A proxy between them and their engine counts calls and injects faults. */
export interface OwnService {
  readonly baseUrl: string;
  readonly proxy: DynamodbProxy;
  /** The variables that reach the table through the proxy, for processes that a test starts itself. */
  readonly environment: TableEnvironment;
  /** What the functions logged. */
  readonly logged: () => string;
  /** The local Lambda's sentences about functions that did not reply. */
  readonly reports: readonly string[];
  /** Kills every function at once; the next request starts a cold one. */
  killFunctions(): Promise<void>;
  /** Kills everything, as a machine that loses power: connections break, and the address is free. */
  kill(): Promise<void>;
  /** Starts it again on the same address. */
  restart(): Promise<void>;
  /** @throws Error when the log leaks */
  stop(): Promise<void>;
}

/**
 * Starts a service of a test's own, which may fail without disturbing other tests.
 * @param environment of the functions: their table, limits and time-outs; by default the test run's table, and a time-out that a slow
 * engine does not reach, so that the SDK repeats no call
 * @param workersPerFunction fewer where no test races requests: each worker compiles its function
 */
export async function startOwnService(
  environment: TableEnvironment = service().environment,
  workersPerFunction = racingWorkers,
): Promise<OwnService> {
  const proxy = await startDynamodbProxy(environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  const throughProxy = {
    DYNAMODB_TIMEOUT_MS: String(localRequestTimeoutMs),
    ...environment,
    AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
  };
  let logged = '';
  const output = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  const reports: string[] = [];
  const coldFunctions = (): Functions =>
    new Functions({
      distFolder,
      environment: throughProxy,
      report: (sentence) => reports.push(sentence),
      output,
      workersPerFunction,
    });
  let functions = coldFunctions();
  const server = createGateway({
    route: routerFor(endpoints),
    invoke: (...invocation) => functions.invoke(...invocation),
  });
  const port = await listen(server, 0);
  const killFunctions = (): Promise<void> => {
    const killed = functions;
    functions = coldFunctions();
    return killed.stop();
  };
  const kill = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await killFunctions();
  };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    proxy,
    environment: throughProxy,
    logged: () => logged,
    reports,
    killFunctions,
    kill,
    restart: async () => void (await listen(server, port)),
    async stop() {
      await kill();
      await proxy.stop();
      assertNoLeaks(logged);
    },
  };
}

/** The time-out of deployed functions. */
export const deployedTimeout = { DYNAMODB_TIMEOUT_MS: '1000' } as const;
