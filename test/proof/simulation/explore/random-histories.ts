import type { Random } from '../../../support/generated/random.ts';
import { checkHistory } from '../checker/check-history.ts';
import { clientsOf } from '../clients/clients.ts';
import { type Change, type Program, readService } from '../lambda/modules.ts';
import type { GatewayFault } from '../lambda/simulated-api.ts';
import { type CallInfo, callFaults, canMeet, type Fault } from '../network.ts';
import { contractLimits, ObservedService } from '../observed-service.ts';
import { idIn } from '../organizations.ts';
import { simulationStart } from '../scheduler.ts';
import type { Plan } from './plan.ts';

export interface RunHistory {
  readonly service: ObservedService;
  readonly violations: readonly string[];
}

/** The code under test, and another version of it that may answer at the same time. */
export type Versions = readonly [Program, Program];

/** The other version retries for another time, as releases do. */
const otherVersion: Change = {
  file: 'shared/contract/limits.ts',
  of: (text) => text.replace('conflictRetryMs: 2000', 'conflictRetryMs: 1500'),
};
export const bundleVersions = (...changes: readonly Change[]): Promise<Versions> =>
  Promise.all([readService(...changes), readService(...changes, otherVersion)]);

const gatewayFaults: readonly GatewayFault[] = ['none', 'request lost', 'answer lost'];
const lowLimits = { perKey: 12, perOrganization: 30 };

/** Runs a history to its end and checks it. */
export async function runHistory(
  plan: Plan,
  versions: Versions,
  { keepTrace = false } = {},
): Promise<RunHistory> {
  const service = await startService(plan, versions, keepTrace);
  const { scheduler } = service.simulation;
  const clients = clientsOf(plan, service, (name) => scheduler.randomFor(name));
  const reaper = endIdleInstances(service, scheduler.randomFor('reaper'));
  await service.run(() => Promise.all(clients.map((client) => client.run())));
  reaper.end();
  await service.settle();
  const issues: string[] = [];
  for (const client of clients) issues.push(...(await service.run(() => client.finish())));
  const random = scheduler.randomFor('walks');
  const violations = await checkHistory(service, {
    walks: (organizationId) => someLists(organizationId, random),
  });
  return { service, violations: [...issues, ...violations] };
}

async function startService(
  plan: Plan,
  versions: Versions,
  keepTrace: boolean,
): Promise<ObservedService> {
  const { staleChance, unprocessedChance, reorderChance, commitsItemByItem } = plan;
  const { overlapChance, pageShare, clockSkewMs, coldStartChance } = plan;
  const choose = <T>(ways: readonly T[], what: string, chance: number): T =>
    ways[
      chance > 0 ? service.simulation.scheduler.choices.choose(ways.length, what, chance) : 0
    ] as T;
  const service = await ObservedService.start({
    versions: plan.hasTwoVersions ? versions : [versions[0]],
    simulation: {
      seed: plan.seed,
      keepTrace,
      faultOf: ({ operation, request }: CallInfo) => {
        const outage = outageAt(plan, service.now - simulationStart);
        if (outage) return choose(['none', outage] as const, `${outage} at ${operation}`, 0.8);
        const fault = choose(callFaults, `fault at ${operation}`, plan.faultChance);
        return canMeet(fault, request) ? fault : 'none';
      },
      dynamodb: {
        staleChance,
        unprocessedChance,
        reorderChance,
        commitsItemByItem,
        overlapChance,
        pageShare,
        expiryChance: 0.5,
        hasThroughputLimits: true,
      },
    },
    functions: { clockSkewMs, coldStartChance, clockStepChance: clockSkewMs > 0 ? 0.1 : 0 },
    gatewayFaultOf: () => choose(gatewayFaults, 'fault at the gateway', plan.gatewayFaultChance),
    latencyMaxMs: plan.latencyMaxMs,
    limits: plan.hasLowLimits ? lowLimits : contractLimits,
  });
  return service;
}

const outageAt = ({ outages }: Plan, ms: number): Fault | undefined =>
  outages.find(({ fromMs, untilMs }) => ms >= fromMs && ms < untilMs)?.fault;

/** Lambda ends instances that wait, whenever it likes. */
function endIdleInstances(service: ObservedService, random: Random): { end(): void } {
  let roundsLeft = 5000;
  const endSome = (): void => {
    if (roundsLeft <= 0) return;
    roundsLeft -= 1;
    service.api.endIdle(0.2);
    service.simulation.scheduler.after(
      200 + random.fraction() * 3000,
      'idle instances end',
      endSome,
    );
  };
  service.simulation.scheduler.after(1000, 'idle instances end', endSome);
  return {
    end: () => {
      roundsLeft = 0;
    },
  };
}

/** All leads, and two more lists. */
function someLists(organizationId: number, random: Random) {
  const own = (id: number): number => idIn(organizationId, id);
  const narrowed = [
    { updated_since: '2020-01-01T00:00:00Z' },
    { stage_id: own(random.pick([11, 12, 21])) },
    { owner_id: own(random.pick([7, 8])) },
    { source_id: own(random.pick([1, 3])) },
    { pipeline_id: own(random.pick([1, 2])) },
  ];
  return [{ limit: random.pick([2, 100]) }, ...random.shuffle(narrowed).slice(0, 2)];
}
