import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

/** The SDK's middleware of a client, or of a client and one command. */
type MiddlewareStack = DynamoDBDocumentClient['middlewareStack'];
type Handler = ReturnType<MiddlewareStack['resolve']>;
type Context = Parameters<MiddlewareStack['resolve']>[1];
type Middleware = (next: Handler, context: Context) => Handler;
interface MiddlewareOptions {
  readonly name?: string;
}

/**
 * The same stack, which remembers in which order a command's middleware runs. The SDK copies the middleware of the client and of the command
 * twice for each call, and sorts it: a fifteenth of the processor time of a call. The order differs only by command.
 * Middleware that is added to the client after a command's first call does not run with that command; a `clone` is the SDK's own stack.
 */
export function rememberOrder(stack: MiddlewareStack): MiddlewareStack {
  const orders = new Map<string, readonly Middleware[]>();
  const endpointOnce = findOnce();
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
          endpointOnce,
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

/**
 * Finds the endpoint of a client once: a thirtieth of the processor time of a call. DynamoDB's rules look at the region, at the account of
 * the credentials, and at the account of a table that is named by its ARN: for such a table it is found again.
 */
function findOnce(): (find: Middleware) => Middleware {
  let found: { readonly endpointV2: unknown } | undefined;
  return (find) => (next, context) => (args) => {
    const isOwnTable = !namesArn(args.input);
    if (found && isOwnTable) {
      Object.assign(context, found);
      return next(args);
    }
    const keep: Handler = (args) => {
      // An endpoint with a scheme of its own would sign differently: this table's has none.
      if (isOwnTable && !context.authSchemes) found = { endpointV2: context.endpointV2 };
      return next(args);
    };
    return find(keep, context)(args);
  };
}

const namesArn = (input: object): boolean =>
  'TableName' in input && String(input.TableName).startsWith('arn:');

/** The middleware of a stack, outermost first: each is replaced by one that notes it, in a stack of the SDK's that sorts them. */
function orderOf(
  stack: MiddlewareStack,
  context: Context,
  endpointOnce: (find: Middleware) => Middleware,
): readonly Middleware[] {
  const order: Middleware[] = [];
  const note = (middleware: Middleware, { name }: MiddlewareOptions): Middleware => {
    const kept = name === 'endpointV2Middleware' ? endpointOnce(middleware) : middleware;
    return (next) => {
      order.unshift(kept);
      return next;
    };
  };
  const sorted = new GetCommand({ TableName: '', Key: {} }).middlewareStack; // an empty one
  // The SDK repeats the middleware among its options.
  const noted = (middleware: Middleware, options: MiddlewareOptions): [never, never] => [
    note(middleware, options) as never,
    { ...options, middleware: note(middleware, options) } as never,
  ];
  stack.applyToStack({
    ...sorted,
    add: (middleware: Middleware, options: MiddlewareOptions) =>
      sorted.add(...noted(middleware, options)),
    addRelativeTo: (middleware: Middleware, options: MiddlewareOptions) =>
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
