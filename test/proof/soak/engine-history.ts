import {
  DynamodbError,
  internalServerError,
  transactionInProgress,
} from '../../dynamodb-model/dynamodb-model.ts';
import type { Fault, FaultRule } from '../../support/faults/rules.ts';
import { Random } from '../../support/generated/random.ts';
import type { TableEnvironment } from '../../support/table.ts';
import { clientsOf } from '../simulation/clients/clients.ts';
import { planOf } from '../simulation/explore/plan.ts';
import {
  type CallInfo,
  canMeet,
  insteadOfExecuting,
  type Fault as SimulatedFault,
  throttling,
} from '../simulation/network.ts';
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
  /** Requests, commands, calls, and faults by name. */
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
    const faults: SoakFault[] = [];
    proxy.rule = faultsOf(seed, service, faults);
    const plan = planOf(String(seed));
    const chosen = { ...plan, isHasty: true, clients: plan.clients.slice(0, clients) };
    const all = clientsOf(chosen, service, (name) => new Random(`${seed} ${name}`));
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

/** Picks each call's fault from the seed and the order of calls. @param met collects the faults */
function faultsOf(seed: number, { faulty }: EngineService, met: SoakFault[]): FaultRule {
  const random = new Random(`faults ${seed}`);
  const share = random.pick(faultShares);
  return ({ operation }, request) => {
    const isDeath = random.chance(deathShare);
    if (!isDeath && !random.chance(share)) return undefined;
    const fault = random.pick(isDeath ? deaths : callFaults);
    if (!canMeet(fault, request)) return undefined;
    if (fault === 'in progress' && operation !== 'TransactWriteItems') return undefined;
    met.push(fault);
    if (fault === 'delay') return { kind: 'delay', ms: random.between(1, delayMaxMs) };
    const info = { caller: 'a function', operation, request, number: met.length };
    return onConnection(fault, info, () => faulty.killFunctions());
  };
}

/**
 * The simulator's faults, and three that only a real connection has: `delay` changes the order of the calls at the engine. Left out: `lost before`
 * and `silence`, because each costs a time-out of real time and `lost after` and `stalled body` already do; `reset during`, because the engine
 * cannot be slowed in the middle of a call.
 */
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
  'delay',
  'in progress',
  'throughput exceeded',
] as const satisfies readonly (SimulatedFault | 'delay' | 'in progress' | 'throughput exceeded')[];
const deaths = ['death before', 'death after'] as const satisfies readonly SimulatedFault[];
type SoakFault = (typeof callFaults | typeof deaths)[number];
const delayMaxMs = 80;

/** A fault as the proxy makes it. */
function onConnection(
  fault: Exclude<SoakFault, 'delay'>,
  info: CallInfo,
  kill: () => Promise<void>,
): Fault {
  const applied = !fault.endsWith('before');
  if (fault === 'lost after') return { kind: 'silence', applied };
  if (fault === 'stalled body') return { kind: 'stall', applied };
  if (fault === 'death before' || fault === 'death after')
    return { kind: 'cut', applied, before: kill };
  if (fault === 'internal error after')
    return { kind: 'error', error: internalServerError(), applied };
  if (fault === 'in progress') return { kind: 'error', error: transactionInProgress(), applied };
  if (fault === 'throughput exceeded')
    return { kind: 'error', error: throttling(info, 'ProvisionedThroughputExceededException') };
  const error = insteadOfExecuting[fault]?.(info);
  return error instanceof DynamodbError ? { kind: 'error', error } : { kind: 'cut', applied };
}
