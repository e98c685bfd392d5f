import { parseJson } from '../../../shared/base/json.ts';
import type { Plain } from '../../support/reference/plain.ts';
import type { AdministratorCommand, CommandOptions } from './administration.ts';
import { AdministratorProcess } from './administrator-process.ts';
import {
  type HeldKey,
  type History,
  newAction,
  newRequest,
  type ObservedAction,
} from './checker/history.ts';
import { Recorder } from './checker/recorder.ts';
import type { CallerRequest } from './lambda/gateway-event.ts';
import type { Program } from './lambda/modules.ts';
import {
  type CallerAnswer,
  type GatewayFault,
  SimulatedApi,
  type SimulatedApiOptions,
  skewOf,
} from './lambda/simulated-api.ts';
import type { KeyKind } from './organizations.ts';
import {
  itemsIn,
  type OrganizationKeys,
  type PreparedTable,
  preparedTable,
} from './prepared-table.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';

export interface ObservedServiceOptions {
  /** The versions of the code that answer; the first is the administrator's. */
  readonly versions: readonly [Program, ...Program[]];
  readonly simulation: Omit<SimulationOptions, 'observer' | 'latencyMaxMs'>;
  /** The longest that a call travels, until all is well. @default that of a simulation */
  readonly latencyMaxMs?: number;
  readonly functions?: Omit<
    SimulatedApiOptions,
    'network' | 'versions' | 'environment' | 'faultOf'
  >;
  readonly gatewayFaultOf?: () => GatewayFault;
  /** Requests an hour. @default the contract's */
  readonly limits?: History['limits'];
}

const ordinaryLatencyMs = 4.5;
/** Above it a request may be out of time although no call fails. */
const slowMs = 50;
export const contractLimits = { perKey: 600, perOrganization: 3000 } as const;

/**
 * Two organizations of one service, all requests and administration through it observed.
 * @example
 * const service = await ObservedService.start({ versions: [await readService()], simulation: { seed: '1' } });
 * await service.run(() => service.request('a client', service.keys(1).writer, { endpoint: 'get-lead', leadId: 1 }));
 * await service.settle();
 * const violations = await checkHistory(service);
 */
export class ObservedService {
  readonly simulation: Simulation;
  readonly api: SimulatedApi;
  readonly recorder: Recorder;
  readonly history: History;
  readonly #keys: ReadonlyMap<number, OrganizationKeys>;
  readonly #program: Program;
  readonly #idleAdministrators: AdministratorProcess[] = [];
  #administrators = 0;
  #isQuiet = false;

