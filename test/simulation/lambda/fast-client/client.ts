import * as sdk from '@aws-sdk/client-dynamodb';
import type { SimulatedConnection } from '../simulated-connection.ts';
import { type Converted, type KeyNodes, marshalled, unmarshalled } from './document-values.ts';
import { MiddlewareStack } from './middleware-stack.ts';
import { Retries } from './retries.ts';

export * from '@aws-sdk/client-dynamodb';

/** Given to a bundle by whoever evaluates it. */
declare const simulatedConnection: SimulatedConnection;

/** An operation of DynamoDB with its input, and nothing of how it is sent. */
abstract class Command {
  abstract readonly operation: string;
  readonly input: object;
  readonly middlewareStack = new MiddlewareStack();

  constructor(input: object) {
    this.input = input;
  }
}

const commandOf = (operation: string) =>
  class extends Command {
    readonly operation = operation;
  };

// They take the place of the SDK's, which make a stack of middlewares each.
export const GetItemCommand = commandOf('GetItem');
export const PutItemCommand = commandOf('PutItem');
export const UpdateItemCommand = commandOf('UpdateItem');
export const DeleteItemCommand = commandOf('DeleteItem');
export const QueryCommand = commandOf('Query');
export const ScanCommand = commandOf('Scan');
export const BatchGetItemCommand = commandOf('BatchGetItem');
export const BatchWriteItemCommand = commandOf('BatchWriteItem');
export const TransactGetItemsCommand = commandOf('TransactGetItems');
export const TransactWriteItemsCommand = commandOf('TransactWriteItems');

/** A command of the document client, which is the SDK's own: it names the parts of input and output that are JavaScript values. */
interface DocumentCommand {
  readonly input: object;
  readonly clientCommand: Command;
  readonly inputKeyNodes: KeyNodes;
  readonly outputKeyNodes: KeyNodes;
  readonly middlewareStack: MiddlewareStack;
}

interface FastConfig {
  readonly maxAttempts?: number;
  readonly requestHandler?: { readonly requestTimeout?: number };
}
interface SendOptions {
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * Takes the place of the SDK's clients in simulated functions: a command's input goes to the model as an object. Kept of the SDK are the
 * document client's commands and paginators, the strategy by which calls are repeated, with its waits and its budget, and the exceptions. Left
 * out, for they are most of the processor time, are the stack of middlewares but for those that the service adds, JSON, schemas, endpoints,
 * credentials, signatures, headers and sockets. The whole client runs in the slower mode, over the same connection.
 */
export class DynamoDBClient {
  readonly config: FastConfig;
  readonly retries: Retries;

  constructor(config: FastConfig = {}) {
    this.config = config;
    this.retries = new Retries(config.maxAttempts ?? 3);
  }

  send(command: Command | DocumentCommand, { abortSignal }: SendOptions = {}): Promise<object> {
    const { retries, config } = this;
    const isOfDocuments = 'clientCommand' in command;
    const { operation } = isOfDocuments ? command.clientCommand : command;
    const options = { abortSignal, timeoutMs: config.requestHandler?.requestTimeout };
    const sendOnce = async ({ input }: { input: object }) => {
      const sent = isOfDocuments ? marshalled(input, command.inputKeyNodes) : input;
      const output = await retries.run(async () => {
        const reply = await answerOf(operation, sent, options);
        return isOfDocuments ? unmarshalled(reply, command.outputKeyNodes) : { ...reply };
      }, abortSignal);
      return { output };
    };
    const context = { commandName: `${operation}Command` };
    const send = command.middlewareStack.resolve(sendOnce, context);
    return send({ input: command.input }).then(({ output }) => output);
  }

  destroy(): void {}
}

async function answerOf(
  operation: string,
  input: object,
  options: Parameters<SimulatedConnection['call']>[2],
): Promise<Converted> {
  const answer = await simulatedConnection.call(operation, input, options);
  if ('error' in answer) throw exceptionOf(answer.error);
  return answer.reply as Converted;
}

interface SimulatedError {
  readonly name: string;
  readonly message: string;
  readonly status: number;
  readonly members: object;
}

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
