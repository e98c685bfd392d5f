import { type DynamodbProxy, startDynamodbProxy } from './faults/proxy.ts';
import { freePort } from './free-port.ts';
import { service } from './service.ts';
import { racingWorkers, type ServiceProcess, startServiceProcess } from './service-process.ts';

/** The real service in a process of its own, on the test run's table: organizations of the test run are served by both. */
export interface KillableService {
  readonly baseUrl: string;
  /** Between the service and its engine. */
  readonly proxy: DynamodbProxy;
  /** Ends the process as a power cut does. */
  kill(): Promise<void>;
  /** Starts it again on the same address. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startKillableService(): Promise<KillableService> {
  const [proxy, port] = await Promise.all([
    startDynamodbProxy(service().environment.AWS_ENDPOINT_URL_DYNAMODB ?? ''),
    freePort(),
  ]);
  let running: ServiceProcess | undefined;
  const kill = async (): Promise<void> => {
    await running?.end('SIGKILL');
    running = undefined;
  };
  const start = async (): Promise<void> => {
    running = await startServiceProcess(['--engine', proxy.endpoint, '--port', String(port)], {
      LEADS_TABLE: service().environment.LEADS_TABLE ?? '', // a test file before this one may have left its own
      WORKERS_PER_FUNCTION: String(racingWorkers), // requests that hang do not keep others waiting
    });
  };
  await start();
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    proxy,
    kill,
    start,
    async stop() {
      proxy.rule = undefined;
      await kill();
      await proxy.stop();
    },
  };
}
