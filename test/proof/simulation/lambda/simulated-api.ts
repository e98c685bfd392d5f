import { replyFrom } from '../../../../infra/gateway/reply.ts';
import { gatewayReply, gatewayResponses } from '../../../../infra/gateway/responses.ts';
import type { EndpointName } from '../../../../shared/contract/endpoints.ts';
import type { Random } from '../../../support/generated/random.ts';
import type { Network } from '../network.ts';
import { type CallerRequest, gatewayEvent } from './gateway-event.ts';
import { Instance, type InvocationResult } from './instance.ts';
import type { Program } from './modules.ts';

/** What a caller gets over HTTP. */
export interface CallerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What happens to a request, or to its answer, between the caller and the gateway. */
export type GatewayFault = 'none' | 'request lost' | 'answer lost';

export interface SimulatedApiOptions {
  readonly network: Network;
  /** The versions of the code that answer; a new instance runs one of them. */
  readonly versions: readonly Program[];
  readonly faultOf: () => GatewayFault;
  /** How far two clocks may be apart, in milliseconds. @default 0 */
  readonly clockSkewMs?: number;
  /** How far the clocks of an endpoint's instances are from the right time. @default by chance, as far as `clockSkewMs` allows */
  readonly skewMsOf?: (endpoint: EndpointName) => number;
  /** The chance that a request finds no warm instance although there is one. @default 0 */
  readonly coldStartChance?: number;
  /** The chance that an instance's clock is set anew before a request; it may step back. @default 0 */
  readonly clockStepChance?: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Takes each line that instances write. @default drops it */
  readonly write?: (instance: string, line: string) => void;
}

/** Told which instance handles a request, and when it has ended. */
export interface InvocationObserver {
  invoked(instance: string): void;
  ended(result: InvocationResult): void;
}

/** A REST API waits this long for a function, and no longer. */
const gatewayTimeoutMs = 29_000;

/** A caller gives up after this long without an answer; the gateway has given up before. */
const callerTimeoutMs = 35_000;

/** API Gateway in front of Lambda: instances of every function, started on demand, each serving one request at a time. */
export class SimulatedApi {
  readonly #options: SimulatedApiOptions;
  readonly #random: Random;
  readonly #instances: Instance[] = [];
  coldStarts = 0;

  constructor(options: SimulatedApiOptions) {
    this.#options = options;
    this.#random = options.network.scheduler.randomFor('functions');
  }

  /** Never rejects. @returns undefined when no answer came: the request may have been handled */
  request(
    request: CallerRequest,
    requestId: string,
    observer: InvocationObserver,
  ): Promise<CallerAnswer | undefined> {
    const fault = this.#options.faultOf();
    const answer =
      fault === 'request lost' ? undefined : this.#answer(request, requestId, observer);
    return this.#within<CallerAnswer | undefined>(callerTimeoutMs, `${requestId} is given up`, {
      work: fault === 'none' ? answer : undefined,
      instead: () => undefined,
    });
  }

  /** What the gateway answers. It stops waiting for the function after a while; the function goes on. */
  #answer(
    request: CallerRequest,
    requestId: string,
    observer: InvocationObserver,
  ): Promise<CallerAnswer> {
    return this.#within(gatewayTimeoutMs, `${requestId} is out of time`, {
      work: this.#invoke(request, requestId, observer).then((result) => {
        observer.ended(result);
        return answerFrom(result, requestId);
      }),
      instead: () => ownAnswer('INTEGRATION_TIMEOUT', requestId),
    });
  }

  #invoke(
    request: CallerRequest,
    requestId: string,
    observer: InvocationObserver,
  ): Promise<InvocationResult> {
    const { endpoint } = request;
    const { network, clockStepChance = 0 } = this.#options;
    const { scheduler } = network;
    const instance = this.#free(endpoint) ?? this.#start(endpoint);
    if (this.#random.chance(clockStepChance)) instance.skewMs = this.#skew(endpoint);
    scheduler.note(`${instance.name} is invoked`);
    observer.invoked(instance.name);
    return instance.invoke(gatewayEvent(request, requestId, scheduler.now), requestId);
  }

  /** Resolves with the result of `work`, or with that of `instead` when it takes too long. */
  #within<T>(
    ms: number,
    what: string,
    { work, instead }: { readonly work: Promise<T> | undefined; readonly instead: () => T },
  ): Promise<T> {
    return new Promise((resolve) => {
      const timer = this.#options.network.scheduler.after(ms, what, () => resolve(instead()));
      void work?.then((value) => {
        timer.cancel();
        resolve(value);
      });
    });
  }

  /** Ends idle instances, as Lambda may at any time: what they have cached is lost. */
  endIdle(chance: number): void {
    for (const instance of this.#instances)
      if (!instance.isBusy && this.#random.chance(chance)) instance.die();
  }

  /** The warm instance that was idle the shortest time, as Lambda prefers. */
  #free(endpoint: EndpointName): Instance | undefined {
    if (this.#random.chance(this.#options.coldStartChance ?? 0)) return undefined;
    let warmest: Instance | undefined;
    for (const instance of this.#instances) {
      if (instance.endpoint !== endpoint || instance.isBusy || instance.isDead) continue;
      if (!warmest || instance.idleSince > warmest.idleSince) warmest = instance;
    }
    return warmest;
  }

  #start(endpoint: EndpointName): Instance {
    const { network, versions, environment, write } = this.#options;
    const version = network.scheduler.choices.choose(versions.length, 'version of a new instance');
    const name = `${endpoint}#${this.coldStarts}`;
    this.coldStarts += 1;
    const instance = new Instance(endpoint, versions[version] as Program, {
      name,
      network,
      environment,
      skewMs: this.#skew(endpoint),
      write: (line) => write?.(name, line),
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

function answerFrom(result: InvocationResult, requestId: string): CallerAnswer {
  if (result.outcome === 'timed out') return ownAnswer('INTEGRATION_TIMEOUT', requestId);
  const answer = result.outcome === 'answered' ? replyFrom(result.answer) : undefined;
  if (!answer) return ownAnswer('INTEGRATION_FAILURE', requestId);
  return { status: answer.status, headers: inLowerCase(answer.headers), body: answer.body };
}

function ownAnswer(
  type: 'INTEGRATION_TIMEOUT' | 'INTEGRATION_FAILURE',
  requestId: string,
): CallerAnswer {
  const { status, headers, body } = gatewayReply(gatewayResponses[type]);
  const all = Object.entries({ ...headers, 'X-Request-Id': requestId });
  return { status, headers: inLowerCase(all), body };
}

const inLowerCase = (headers: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
