import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { distFolder, writtenEndpoints } from '../../../infra/bundle/bundle.ts';
import { Functions } from '../../../infra/local/functions.ts';
import { createGateway } from '../../../infra/local/gateway.ts';
import { routerFor } from '../../../infra/local/routes.ts';
import { localRequestTimeoutMs } from '../../../shared/store/table/client.ts';
import { assertNoLeaks } from '../log-leaks.ts';
import { service } from '../service.ts';
import { type DynamodbProxy, startDynamodbProxy } from './proxy.ts';

/** A second service on the engine and the table of the test run. Its functions reach the table through a proxy. */
export interface FaultyService {
  readonly baseUrl: string;
  readonly proxy: DynamodbProxy;
  /** The variables that reach the table through the proxy, for processes that a test starts itself. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the functions logged. */
  readonly logged: () => string;
  /** The local Lambda's sentences about functions that did not reply. */
  readonly reports: readonly string[];
  /** Kills every function at once, as a machine that dies; the next request starts a cold one. */
  killFunctions(): Promise<void>;
  /** @throws Error when the log leaks */
  stop(): Promise<void>;
}

/** The environment of the test run, with the time-outs of the local service. */
export const withLocalTimeouts = (): Readonly<Record<string, string>> => ({
  ...service().environment,
  DYNAMODB_TIMEOUT_MS: String(localRequestTimeoutMs),
});

/**
 * The built functions behind the local gateway, in this process: a test file starts a service of its own and may let it fail.
 * @param reaches the table past the proxy; left out, that of the test run. `withLocalTimeouts()` where calls are counted, so that a
 * slow engine does not make the SDK retry
 */
export async function startFaultyService(
  reaches: Readonly<Record<string, string>> = service().environment,
): Promise<FaultyService> {
  const proxy = await startDynamodbProxy(reaches.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  // The time-out of deployed functions, whatever the test's own is.
  const environment = {
    DYNAMODB_TIMEOUT_MS: '1000',
    ...reaches,
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
  const functions = new Functions({
    distFolder,
    environment,
    report: (sentence) => reports.push(sentence),
    output,
  });
  const server = createGateway({
    route: routerFor(writtenEndpoints()),
    invoke: (...invocation) => functions.invoke(...invocation),
    gatewayLimits: false,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    proxy,
    environment,
    logged: () => logged,
    reports,
    killFunctions: () => functions.stop(),
    async stop() {
      server.closeAllConnections();
      server.close();
      await functions.stop();
      await proxy.stop();
      assertNoLeaks(logged);
    },
  };
}
