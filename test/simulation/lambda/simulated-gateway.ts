import { replyFrom } from '../../../infra/gateway/reply.ts';
import { gatewayReply, gatewayResponses } from '../../../infra/gateway/responses.ts';
import type { Scheduler } from '../scheduler.ts';
import { type CallerRequest, gatewayEvent } from './gateway-event.ts';
import type { InvocationResult } from './instance.ts';
import type { SimulatedFunctions } from './simulated-functions.ts';

/** What a caller gets over HTTP. */
export interface CallerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What happens to a request, or to its answer, between the caller and the gateway. */
export type GatewayFault = 'none' | 'request lost' | 'answer lost';

export interface SimulatedGatewayOptions {
  readonly scheduler: Scheduler;
  readonly functions: SimulatedFunctions;
  readonly faultOf?: (request: CallerRequest, requestId: string) => GatewayFault;
}

/** Longer than that a REST API waits for no function. */
export const gatewayTimeoutMs = 29_000;

/** After so long without an answer, past the gateway's own end, a caller takes it that none comes. */
const callerTimeoutMs = 35_000;

/** API Gateway, from the caller's side: what comes back, or nothing. */
export class SimulatedGateway {
  readonly #options: SimulatedGatewayOptions;
  #requests = 0;

  constructor(options: SimulatedGatewayOptions) {
    this.#options = options;
  }

  nextRequestId(): string {
    this.#requests += 1;
    return `request-${this.#requests}`;
  }

  /** @returns undefined when no answer came: the request may have been handled */
  request(request: CallerRequest, requestId: string): Promise<CallerAnswer | undefined> {
    const { scheduler, faultOf } = this.#options;
    const fault = faultOf?.(request, requestId) ?? 'none';
    return new Promise((resolve) => {
      const timer = scheduler.after(callerTimeoutMs, `${requestId} is given up`, () =>
        resolve(undefined),
      );
      if (fault === 'request lost') return;
      void this.#handle(request, requestId).then((answer) => {
        if (fault === 'answer lost') return;
        timer.cancel();
        resolve(answer);
      });
    });
  }

  /** Invokes the function and waits for it as long as a gateway does; the function goes on. */
  #handle(request: CallerRequest, requestId: string): Promise<CallerAnswer> {
    const { scheduler, functions } = this.#options;
    return new Promise((resolve) => {
      const timer = scheduler.after(gatewayTimeoutMs, `${requestId} is out of time`, () => {
        resolve(ownAnswer('INTEGRATION_TIMEOUT', requestId));
      });
      void functions
        .invoke(request.endpoint, gatewayEvent(request, requestId, scheduler.now), requestId)
        .then((result) => {
          timer.cancel();
          resolve(answerFrom(result, requestId));
        });
    });
  }
}

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
