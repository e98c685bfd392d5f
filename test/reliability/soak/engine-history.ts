import { DynamodbError, internalServerError } from '../../dynamodb-model/dynamodb-model.ts';
import { type Client, sharedKnowledge } from '../../simulation/clients/client.ts';
import { clientKinds } from '../../simulation/clients/clients.ts';
import { planOf } from '../../simulation/explore/plan.ts';
import {
  type CallInfo,
  insteadOfExecuting,
  type Fault as SimulatedFault,
} from '../../simulation/network.ts';
import { organizationIds } from '../../simulation/organizations.ts';
import { Random } from '../../simulation/random.ts';
import type { Fault, FaultRule } from '../../support/faults/rules.ts';
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
  /** Requests, commands, calls, and faults by the simulator's names. */
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
    const faults: SimulatedFault[] = [];
    proxy.rule = faultsOf(seed, service, faults);
    const all = clientsOf(service, seed, clients);
    await Promise.all(all.map((client) => client.run()));
    await service.settle();
    const calls = proxy.calls.length - from;
    const issues: string[] = [];
    for (const client of all) issues.push(...(await client.finish()));
    const violations = [...issues, ...(await checkEngineHistory(service))];
    await onEnd(service);
    const counts = [
      ['requests', service.requests.length],
      ["administrators' commands", service.actions.length],
      ['DynamoDB calls', calls],
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

/** What a call meets, the same for a seed and an order of the calls; now and then all functions die at one. @param met gets each fault */
function faultsOf(seed: number, { faulty }: EngineService, met: SimulatedFault[]): FaultRule {
  const random = new Random(`faults ${seed}`);
  const share = random.pick(faultShares);
  return (call, request) => {
    const isDeath = random.chance(deathShare);
    if (!isDeath && !random.chance(share)) return undefined;
    const fault = random.pick(isDeath ? deaths : callFaults);
    if (fault === 'conflict' && call.site === 'UpdateItem TURN') return undefined; // no transaction has such an item
    met.push(fault);
    const { operation } = call;
    const info = { caller: 'a function', operation, request, number: met.length };
    return onConnection(fault, info, () => faulty.killFunctions());
  };
}

/** The simulator's faults, but for those that last as long as a time-out: few of these, so that a history takes seconds. */
const callFaults = [
  'lost after',
  'reset before',
  'reset after',
  'internal error before',
  'internal error after',
  'stalled body',
  'throttled',
  'throttled inside',
  'account throttled',
  'conflict',
] as const satisfies readonly SimulatedFault[];
const deaths = ['death before', 'death after'] as const satisfies readonly SimulatedFault[];

/** A fault of the simulator as the proxy makes it. */
function onConnection(
  fault: (typeof callFaults | typeof deaths)[number],
  info: CallInfo,
  kill: () => Promise<void>,
): Fault {
  const applied = !fault.endsWith('before');
  if (fault === 'lost after') return { kind: 'silence', applied };
  if (fault === 'stalled body') return { kind: 'stall', applied };
  if (fault.startsWith('death')) return { kind: 'cut', applied, before: kill };
  if (fault === 'internal error after')
    return { kind: 'error', error: internalServerError(), applied };
  const error = insteadOfExecuting[fault]?.(info);
  return error instanceof DynamodbError ? { kind: 'error', error } : { kind: 'cut', applied };
}
