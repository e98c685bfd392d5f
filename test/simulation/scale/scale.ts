import type { ServiceBundles } from '../lambda/given-service.ts';
import { rateAt, scaleLimits } from './limits.ts';
import { measureRequests } from './measured-request.ts';
import { type ProvenLoad, proveLoad } from './proof.ts';
import type { Scale } from './scale-page.ts';
import { traffic } from './traffic.ts';

/** Below the limit nothing is throttled; at twice its rate something is, or the limit is not where it was said to be. */
const proofShares = [0.9, 2] as const;

/** Measures the traffic, works the limits out, and runs a load on both sides of the one that no setting moves. */
export async function measureScale(bundles: ServiceBundles): Promise<Scale> {
  const requests = await measureRequests(bundles, traffic);
  const limits = scaleLimits(requests);
  const partition = limits.find(({ label }) => label === 'writes of the largest');
  const proofs: ProvenLoad[] = [];
  for (const share of partition ? proofShares : [])
    proofs.push(await proveLoad(bundles, traffic, share * (partition ? rateAt(partition, 1) : 0)));
  return { requests, limits, proofs };
}

/** What contradicts the page. */
export function scaleViolations({ proofs: [below, above] }: Scale): string[] {
  if (!below || !above) return ['No load was run.'];
  return [
    ...below.violations,
    ...above.violations,
    ...(below.throttled === 0 ? [] : [`${below.throttled} calls were throttled below the limit.`]),
    ...(above.throttled > 0 ? [] : ['Nothing was throttled at twice the limit.']),
  ];
}
