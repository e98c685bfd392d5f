import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

/** The SDK's middleware of a client, or of a client and one command. */
type MiddlewareStack = DynamoDBDocumentClient['middlewareStack'];
type Handler = ReturnType<MiddlewareStack['resolve']>;
type Context = Parameters<MiddlewareStack['resolve']>[1];
type Middleware = (next: Handler, context: Context) => Handler;

/**
 * The same stack, which remembers in which order a command's middleware runs. The SDK copies the middleware of the client and of the command
 * twice for each call, and sorts it: a fifteenth of the processor time of a call. The order differs only by command.
 * Middleware that is added to the client after a command's first call does not run with that command; a `clone` is the SDK's own stack.
 */
export function rememberOrder(stack: MiddlewareStack): MiddlewareStack {
  const orders = new Map<string, readonly Middleware[]>();
  const joined = (commandStacks: readonly MiddlewareStack[]): MiddlewareStack => ({
    ...stack,
    concat: (from) => joined([...commandStacks, from as never]) as never,
    resolve(handler, context) {
      // A command of the document client adds its own stack a second time, for the command of the client that it wraps.
      const command = `${context.commandName} ${commandStacks.length}`;
      let order = orders.get(command);
      if (!order) {
        order = orderOf(
          commandStacks.reduce((all, one) => all.concat(one), stack),
          context,
        );
        orders.set(command, order);
      }
      return order.reduceRight<Handler>(
        (next, middleware) => middleware(next, context),
        handler as Handler,
      ) as never;
    },
  });
  return joined([]);
}

/** The middleware of a stack, outermost first: each is replaced by one that notes it, in a stack of the SDK's that sorts them. */
function orderOf(stack: MiddlewareStack, context: Context): readonly Middleware[] {
  const order: Middleware[] = [];
  const note = (middleware: Middleware): Middleware => {
    return (next) => {
      order.unshift(middleware);
      return next;
    };
  };
  const sorted = new GetCommand({ TableName: '', Key: {} }).middlewareStack; // an empty one
  // The SDK repeats the middleware among its options.
  const noted = (middleware: Middleware, options: object): [never, never] => [
    note(middleware) as never,
    { ...options, middleware: note(middleware) } as never,
  ];
  stack.applyToStack({
    ...sorted,
    add: (middleware: Middleware, options: object) => sorted.add(...noted(middleware, options)),
    addRelativeTo: (middleware: Middleware, options: object) =>
      sorted.addRelativeTo(...noted(middleware, options)),
  } as never);
  sorted.resolve((async () => undefined) as never, context);
  return order;
}

/** The same stack within one more middleware, the outermost. */
export const within = (middleware: Middleware, stack: MiddlewareStack): MiddlewareStack => ({
  ...stack,
  concat: (from) => within(middleware, stack.concat(from as never)) as never,
  resolve: (handler, context) =>
    middleware(stack.resolve(handler, context) as Handler, context) as never,
});
