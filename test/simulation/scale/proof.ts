import { checkHistory } from '../checker/check-history.ts';
import type { ServiceBundles } from '../lambda/given-service.ts';
import { startLoaded } from './measured-request.ts';
import type { Traffic } from './traffic.ts';

/** What became of a load that was run: the real functions, one organization, a rate that stays. */
export interface ProvenLoad {
  readonly rate: number;
  readonly requests: number;
  /** Calls that a partition refused. */
  readonly throttled: number;
  readonly failed: number;
  readonly violations: readonly string[];
}

const seconds = 2;

/** Runs the traffic of one organization for two seconds, each request at its moment. */
export async function proveLoad(
  bundles: ServiceBundles,
  traffic: readonly Traffic[],
  rate: number,
): Promise<ProvenLoad> {
  const service = await startLoaded(bundles);
  const { scheduler } = service.world;
  const begun = service.history.requests.length;
  const faultsBefore = service.recorder.faults;
  const count = Math.round(rate * seconds);
  const one = async (at: number): Promise<void> => {
    await scheduler.sleep((1000 * at) / rate);
    const kind = kindAt(traffic, at);
    await service.request('a load', service.key(1, kind.keys), kind.request(at));
  };
  await service.run(() => Promise.all(Array.from({ length: count }, (_, at) => one(at))));
  const requests = service.history.requests.slice(begun);
  const throttled = service.recorder.faults - faultsBefore;
  const violations = await checkHistory(service, { walks: () => [], hasCheck: false });
  return {
    rate,
    requests: requests.length,
    throttled,
    failed: requests.filter(({ answer }) => (answer?.status ?? 500) >= 500).length,
    violations,
  };
}

/** Kinds in the order of their shares, spread evenly: of a hundred requests, as many of each as its share says. */
function kindAt(traffic: readonly Traffic[], at: number): Traffic {
  const place = ((at * 61) % 100) / 100;
  let sum = 0;
  for (const kind of traffic) {
    sum += kind.share;
    if (place < sum - 1e-9) return kind;
  }
  return traffic.at(-1) as Traffic;
}
