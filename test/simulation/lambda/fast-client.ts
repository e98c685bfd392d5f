import * as sdk from '@aws-sdk/client-dynamodb';
import { getRetryPlugin, resolveRetryConfig } from '@smithy/core/retry';
import type { SimulatedConnection } from './simulated-connection.ts';

export * from '@aws-sdk/client-dynamodb';

/** Given to a bundle by whoever evaluates it. */
declare const simulatedConnection: SimulatedConnection;

interface FastConfig {
  readonly maxAttempts?: number;
  readonly requestHandler?: { readonly requestTimeout?: number };
}

/**
 * Takes the place of the SDK's `DynamoDBClient` in simulated functions. Kept of the SDK: the commands, the document client, the middleware stack,
 * retries with their waits and their budget, the exception classes, abort signals. Left out, for it is most of the processor time: JSON, schemas,
 * endpoints, credentials, signatures, headers and sockets. The full client runs in the slower mode, over the same connection.
 */
export class DynamoDBClient extends sdk.__Client<object, object, { $metadata: object }, never> {
  constructor(options: FastConfig = {}) {
    const config = resolveRetryConfig({
      maxAttempts: options.maxAttempts ?? 3,
      retryMode: 'standard',
      logger: noLogger,
      requestHandler: {
        metadata: { handlerProtocol: 'simulated' },
        handle: (sent: unknown, { abortSignal }: { abortSignal?: AbortSignal } = {}) =>
          handle(sent as Sent, abortSignal, options.requestHandler?.requestTimeout),
        destroy: () => undefined,
      },
    } as never);
    super(config as never);
    this.middlewareStack.use(getRetryPlugin(config as never));
    this.middlewareStack.add(serialize as never, {
      step: 'serialize',
      name: 'serializerMiddleware',
    });
    this.middlewareStack.add(deserialize as never, {
      step: 'deserialize',
      name: 'deserializerMiddleware',
    });
  }
}

interface Sent {
  readonly operation: string;
  readonly input: object;
}
type Answered = { readonly reply: object } | { readonly error: SimulatedError };
interface SimulatedError {
  readonly name: string;
  readonly message: string;
  readonly status: number;
  readonly members: object;
}

async function handle(
  { operation, input }: Sent,
  abortSignal: AbortSignal | undefined,
  timeoutMs: number | undefined,
) {
  return { response: await simulatedConnection.call(operation, input, { abortSignal, timeoutMs }) };
}

interface Args {
  readonly input: object;
  readonly request?: unknown;
}
type Next = (args: Args) => Promise<{ response: Answered; output?: object }>;

const serialize =
  (next: Next, { commandName = '' }: { commandName?: string }) =>
  (args: Args) =>
    next({
      ...args,
      request: { operation: commandName.replace(/Command$/, ''), input: args.input },
    });

const deserialize = (next: Next) => async (args: Args) => {
  const { response } = await next(args);
  if ('error' in response) throw exceptionOf(response.error);
  return {
    response,
    output: { ...response.reply, $metadata: { httpStatusCode: 200, requestId: 'simulated' } },
  };
};

/** The SDK's own exception, as it makes it of an answer. */
function exceptionOf({ name, message, status, members }: SimulatedError): Error {
  const $metadata = { httpStatusCode: status, requestId: 'simulated' };
  const Exception = (sdk as unknown as Record<string, new (options: object) => Error>)[name];
  const exception = Exception
    ? new Exception({ message, $metadata })
    : new sdk.DynamoDBServiceException({
        name,
        message,
        $metadata,
        $fault: status >= 500 ? 'server' : 'client',
      });
  return Object.assign(exception, members);
}

const nothing = (): void => undefined;
const noLogger = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };
