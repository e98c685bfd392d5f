import { type Client, sharedKnowledge } from '../../simulation/clients/client.ts';
import { clientKinds } from '../../simulation/clients/clients.ts';
import { planOf } from '../../simulation/explore/plan.ts';
import { organizationIds } from '../../simulation/organizations.ts';
import { Random } from '../../simulation/random.ts';
import { type FaultRule, faultSchedule } from '../../support/faults/rules.ts';
import type { TableEnvironment } from '../../support/table.ts';
import { checkEngineHistory } from './check-engine-history.ts';
import { EngineService } from './engine-service.ts';

export interface EngineHistoryOptions {
  readonly seed: number;
  /** Reaches the engine. */
  readonly environment: TableEnvironment;
  /** Clients that act at once, at the most. */
  readonly clients: number;
}

export interface EngineHistory {
  readonly violations: readonly string[];
  /** Requests, commands, calls, and faults by kind or error; `death` counts the calls at which all functions were killed. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Shares of DynamoDB calls that fail; a history has one of them. */
const faultShares = [0.02, 0.05, 0.1, 0.2];
const deathShare = 0.002;

/**
 * Lets the simulator's clients ask the built functions on a real engine, under faults and deaths, and holds the outcome against the contract.
 * What is asked and how calls fail follow from the seed; the order in which the calls meet is the machine's.
 * @param onEnd runs before the service stops, with what can check it again
 */
export async function runEngineHistory(
  { seed, environment, clients }: EngineHistoryOptions,
  onEnd: (service: EngineService) => Promise<void> = async () => {},
): Promise<EngineHistory> {
  const service = await EngineService.start(environment);
  try {
    const { proxy } = service.faulty;
    const from = proxy.calls.length;
    const deaths = new Set<number>();
    proxy.rule = withDeaths(seed, service, deaths);
    const all = clientsOf(service, seed, clients);
    await Promise.all(all.map((client) => client.run()));
    await service.settle();
    const calls = proxy.calls.slice(from);
    const issues: string[] = [];
    for (const client of all) issues.push(...(await client.finish()));
    const violations = [...issues, ...(await checkEngineHistory(service))];
    const faults = calls.flatMap(({ position, fault }) =>
      deaths.has(position) ? 'death' : (fault ?? []),
    );
    await onEnd(service);
    const counts = [
      ['requests', service.requests.length],
      ["administrators' commands", service.actions.length],
      ['DynamoDB calls', calls.length],
      ...[...Map.groupBy(faults, String)].map(([name, { length }]) => [`fault ${name}`, length]),
    ] as [string, number][];
    return { violations, counts: new Map(counts) };
  } finally {
    await service.stop();
  }
}

function clientsOf(service: EngineService, seed: number, most: number): Client[] {
  const plan = planOf(String(seed));
  const shared = new Map<number, ReturnType<typeof sharedKnowledge>>();
  for (const id of organizationIds) shared.set(id, sharedKnowledge(service, id, plan.people));
  return plan.clients.slice(0, most).map(({ kind, name, organizationId, requests }) =>
    clientKinds[kind]({
      service,
      shared: shared.get(organizationId) as ReturnType<typeof sharedKnowledge>,
      name,
      requests,
      isHasty: true,
      random: new Random(`${seed} ${name}`),
    }),
  );
}

/** The schedule of the seed; now and then all functions die at a call, just before it or just after it was applied. */
function withDeaths(seed: number, { faulty }: EngineService, deaths: Set<number>): FaultRule {
  const random = new Random(`deaths ${seed}`);
  const schedule = faultSchedule(seed, random.pick(faultShares));
  return (call) => {
    if (!random.chance(deathShare)) return schedule(call);
    deaths.add(call.position);
    return { kind: 'cut', applied: random.chance(0.5), before: () => faulty.killFunctions() };
  };
}
