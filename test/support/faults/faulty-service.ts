import { type OwnService, startOwnService } from '../own-service.ts';
import { service } from '../service.ts';
import type { TableEnvironment } from '../table.ts';
import { type DynamodbProxy, startDynamodbProxy } from './proxy.ts';

/** A second service on the engine and the table of the test run. Its functions reach the table through a proxy. */
export interface FaultyService extends OwnService {
  readonly proxy: DynamodbProxy;
  /** The variables that reach the table through the proxy, for processes that a test starts itself. */
  readonly environment: TableEnvironment;
}

/**
 * A test file starts a service of its own and may let it fail.
 * @param reaches the table past the proxy; left out, that of the test run. `withLocalTimeouts()` where calls are counted, so that a
 * slow engine does not make the SDK retry
 */
export async function startFaultyService(
  reaches: TableEnvironment = service().environment,
): Promise<FaultyService> {
  const proxy = await startDynamodbProxy(reaches.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  // The time-out of deployed functions, whatever the test's own is.
  const environment = {
    DYNAMODB_TIMEOUT_MS: '1000',
    ...reaches,
    AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
  };
  const own = await startOwnService(environment);
  return {
    ...own,
    proxy,
    environment,
    async stop() {
      await own.stop();
      await proxy.stop();
    },
  };
}
