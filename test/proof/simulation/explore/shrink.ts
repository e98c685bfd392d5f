import type { Plan } from './plan.ts';

/** How often a smaller plan is tried, so that a shrink ends within a minute. */
const triesMax = 150;

/**
 * A plan that still fails, with fewer clients, requests and faults: each part is left out for good when the rest fails without it.
 * @param fails runs a plan
 */
export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let smallest = plan;
  let tries = 0;
  for (let isSmaller = true; isSmaller && tries < triesMax; ) {
    isSmaller = false;
    for (const candidate of smallerPlans(smallest)) {
      tries += 1;
      if (tries > triesMax) break;
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** What never happens, by the part of the plan that says how often it does. */
const calm = {
  outages: [],
  latencyMaxMs: 4.5,
  faultChance: 0,
  gatewayFaultChance: 0,
  staleChance: 0,
  unprocessedChance: 0,
  reorderChance: 0,
  commitsItemByItem: false,
  overlapChance: 0,
  pageShare: 1,
  clockSkewMs: 0,
  coldStartChance: 0,
  hasTwoVersions: false,
  hasLowLimits: false,
  isHasty: false,
} as const satisfies Partial<Plan>;

function* smallerPlans(plan: Plan): Generator<Plan> {
  for (const client of plan.clients) {
    if (plan.clients.length > 1)
      yield { ...plan, clients: plan.clients.filter((one) => one !== client) };
  }
  for (const name of Object.keys(calm) as (keyof typeof calm)[]) {
    if (JSON.stringify(plan[name]) !== JSON.stringify(calm[name]))
      yield { ...plan, [name]: calm[name] };
  }
  for (const client of plan.clients) {
    for (const requests of new Set([1, Math.floor(client.requests / 2), client.requests - 1])) {
      if (requests < 1 || requests >= client.requests) continue;
      yield {
        ...plan,
        clients: plan.clients.map((one) => (one === client ? { ...one, requests } : one)),
      };
    }
  }
  if (plan.faultChance > 0.01) yield { ...plan, faultChance: plan.faultChance / 2 };
}
