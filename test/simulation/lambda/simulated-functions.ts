import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { EndpointName } from '../../../shared/endpoints.ts';
import type { Network } from '../network.ts';
import type { Random } from '../random.ts';
import { Instance, type InvocationResult } from './instance.ts';
import type { Program } from './modules.ts';

export interface SimulatedFunctionsOptions {
  readonly network: Network;
  /** The versions of the code that answer; a new instance runs one of them. */
  readonly versions: readonly Program[];
  /** How far two clocks may be apart, in milliseconds. @default 0 */
  readonly clockSkewMs?: number;
  /** How far the clocks of an endpoint's instances are from the right time. @default by chance, as far as `clockSkewMs` allows */
  readonly skewMsOf?: (endpoint: EndpointName) => number;
  /** The chance that a request finds no warm instance although there is one. @default 0 */
  readonly coldStartChance?: number;
  /** The chance that an instance's clock is set anew before a request; it may step back. @default 0 */
  readonly clockStepChance?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Takes each line that instances write. @default drops it */
  readonly write?: (instance: string, line: string) => void;
  /** Told which instance handles a request, and when it has ended. */
  readonly onInvoked?: (instance: string, requestId: string) => void;
  readonly onEnded?: (requestId: string, result: InvocationResult) => void;
}

/** Lambda: instances of every function, made when they are needed, each busy with one request at a time. */
export class SimulatedFunctions {
  readonly #options: SimulatedFunctionsOptions;
  readonly #random: Random;
  readonly #instances: Instance[] = [];
  #started = 0;

  constructor(options: SimulatedFunctionsOptions) {
    this.#options = options;
    this.#random = options.network.scheduler.randomFor('functions');
  }

  get coldStarts(): number {
    return this.#started;
  }

  /** Never rejects. */
  invoke(
    endpoint: EndpointName,
    event: APIGatewayProxyEvent,
    requestId: string,
  ): Promise<InvocationResult> {
    const instance = this.#free(endpoint) ?? this.#start(endpoint);
    if (this.#random.chance(this.#options.clockStepChance ?? 0))
      instance.runtime.skewMs = this.#skew(endpoint);
    this.#options.network.scheduler.note(`${instance.runtime.name} is invoked`);
    const { onInvoked, onEnded } = this.#options;
    onInvoked?.(instance.runtime.name, requestId);
    return instance.invoke(event, requestId).then((result) => {
      onEnded?.(requestId, result);
      return result;
    });
  }

  /** Ends instances that wait, as Lambda does when it wants: what they remember is lost. */
  endIdle(chance: number): void {
    for (const { isBusy, runtime } of this.#instances)
      if (!isBusy && this.#random.chance(chance)) runtime.die();
  }

  /** The warm instance that was idle the shortest time, as Lambda prefers. */
  #free(endpoint: EndpointName): Instance | undefined {
    if (this.#random.chance(this.#options.coldStartChance ?? 0)) return undefined;
    let warmest: Instance | undefined;
    for (const instance of this.#instances) {
      if (instance.endpoint !== endpoint || instance.isBusy || instance.runtime.isDead) continue;
      if (!warmest || instance.idleSince > warmest.idleSince) warmest = instance;
    }
    return warmest;
  }

  #start(endpoint: EndpointName): Instance {
    const { network, versions, environment, write } = this.#options;
    const version = network.scheduler.choices.choose(versions.length, 'version of a new instance');
    const name = `${endpoint}#${this.#started}`;
    this.#started += 1;
    const instance = new Instance(endpoint, versions[version] as Program, {
      name,
      network,
      skewMs: this.#skew(endpoint),
      ...(environment && { environment }),
      ...(write && { write: (line: string) => write(name, line) }),
    });
    this.#instances.push(instance);
    return instance;
  }

  #skew(endpoint: EndpointName): number {
    const { skewMsOf, clockSkewMs } = this.#options;
    return skewMsOf?.(endpoint) ?? skewOf(this.#random, clockSkewMs);
  }
}

/** How far one clock is from the right time. @param clockSkewMs how far two clocks may be apart */
export const skewOf = (random: Random, clockSkewMs = 0): number =>
  clockSkewMs === 0 ? 0 : random.between(-Math.floor(clockSkewMs / 2), Math.ceil(clockSkewMs / 2));
