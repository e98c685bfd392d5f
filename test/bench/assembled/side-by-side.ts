import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Bundle, bundle, bundleFunctions } from '../../../infra/bundle/bundle.ts';
import { clientConfig, createTable } from '../../../infra/local/table.ts';
import type { EndpointName } from '../../../shared/endpoints.ts';
import { hashApiKey } from '../../../shared/organization/api-key.ts';
import { applySettings } from '../../../shared/store/organizations/apply-settings.ts';
import { openTable } from '../../../shared/store/table/client.ts';
import { longestChain, type RecordedCall, totalUnits } from '../../support/faults/calls.ts';
import { type DynamodbProxy, startDynamodbProxy } from '../../support/faults/proxy.ts';
import { sampleSettings } from '../../support/settings.ts';
import { eventOf, LambdaProcess, type RequestParts } from '../lambda-process.ts';
import { givenApiKey, median, progress, settingsOf, withEngine, withFolder } from '../measuring.ts';
import { perMillion } from '../prices.ts';
import { createTables } from './tables.ts';

/** What one request costs, by one of the two. Medians of many requests of a warm function. */
export interface RequestCost {
  readonly latencyMs: number;
  readonly cpuMs: number;
  readonly roundTrips: number;
  readonly calls: number;
  readonly writeUnits: number;
  readonly indexWriteUnits: number;
  readonly readUnits: number;
  /** Dollars per million requests. */
  readonly dollars: ReturnType<typeof perMillion>;
}

export interface Comparison {
  readonly request: string;
  readonly service: RequestCost;
  readonly assembled: RequestCost;
}

/** Each call of DynamoDB takes at least so long: what it takes on AWS is about this. */
const injectedLatencyMs = 4;
const lambdaMemoryMb = 1024;

type Side = 'service' | 'assembled';
interface Step {
  readonly request: string;
  readonly endpoint: EndpointName;
  readonly status: number;
  /** @param turn grows by one with every request of the step */
  readonly parts: (turn: number) => Omit<RequestParts, 'apiKey'>;
}

const personOf = (turn: number) => ({
  name: `Person ${turn}`,
  phone: `+9198${String(turn).padStart(8, '0')}`,
  email: `person${turn}@example.com`,
});
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** In this order: repeats repeat what the new ones left. The city fills an empty field of the lead. */
const steps: readonly Step[] = [
  {
    request: 'capture, new',
    endpoint: 'capture-lead',
    status: 201,
    parts: (turn) => ({ body: personOf(turn), ...keyed(`new-${turn}`) }),
  },
  {
    request: 'capture, existing, a field filled',
    endpoint: 'capture-lead',
    status: 200,
    parts: (turn) => ({
      body: { ...personOf(turn), fields: { city: 'Pune' } },
      ...keyed(`again-${turn}`),
    }),
  },
  {
    request: 'capture, replayed',
    endpoint: 'capture-lead',
    status: 201,
    parts: (turn) => ({ body: personOf(turn), ...keyed(`new-${turn}`) }),
  },
  { request: 'get', endpoint: 'get-lead', status: 200, parts: (turn) => ({ leadId: turn }) },
  { request: 'list, 25 leads', endpoint: 'list-leads', status: 200, parts: () => ({}) },
];

/** The same requests to the service's functions and to the assembled stack's: same engine, same latency per call, in turn. */
export const measureSideBySide = (requests: number): Promise<readonly Comparison[]> =>
  withFolder((folder) =>
    withEngine(async (engine) => {
      const apiKey = await givenBoth(engine.environment);
      const proxy = await startDynamodbProxy(engine.endpoint);
      proxy.latencyMs = injectedLatencyMs;
      const environment = { ...engine.environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };
      try {
        const comparisons: Comparison[] = [];
        for (const step of steps) {
          progress(`side by side: ${step.request}`);
          comparisons.push(await compare({ folder, environment, proxy, apiKey, requests }, step));
        }
        return comparisons;
      } finally {
        await proxy.stop();
      }
    }),
  );

interface Setting {
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly proxy: DynamodbProxy;
  readonly apiKey: string;
  readonly requests: number;
}

