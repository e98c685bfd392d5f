/** `npx node test/proof/bench/assembled/main.ts`: writes what the same captures cost by this service and by the assembled stack to RESULTS.md. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, bundleFunctions } from '../../../../infra/bundle/bundle.ts';
import { createTable } from '../../../../infra/cli/table.ts';
import { longestChain, type RecordedCall, totalUnits } from '../../../support/faults/calls.ts';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { givenOrganizationWithoutKeys } from '../../../support/organizations.ts';
import { tableOf } from '../../../support/table.ts';
import { eventOf, LambdaProcess, type RequestParts } from '../lambda-process.ts';
import { median, progress, withEngine, withFolder } from '../measuring.ts';
import { perMillion } from '../prices.ts';
import { asMarkdown } from '../results.ts';
import { createTables } from './tables.ts';

/** Each DynamoDB call takes at least this long, about what it takes on AWS. */
const latencyMs = 4;
const lambdaMemoryMb = 1024;
const requests = 60;
/** The first requests of a process compile what the others run. */
const warmUps = 5;

const personOf = (turn: number) => ({
  name: `Person ${turn}`,
  phone: `+9198${String(turn).padStart(8, '0')}`,
  email: `person${turn}@example.com`,
});
const captureOf = (body: object, key: string) => ({ body, headers: { 'Idempotency-Key': key } });

/** In this order: the later steps repeat the new captures. The city fills an empty field of the lead. */
const steps: readonly (readonly [
  request: string,
  status: number,
  parts: (turn: number) => Omit<RequestParts, 'apiKey'>,
])[] = [
  ['capture, new', 201, (turn) => captureOf(personOf(turn), `new-${turn}`)],
  [
    'capture, existing, a field filled',
    200,
    (turn) => captureOf({ ...personOf(turn), fields: { city: 'Pune' } }, `again-${turn}`),
  ],
  ['capture, replayed', 201, (turn) => captureOf(personOf(turn), `new-${turn}`)],
];

/** A write whose condition fails costs a unit too, which no reply reports (AWS: DynamoDB, "Conditional writes"). */
const isRefusedWrite = ({ operation, status }: RecordedCall): boolean =>
  status === 400 && (operation === 'UpdateItem' || operation === 'PutItem');

process.env.DYNAMODB_TIMEOUT_MS ??= '20000';
const rows = await withFolder((folder) =>
  withEngine(async ({ environment, endpoint }) => {
    await createTable(environment);
    const table = tableOf(environment);
    const organization = await givenOrganizationWithoutKeys({}, table, 1);
    const apiKey = await organization.key();
    await createTables(table.client, organization.settings, apiKey);
    table.client.destroy();
    const proxy = await startDynamodbProxy(endpoint);
    proxy.latencyMs = latencyMs;
    const source = JSON.stringify(join(import.meta.dirname, 'capture-lead.ts'));
    const bundles = {
      service: (await bundleFunctions()).get('capture-lead')!,
      assembled: await bundle(`export { handler } from ${source};`),
    };
    const start = async (side: keyof typeof bundles): Promise<LambdaProcess> => {
      const file = join(folder, `${side}.mjs`);
      await writeFile(file, bundles[side].code);
      const own = { ...environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };
      return LambdaProcess.start(pathToFileURL(file).href, own);
    };
    const sides = [
      { stack: 'this service', lambda: await start('service') },
      { stack: 'assembled', lambda: await start('assembled') },
    ].map((side) => ({ ...side, measured: [] as Measured[] }));
    const compared: ReturnType<typeof rowOf>[] = [];
    for (const [request, status, parts] of steps) {
      progress(`side by side: ${request}`);
      for (let turn = 1; turn <= requests + warmUps; turn += 1)
        for (const { lambda, measured } of sides) {
          const event = eventOf('capture-lead', { apiKey: apiKey.key, ...parts(turn) });
          const { result, calls } = await proxy.record(() => lambda.invoke(event, status));
          if (turn > warmUps) measured.push({ ...result, calls });
        }
      for (const { stack, measured } of sides)
        compared.push(rowOf(request, stack, measured.splice(0)));
    }
    await Promise.all(sides.map(({ lambda }) => lambda.stop()));
    await proxy.stop();
    return compared;
  }),
);
const table = {
  title: `This service beside the assembled stack, on ${new Date().toISOString().slice(0, 10)}`,
  note: 'Medians; write units are those of the table and, after the plus, of its indexes.',
  rows,
};
await writeFile(join(import.meta.dirname, 'RESULTS.md'), `${asMarkdown(table)}\n`);
process.exit(0);

interface Measured {
  readonly ms: number;
  readonly cpuMs: number;
  readonly calls: readonly RecordedCall[];
}

function rowOf(request: string, stack: string, measured: readonly Measured[]) {
  const medianOf = (of: (one: Measured) => number): number => median(measured.map(of));
  const ms = medianOf((one) => one.ms);
  const writes = medianOf(
    ({ calls }) => totalUnits(calls).tableWrites + calls.filter(isRefusedWrite).length,
  );
  const indexWrites = medianOf(({ calls }) => totalUnits(calls).indexWrites);
  const readUnits = medianOf(({ calls }) => totalUnits(calls).reads);
  const writeUnits = writes + indexWrites;
  return {
    request,
    stack,
    'round trips': medianOf(({ calls }) => longestChain(calls)),
    calls: medianOf(({ calls }) => calls.length),
    'latency ms': ms,
    'CPU ms': medianOf((one) => one.cpuMs),
    'write units': `${writes}+${indexWrites}`,
    'read units': readUnits,
    '$ per million': perMillion({ writeUnits, readUnits, lambdaMs: ms, lambdaMemoryMb }).toFixed(2),
  };
}
