import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { deserializerMiddlewareOption, serializerMiddlewareOption } from '@smithy/core/schema';
import { sdkDefaults } from '../../../../shared/store/table/client.ts';
import { DynamodbError, type Reply, type Request } from '../../../dynamodb-model/dynamodb-model.ts';
import { currentProcess } from './runtime.ts';

/** Middleware for HTTP, which the calls of a simulation do without. */
const httpMiddleware = [
  'contentLengthMiddleware',
  'getUserAgentMiddleware',
  'hostHeaderMiddleware',
  'httpAuthSchemeMiddleware',
  'httpSigningMiddleware',
  'loggerMiddleware',
  'recursionDetectionMiddleware',
];

/** A call as it leaves the client, instead of an HTTP request. */
interface SentCall {
  readonly operation: string;
  readonly request: Request;
}

/** Instead of an HTTP response. */
interface Answer {
  readonly reply: Reply;
  readonly headers: { readonly date: string };
}
const replyIn = (response: unknown): Reply => (response as Answer).reply;

interface ClientOptions {
  readonly requestHandler?: { readonly requestTimeout?: number };
}
type Client = new (options?: ClientOptions) => object;
type ServiceException = new (members: object) => Error;

/**
 * A client of the SDK that passes objects to the connection of the process that is running. Commands, marshalling and retries are the SDK's;
 * JSON, HTTP and signing, a third of a history's time, are left out. `simulated-client.test.ts` compares it with a client that has them.
 * @param members of the client's package
 */
export function simulatedClient(members: Readonly<Record<string, unknown>>, name: string): Client {
  const Whole = members[name] as new (options: object) => DynamoDBClient;
  const AnyException = members[name.replace(/Client$/, 'ServiceException')] as ServiceException;
  const exceptionOf = ({ name: error, message, members: own, status }: DynamodbError): Error => {
    const Exception = (members[error] ?? AnyException) as ServiceException;
    const $fault = status < 500 ? 'client' : 'server';
    return new Exception({ ...own, name: error, message, $fault, $metadata: metadata(status) });
  };
  return class extends Whole {
    constructor(options: ClientOptions = {}) {
      super({
        ...sdkDefaults,
        ...options,
        ...optionsOfCalls(options.requestHandler?.requestTimeout),
      });
      for (const one of httpMiddleware)
        if (!this.middlewareStack.remove(one))
          throw new Error(`The SDK's ${name} has no ${one}: update the list of HTTP middleware.`);
      this.middlewareStack.add(
        (next, { commandName = '' }) =>
          (args) =>
            next({ ...args, request: callOf(commandName, args.input as Request) }),
        serializerMiddlewareOption,
      );
      this.middlewareStack.add(
        (next) => async (args) => {
          try {
            const { response } = await next(args);
            const output = { ...withDates(replyIn(response)), $metadata: metadata(200) };
            return { response, output };
          } catch (error) {
            throw error instanceof DynamodbError ? exceptionOf(error) : error;
          }
        },
        deserializerMiddlewareOption,
      );
    }
  };
}

/** Settings for which the SDK would look in files, or that HTTP alone needs, are given; calls go to the process that is running. */
const optionsOfCalls = (timeoutMs: number | undefined) => ({
  region: 'ap-south-1',
  endpointProvider: () => ({ url: new URL('http://aws.simulated') }),
  ignoreConfiguredEndpointUrls: true,
  credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
  logger: {},
  requestHandler: {
    async handle(
      { operation, request }: SentCall,
      { abortSignal }: { abortSignal?: AbortSignal },
    ): Promise<{ response: Answer }> {
      const { connection, network } = currentProcess();
      const reply = await connection.call(operation, request, { abortSignal, timeoutMs });
      const date = new Date(network.scheduler.now).toUTCString();
      return { response: { reply, headers: { date } } };
    },
  },
});

/** The SDK gives a transaction that has no token one for all its attempts. */
function callOf(commandName: string, input: Request): SentCall {
  const operation = commandName.replace(/Command$/, '');
  if (operation !== 'TransactWriteItems') return { operation, request: input };
  const { ClientRequestToken = currentProcess().ids.uuid() } = input;
  return { operation, request: { ...input, ClientRequestToken } };
}

const metadata = (httpStatusCode: number) => ({ httpStatusCode, requestId: 'simulated' });

/** The protocol has seconds where the SDK has a `Date`: of what is modelled, only in `DescribeTable`. */
function withDates(reply: Reply): Reply {
  const { Table } = reply as { Table?: { readonly CreationDateTime: number } };
  if (!Table) return reply;
  return { Table: { ...Table, CreationDateTime: new Date(Table.CreationDateTime * 1000) } };
}
