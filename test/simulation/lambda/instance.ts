import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { EndpointName } from '../../../shared/endpoints.ts';
import type { Program } from './modules.ts';
import { Runtime, type RuntimeOptions } from './runtime.ts';

/** What Lambda gives for an invocation. */
export type InvocationResult =
  | { readonly outcome: 'answered'; readonly answer: APIGatewayProxyResult }
  | { readonly outcome: 'threw'; readonly error: unknown }
  | { readonly outcome: 'died' | 'timed out' };

export const functionTimeoutMs = 10_000;

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

interface FunctionBundle {
  readonly handlers: Readonly<Record<EndpointName, () => Promise<{ readonly handler: Handler }>>>;
}

/** An instance of one function: its modules are its own, it handles one request at a time, and is frozen between two. */
export class Instance {
  readonly runtime: Runtime;
  readonly endpoint: EndpointName;
  readonly #bundle: Program;
  readonly #now: () => number;
  #handler: Handler | undefined;
  isBusy = false;
  idleSince = 0;

  constructor(endpoint: EndpointName, bundle: Program, options: RuntimeOptions) {
    this.endpoint = endpoint;
    this.#bundle = bundle;
    this.#now = () => options.network.scheduler.now;
    this.runtime = new Runtime(options);
  }

  /** Never rejects: what a function does wrong is an outcome. */
  invoke(event: APIGatewayProxyEvent, requestId: string): Promise<InvocationResult> {
    const { runtime } = this;
    this.isBusy = true;
    runtime.thaw();
    const deadline = runtime.now + functionTimeoutMs;
    const context = {
      awsRequestId: requestId,
      getRemainingTimeInMillis: () => deadline - runtime.now,
    } as Context;
    return new Promise((resolve) => {
      const timer = runtime.after(functionTimeoutMs, 'is out of time', () => {
        end({ outcome: 'timed out' });
        runtime.die();
      });
      const end = (result: InvocationResult): void => {
        timer.cancel();
        runtime.onDeath(undefined);
        this.isBusy = false;
        this.idleSince = this.#now();
        runtime.freeze();
        resolve(result);
      };
      runtime.onDeath(() => end({ outcome: 'died' }));
      this.#handle(event, context).then(
        (answer) => !runtime.isDead && end({ outcome: 'answered', answer }),
        (error: unknown) => !runtime.isDead && end({ outcome: 'threw', error }),
      );
    });
  }

  /** Loads the function's modules with its first request: the cold start. */
  #handle(event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> {
    return this.runtime.run(async () => {
      if (!this.#handler) {
        const { handlers } = this.runtime.load<FunctionBundle>(this.#bundle);
        this.#handler = (await handlers[this.endpoint]()).handler;
      }
      return this.#handler(event, context);
    });
  }
}
