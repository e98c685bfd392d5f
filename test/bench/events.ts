/**
 * `npx node test/bench/events.ts`: what a million captures cost more with events, and what reading all timelines costs. Runs the built
 * publisher with a local bus, on batches as they are without and with traffic, and counts the read units of a walk of all timelines.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { marshall } from '@aws-sdk/util-dynamodb';
import { buildFunctions, bundleFile, publisherName } from '../../infra/bundle/bundle.ts';
import { clientConfig, createTable } from '../../infra/local/table.ts';
import type { Lead } from '../../shared/leads/lead.ts';
import { scanTimelines } from '../../shared/store/maintenance/read-timelines.ts';
import { openTable } from '../../shared/store/table/client.ts';
import {
  noConsumedCapacity,
  withCapacityMetering,
} from '../../shared/store/table/consumed-capacity.ts';
import { startEventBus } from '../support/event-bus.ts';
import { storeLeads } from '../support/stored-leads.ts';
import { withEngine } from './bench-engine.ts';
import { prices } from './prices.ts';

const publisherMemoryMb = 512;
const leadCount = 1000;
const rounds = 200;
const perMillion = (dollars: number): string => `$${(1e6 * dollars).toFixed(2)}`;

const at = '2026-11-21T10:00:00.000Z';
const captureRecord = (leadId: number) => ({
  eventName: 'INSERT',
  dynamodb: {
    SequenceNumber: String(leadId),
    NewImage: marshall({
      pk: `TIMELINE#1#${leadId}`,
      sk: `${at}#0a1b2c3d4e5f`,
      type: 'captured_new',
      at,
      actorId: 7,
      keyId: 'measured',
      keyLabel: 'website',
      source: 'Website',
      notes: 'Please call after six.',
      filled: [],
      kept: [],
    }),
  },
});

type Handler = (batch: object, context: object) => Promise<{ batchItemFailures: unknown[] }>;

/** Milliseconds of a warm invocation for each event. */
async function publisherMs(folder: string, batchSize: number): Promise<number> {
  const bus = await startEventBus();
  Object.assign(process.env, {
    EVENT_BUS: 'measured',
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  const dist = await buildFunctions({ distFolder: join(folder, `dist-${batchSize}`) });
  const { handler } = (await import(pathToFileURL(join(dist, publisherName, bundleFile)).href)) as {
    handler: Handler;
  };
  const Records = Array.from({ length: batchSize }, (_, index) => captureRecord(index + 1));
  const invoke = async (): Promise<void> => {
    const { batchItemFailures } = await handler({ Records }, { awsRequestId: 'measured' });
    if (batchItemFailures.length > 0) throw new Error('The bus has not all events.');
  };
  for (let warmUp = 0; warmUp < 20; warmUp += 1) await invoke();
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round += 1) await invoke();
  const ms = (performance.now() - startedAt) / rounds;
  bus.stop();
  return Math.ceil(ms) / batchSize;
}

/** Read units of a walk of all timelines, for each lead. */
const timelineUnits = (since?: string): Promise<number> =>
  withEngine(async ({ environment }) => {
    await createTable(environment);
    const consumed = noConsumedCapacity();
    const table = openTable(environment.LEADS_TABLE, clientConfig(environment));
    await storeLeads(
      table,
      Array.from({ length: leadCount }, (_, index) => leadOf(index + 1)),
    );
    for await (const _ of scanTimelines(withCapacityMetering(table, consumed), 1, since));
    table.client.destroy();
    return consumed.readUnits / leadCount;
  });

const leadOf = (id: number): Lead => ({
  id,
  organizationId: 1,
  version: 1,
  fields: {
    name: `Person ${id}`,
    phone: `+9198${String(id).padStart(8, '0')}`,
    email: `person${id}@example.com`,
    lead_type: 'student',
    city: 'Pune',
    course: 'mba',
  },
  stageId: 11,
  pipelineId: 1,
  createdAt: at,
  updatedAt: at,
});

// The publisher's log lines are not what is printed here.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
const lines: string[] = [];
const folder = await mkdtemp(join(tmpdir(), 'bench-events-'));
try {
  for (const batchSize of [1, 100]) {
    const ms = await publisherMs(folder, batchSize);
    const lambda =
      prices.lambdaRequest / batchSize +
      (ms / 1000) * (publisherMemoryMb / 1024) * prices.lambdaGigabyteSecond;
    lines.push(
      `events in batches of ${batchSize}: ${ms.toFixed(2)} ms each; a million cost ${perMillion(prices.eventBridgeEvent)} of EventBridge and ${perMillion(lambda)} of Lambda`,
    );
  }
  for (const [name, since] of [
    ['all timelines', undefined],
    ['timelines since a later time', '2027-01-01T00:00:00.000Z'],
  ] as const) {
    const units = await timelineUnits(since);
    lines.push(
      `${name}: ${units.toFixed(2)} read units a lead; of a million leads ${perMillion(units * prices.readUnit)}`,
    );
  }
} finally {
  await rm(folder, { recursive: true });
}
write(`${lines.join('\n')}\n`);
process.exit(0);