  private constructor(
    options: ObservedServiceOptions,
    keys: ReadonlyMap<number, OrganizationKeys>,
  ) {
    const {
      versions,
      simulation,
      functions,
      limits = contractLimits,
      latencyMaxMs = ordinaryLatencyMs,
    } = options;
    const recorder = new Recorder(() => this.simulation.scheduler.now);
    this.recorder = recorder;
    const { faultOf, latenessOf } = simulation;
    this.simulation = new Simulation({
      ...simulation,
      faultOf: (call) => (this.#isQuiet ? 'none' : (faultOf?.(call) ?? 'none')),
      latenessOf: (call) => (this.#isQuiet ? 0 : (latenessOf?.(call) ?? 0)),
      observer: recorder,
      latencyMaxMs: () => (this.#isQuiet ? ordinaryLatencyMs : latencyMaxMs),
      dynamodb: { ...simulation.dynamodb, ...recorder.writeHooks },
    });
    this.api = new SimulatedApi({
      ...functions,
      network: this.simulation,
      versions,
      faultOf: () => this.#gatewayFault(options),
      environment: {
        REQUESTS_PER_KEY_PER_HOUR: String(limits.perKey),
        REQUESTS_PER_ORGANIZATION_PER_HOUR: String(limits.perOrganization),
      },
    });
    this.#program = versions[0];
    this.#keys = keys;
    this.history = {
      requests: recorder.requests,
      actions: recorder.actions,
      writes: recorder.writes,
      writesOf: recorder.writesOf,
      organizationIds: [...keys.keys()],
      clockSkewMs: functions?.clockSkewMs ?? 0,
      limits,
      isSlow: latencyMaxMs > slowMs,
      isIndexLate: (simulation.dynamodb?.staleChance ?? 0) > 0,
    };
  }

  /** @param from what there is at the beginning; no fault happened on the way */
  static async start(
    options: ObservedServiceOptions,
    from?: PreparedTable,
  ): Promise<ObservedService> {
    const prepared = from ?? (await preparedTable());
    const service = new ObservedService(options, prepared.keys);
    const { dynamodb, scheduler } = service.simulation;
    const table = dynamodb.table('leads');
    // So long ago that no read may show a state of before.
    for (const { key, item } of prepared.items)
      table.write(table.place(key), item, scheduler.now - 3_600_000);
    service.recorder.continue(prepared);
    return service;
  }

  /** The table as it is, and what was observed until now. */
  prepared(): PreparedTable {
    const { requests, actions, writes } = this.history;
    return { keys: this.#keys, items: itemsIn(this.simulation), requests, actions, writes };
  }

  get now(): number {
    return this.simulation.scheduler.now;
  }

  sleep(ms: number): Promise<void> {
    return this.simulation.scheduler.sleep(ms);
  }

  keys(organizationId: number): OrganizationKeys {
    const keys = this.#keys.get(organizationId);
    if (!keys) throw new Error(`There is no organization ${organizationId}.`);
    return keys;
  }

  key(organizationId: number, kind: KeyKind): HeldKey {
    return this.keys(organizationId)[kind];
  }

  /** Runs to its end, and lets the simulation run meanwhile. */
  run<T>(main: () => Promise<T>): Promise<T> {
    return this.simulation.scheduler.run(main);
  }

  /** Sends a request once. @returns undefined where no answer came */
  async request(
    client: string,
    apiKey: HeldKey,
    request: Omit<CallerRequest, 'apiKey'>,
  ): Promise<CallerAnswer | undefined> {
    const { requests } = this.recorder;
    const id = `request-${requests.length + 1}`;
    const observed = newRequest({ id, client, apiKey, request, startedAt: this.now });
    requests.push(observed);
    const answer = await this.api.request({ ...request, apiKey: apiKey.key }, id, {
      invoked: (instance) => this.recorder.assign(instance, observed),
      ended: (result) => {
        observed.result = result;
        observed.handledUntil = this.now;
        const { outcome } = result;
        if (outcome === 'died' || outcome === 'timed out') observed.faults.push(outcome);
      },
    });
    observed.endedAt = this.now;
    observed.answer = answer;
    observed.answerBody = answer && parseJson(answer.body);
    return answer;
  }

  /** Runs an administrator's command in a process that does nothing else meanwhile. Never rejects: see the action. */
  async administrate<Name extends AdministratorCommand>(
    what: Name,
    organizationId: number,
    options: CommandOptions<Name>,
  ): Promise<ObservedAction> {
    const { actions } = this.recorder;
    const action = newAction({
      id: `${what} ${actions.length}`,
      what,
      organizationId,
      options: options as Plain,
      startedAt: this.now,
    });
    actions.push(action);
    const administrator = this.#idleAdministrator() ?? this.#newAdministrator();
    this.recorder.assign(administrator.name, action);
    const end = (outcome: ObservedAction['outcome'], result: unknown): void => {
      if (action.outcome !== 'under way') return; // it died, and what had been answered before brought the command to its end
      action.outcome = outcome;
      action.result = result;
      action.endedAt = this.now;
      action.handledUntil = this.now;
      if (outcome === 'died') action.faults.push('died');
      // One that failed is not used again: what its command may still send is to be known as that command's.
      if (outcome === 'done') this.#idleAdministrators.push(administrator);
    };
    await new Promise<void>((resolve) => {
      administrator.onDeath(() => resolve(end('died', undefined)));
      administrator.execute(what, organizationId, options).then(
        (result) => resolve(end('done', result)),
        (error: unknown) =>
          resolve(
            end('failed', error instanceof Error ? `${error.name}: ${error.message}` : error),
          ),
      );
    });
    return action;
  }

  /** No more faults; what is under way comes to its end, and indexes show what is in the table. */
  async settle(): Promise<void> {
    this.#isQuiet = true;
    await this.simulation.scheduler.drain(this.now + 60_000);
  }

  /** A process can die after its command was done, by what it had not waited for. */
  #idleAdministrator(): AdministratorProcess | undefined {
    for (;;) {
      const administrator = this.#idleAdministrators.pop();
      if (!administrator?.isDead) return administrator;
    }
  }

  #newAdministrator(): AdministratorProcess {
    const name = `administrator#${this.#administrators}`;
    this.#administrators += 1;
    const network = this.simulation;
    const skewMs = skewOf(
      network.scheduler.randomFor(`clock of ${name}`),
      this.history.clockSkewMs,
    );
    return new AdministratorProcess({ name, network, skewMs }, this.#program);
  }

  #gatewayFault({ gatewayFaultOf }: ObservedServiceOptions): GatewayFault {
    const fault = this.#isQuiet ? 'none' : (gatewayFaultOf?.() ?? 'none');
    if (fault !== 'none') this.recorder.fault();
    return fault;
  }
}
