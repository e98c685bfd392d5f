import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { EndpointName } from '../../../../shared/contract/endpoints.ts';
import type { Program } from './modules.ts';
import { Runtime, type RuntimeOptions } from './runtime.ts';

/** What Lambda gives for an invocation. */
export type InvocationResult =
  | { readonly outcome: 'answered'; readonly answer: APIGatewayProxyResult }
  | { readonly outcome: 'threw'; readonly error: unknown }
  | { readonly outcome: 'died' | 'timed out' };

export const functionTimeoutMs = 10_000;

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

interface Functions {
  readonly handlers: Readonly<Record<EndpointName, () => Promise<{ readonly handler: Handler }>>>;
}

/** An instance of one function: its modules are its own, it handles one request at a time, and is frozen between two. */
export class Instance extends Runtime {
  readonly endpoint: EndpointName;
  readonly #program: Program;
  #handler: Handler | undefined;
  isBusy = false;
  idleSince = 0;

  constructor(endpoint: EndpointName, program: Program, options: RuntimeOptions) {
    super(options);
    this.endpoint = endpoint;
    this.#program = program;
  }

  /** Never rejects: what a function does wrong is an outcome. */
  invoke(event: APIGatewayProxyEvent, requestId: string): Promise<InvocationResult> {
    this.isBusy = true;
    this.thaw();
    const deadline = this.now + functionTimeoutMs;
    const context = {
      awsRequestId: requestId,
      getRemainingTimeInMillis: () => deadline - this.now,
    } as Context;
    return new Promise((resolve) => {
      const timer = this.after(functionTimeoutMs, 'is out of time', () => {
        end({ outcome: 'timed out' });
        this.die();
      });
      const end = (result: InvocationResult): void => {
        timer.cancel();
        this.onDeath(undefined);
        this.isBusy = false;
        this.idleSince = this.network.scheduler.now;
        this.freeze();
        resolve(result);
      };
      this.onDeath(() => end({ outcome: 'died' }));
      this.run(() => this.#handle(event, context)).then(
        (answer) => !this.isDead && end({ outcome: 'answered', answer }),
        (error: unknown) => !this.isDead && end({ outcome: 'threw', error }),
      );
    });
  }

  /** Loads the function's modules with its first request: the cold start. */
  async #handle(event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> {
    if (!this.#handler) {
      const { handlers } = this.#program() as Functions;
      this.#handler = (await handlers[this.endpoint]()).handler;
    }
    return this.#handler(event, context);
  }
}
