import type { TakenUnits } from '../dynamodb/taken-units.ts';
import type { ServiceBundles } from '../lambda/given-service.ts';
import { ObservedService } from '../observed-service.ts';
import { Random } from '../random.ts';
import { person, preparedLeads, type Traffic } from './traffic.ts';

/** What requests of one kind use, on average, as the real functions make them against the model. */
export interface MeasuredRequest {
  readonly name: string;
  readonly share: number;
  readonly endpoint: string;
  readonly calls: number;
  /** From the function's start to its answer, nearly all of it waiting for DynamoDB. */
  readonly milliseconds: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Units by the kind of partition: `write USAGE`, `write leadsByUpdate UPDATED`; of one organization each. */
  readonly partitions: Readonly<Record<string, number>>;
}

const requestsMeasured = 60;
/** More than any measurement asks for, so that no limit of the service is in the way. */
export const noLimits = { perKey: 360_000, perOrganization: 360_000 };

/** Measures each kind of traffic, on warm functions. @throws Error when a request is not answered as it should be */
export async function measureRequests(
  bundles: ServiceBundles,
  traffic: readonly Traffic[],
): Promise<MeasuredRequest[]> {
  const taken: TakenUnits[] = [];
  const service = await startLoaded(bundles, (units) => taken.push(units));
  const measured: MeasuredRequest[] = [];
  for (const kind of traffic) {
    await service.run(() => askOnce(service, kind, 1_000_000)); // a cold function reads the settings
    await service.settle();
    taken.length = 0;
    let [calls, milliseconds] = [0, 0];
    for (let at = 0; at < requestsMeasured; at += 1) {
      const work = await service.run(() => askOnce(service, kind, at));
      calls += work.calls;
      milliseconds += work.handledUntil - work.startedAt;
    }
    measured.push(averages(kind, { calls, milliseconds, taken }));
  }
  return measured;
}

/** An organization with leads in it. */
export async function startLoaded(
  bundles: ServiceBundles,
  onUnits?: (taken: TakenUnits) => void,
): Promise<ObservedService> {
  const service = await ObservedService.start({
    versions: [bundles],
    world: { seed: 'scale', dynamodb: { hasThroughputLimits: true, ...(onUnits && { onUnits }) } },
    limits: noLimits,
  });
  const random = new Random('scale');
  for (let number = 1; number <= preparedLeads; number += 1) {
    const body = { ...person(number), notes: 'x'.repeat(random.below(200)) };
    await service.run(() =>
      service.request('set-up', service.key(1, 'website'), { endpoint: 'capture-lead', body }),
    );
  }
  await service.settle();
  return service;
}

async function askOnce(service: ObservedService, { name, keys, request }: Traffic, at: number) {
  const answer = await service.request('a client', service.key(1, keys), request(at));
  if (!answer || answer.status >= 300)
    throw new Error(`A ${name} was answered ${answer?.status}: ${answer?.body}`);
  const work = service.history.requests.at(-1);
  if (!work) throw new Error('No request was observed.');
  return work;
}

function averages(
  { name, share, request }: Traffic,
  sums: {
    readonly calls: number;
    readonly milliseconds: number;
    readonly taken: readonly TakenUnits[];
  },
): MeasuredRequest {
  const partitions: Record<string, number> = {};
  const units = { read: 0, write: 0 };
  for (const { operation, index, key, units: some } of sums.taken) {
    const kind = `${operation} ${index && `${index} `}${key.split('#')[0]}`;
    partitions[kind] = (partitions[kind] ?? 0) + some / requestsMeasured;
    units[operation] += some / requestsMeasured;
  }
  return {
    name,
    share,
    endpoint: request(0).endpoint,
    calls: sums.calls / requestsMeasured,
    milliseconds: sums.milliseconds / requestsMeasured,
    readUnits: units.read,
    writeUnits: units.write,
    partitions,
  };
}