async function givenBoth(environment: Parameters<typeof createTable>[0]): Promise<string> {
  const config = clientConfig(environment);
  await createTable(environment);
  const table = openTable(environment.LEADS_TABLE, config);
  const settings = settingsOf(sampleSettings, 1);
  await applySettings(table, settings);
  const { key, keyId, scopes, expiresAt } = await givenApiKey(table, 1);
  const client = new DynamoDBClient(config);
  const stored = {
    organizationId: 1,
    keyId,
    label: 'bench',
    createdBy: 7,
    scopes,
    expiresAt: Date.parse(expiresAt),
  };
  await createTables(client, settings, hashApiKey(key), stored);
  client.destroy();
  table.client.destroy();
  return key;
}

/** Its libraries add middlewares to the SDK's clients. */
export function bundleAssembled(endpoint: string): Promise<Bundle> {
  const file = join(import.meta.dirname, `${endpoint}.ts`);
  return bundle(`export { handler } from ${JSON.stringify(file)};`);
}

async function startSide(
  side: Side,
  folder: string,
  endpoint: EndpointName,
  environment: Record<string, string>,
): Promise<LambdaProcess> {
  const { code } =
    side === 'service' ? (await bundleFunctions()).get(endpoint)! : await bundleAssembled(endpoint);
  const file = join(folder, `${side}-${endpoint}.mjs`);
  await writeFile(file, code);
  return LambdaProcess.start(pathToFileURL(file).href, environment);
}

interface Measured {
  readonly ms: number;
  readonly cpuMs: number;
  readonly calls: readonly RecordedCall[];
}

async function compare(
  { folder, environment, proxy, apiKey, requests }: Setting,
  step: Step,
): Promise<Comparison> {
  const [service, assembled] = await Promise.all([
    startSide('service', folder, step.endpoint, environment),
    startSide('assembled', folder, step.endpoint, environment),
  ]);
  const measured: Record<Side, Measured[]> = { service: [], assembled: [] };
  try {
    for (let turn = 1; turn <= requests + warmUps; turn += 1) {
      for (const [side, lambda] of [
        ['service', service],
        ['assembled', assembled],
      ] as const) {
        const event = eventOf(step.endpoint, { apiKey, ...step.parts(turn) });
        const { result, calls } = await proxy.record(() => lambda.invoke(event, step.status));
        if (turn > warmUps) measured[side].push({ ms: result.ms, cpuMs: result.cpuMs, calls });
      }
    }
  } finally {
    await Promise.all([service.stop(), assembled.stop()]);
  }
  return {
    request: step.request,
    service: costOf(measured.service),
    assembled: costOf(measured.assembled),
  };
}

/** The first requests of a process compile what the others run. */
const warmUps = 5;

/** A write whose condition did not hold costs a unit too, of which no answer tells (AWS: DynamoDB, "Conditional writes"). */
const isRefusedWrite = ({ operation, status }: RecordedCall): boolean =>
  status === 400 && (operation === 'UpdateItem' || operation === 'PutItem');

function costOf(measured: readonly Measured[]): RequestCost {
  const units = measured.map(({ calls }) => totalUnits(calls));
  const latencyMs = median(measured.map(({ ms }) => ms));
  const writeUnits = median(
    measured.map(
      ({ calls }, at) => (units[at]?.tableWrites ?? 0) + calls.filter(isRefusedWrite).length,
    ),
  );
  const indexWriteUnits = median(units.map(({ indexWrites }) => indexWrites));
  const readUnits = median(units.map(({ reads }) => reads));
  return {
    latencyMs,
    cpuMs: median(measured.map(({ cpuMs }) => cpuMs)),
    roundTrips: median(measured.map(({ calls }) => longestChain(calls))),
    calls: median(measured.map(({ calls }) => calls.length)),
    writeUnits,
    indexWriteUnits,
    readUnits,
    dollars: perMillion({
      writeUnits: writeUnits + indexWriteUnits,
      readUnits,
      lambdaMs: latencyMs,
      lambdaMemoryMb,
    }),
  };
}
