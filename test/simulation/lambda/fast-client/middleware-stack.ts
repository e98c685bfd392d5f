/** What a middleware of the SDK learns of the command that it is around. Of all that the SDK tells, the service's own ask for this. */
export interface MiddlewareContext {
  readonly commandName: string;
}

interface Args {
  readonly input: object;
}
export type Send = (args: Args) => Promise<{ readonly output: object }>;
type Middleware = (next: Send, context: MiddlewareContext) => Send;
interface Place {
  readonly step?: string;
}

/** The part of the SDK's interface that the service uses. Its members are its own, since the service copies them. */
export interface MiddlewareStack {
  readonly add: (middleware: Middleware, place: Place) => void;
  readonly addRelativeTo: (middleware: Middleware, place: object) => void;
  readonly remove: (name: string) => boolean;
  readonly clone: () => MiddlewareStack;
  readonly concat: (other: MiddlewareStack) => MiddlewareStack;
  readonly applyToStack: (other: MiddlewareStack) => void;
  readonly resolve: (send: Send, context: MiddlewareContext) => Send;
}

/** The middlewares that the service adds to its client, the first one outermost. Those of the SDK are not there. */
export function middlewareStack(): MiddlewareStack {
  const middlewares: { readonly middleware: Middleware; readonly place: Place }[] = [];
  const applyToStack = (other: MiddlewareStack): void => {
    for (const { middleware, place } of middlewares) other.add(middleware, place);
  };
  const clone = (): MiddlewareStack => {
    const copy = middlewareStack();
    applyToStack(copy);
    return copy;
  };
  return {
    add(middleware, place) {
      if (place.step !== 'initialize')
        throw new Error(`The fast client has no step ${place.step}: the whole client has.`);
      middlewares.push({ middleware, place });
    },
    addRelativeTo() {
      throw new Error('The fast client has no middleware of the SDK: the whole client has.');
    },
    remove: () => false,
    clone,
    concat(other) {
      const both = clone();
      other.applyToStack(both);
      return both;
    },
    applyToStack,
    resolve: (send, context) =>
      middlewares.reduceRight((next, { middleware }) => middleware(next, context), send),
  };
}
