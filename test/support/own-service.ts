import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { distFolder } from '../../infra/bundle/bundle.ts';
import { routerFor } from '../../infra/gateway/routes.ts';
import { Functions } from '../../infra/local/functions.ts';
import { createGateway } from '../../infra/local/gateway.ts';
import { endpoints } from '../../shared/endpoints.ts';
import { localRequestTimeoutMs } from '../../shared/store/table/client.ts';
import { assertNoLeaks } from './log-leaks.ts';
import { service } from './service.ts';
import { racingWorkers } from './service-process.ts';
import type { TableEnvironment } from './table.ts';

/** The built functions behind the local gateway, in this process. */
export interface OwnService {
  readonly baseUrl: string;
  /** What the functions logged. */
  readonly logged: () => string;
  /** The local Lambda's sentences about functions that did not reply. */
  readonly reports: readonly string[];
  /** Kills every function at once, as a machine that dies; the next request starts a cold one. */
  killFunctions(): Promise<void>;
  /** @throws Error when the log leaks */
  stop(): Promise<void>;
}

/** @param environment of the functions: their table and their time-out */
export async function startOwnService(environment: TableEnvironment): Promise<OwnService> {
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
      environment,
      report: (sentence) => reports.push(sentence),
      output,
      workersPerFunction: racingWorkers,
    });
  let functions = coldFunctions();
  const server = createGateway({
    route: routerFor(endpoints),
    invoke: (...invocation) => functions.invoke(...invocation),
    gatewayLimits: false,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    logged: () => logged,
    reports,
    killFunctions() {
      const killed = functions;
      functions = coldFunctions();
      return killed.stop();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await functions.stop();
      assertNoLeaks(logged);
    },
  };
}

/** An environment, by default that of the test run, with the time-outs of the local service. */
export const withLocalTimeouts = (
  environment: TableEnvironment = service().environment,
): TableEnvironment => ({
  ...environment,
  DYNAMODB_TIMEOUT_MS: String(localRequestTimeoutMs),
});
