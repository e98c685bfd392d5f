/** What a middleware of the SDK learns of the command that it is around. Of all that the SDK tells, the service's own ask for this. */
export interface MiddlewareContext {
  readonly commandName: string;
}

interface Args {
  readonly input: object;
}
export type Send = (args: Args) => Promise<{ readonly output: object }>;
type Middleware = (next: Send, context: MiddlewareContext) => Send;

/** The middlewares that the service adds to a command, the first one outermost. Those of the SDK are not there. */
export class MiddlewareStack {
  readonly #middlewares: Middleware[] = [];

  add(middleware: Middleware, { step }: { readonly step?: string }): void {
    if (step !== 'initialize')
      throw new Error(`The fast client has no step ${step}: the whole client has.`);
    this.#middlewares.push(middleware);
  }

  resolve(send: Send, context: MiddlewareContext): Send {
    return this.#middlewares.reduceRight((next, middleware) => middleware(next, context), send);
  }
}
