import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { memoryMbDefault, memoryVariables } from '../../../infra/bundle/function-memory.ts';
import type { EndpointName } from '../../../shared/contract/endpoints.ts';
import { type CallerRequest, gatewayEvent } from '../simulation/lambda/gateway-event.ts';

/** The cost of an import or an answer, as `function-process.mjs` reports it. */
export interface Cost {
  readonly ms: number;
  /** User and system time of the whole process, in milliseconds. */
  readonly cpuMs: number;
  /** The part of it up to the first answer of DynamoDB; all of it without one. */
  readonly cpuToFirstAnswerMs: number;
  /** DynamoDB calls. */
  readonly calls: number;
  /** The most memory the process has held so far, in megabytes. */
  readonly peakMb: number;
}
interface Invoked extends Cost {
  readonly answer: {
    readonly statusCode: number;
    readonly headers: Record<string, string>;
    readonly body: string;
  };
}

export type RequestParts = Omit<CallerRequest, 'endpoint'>;

/** The event that API Gateway would hand over for a request. */
export const eventOf = (endpoint: EndpointName, parts: RequestParts): APIGatewayProxyEvent =>
  gatewayEvent({ endpoint, ...parts }, randomUUID(), Date.now());

/** One Lambda, as a process of its own: it is warm from its second call on. */
export class LambdaProcess {
  /** What the import of the module cost. */
  readonly imported: Cost;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #waiting: ((invoked: Invoked) => void) | undefined;

  private constructor(child: ChildProcess, imported: Cost) {
    this.imported = imported;
    this.#child = child;
    this.#ended = once(child, 'exit');
    child.on('message', (invoked: Invoked) => this.#waiting?.(invoked));
  }

  /** @param moduleUrl of the module that exports the handler
   *  @throws Error when the module cannot be imported */
  static async start(
    moduleUrl: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<LambdaProcess> {
    const child = fork(join(import.meta.dirname, 'function-process.mjs'), [moduleUrl], {
      // As it is deployed.
      env: {
        PATH: process.env.PATH,
        ...memoryVariables(memoryMbDefault),
        // On a busy machine, the SDK would otherwise retry, and the calls are counted; a function here has a minute.
        DYNAMODB_TIMEOUT_MS: '20000',
        ...environment,
      },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const imported = await Promise.race([
      once(child, 'message').then(([cost]) => cost as Cost),
      once(child, 'exit').then(() => undefined),
    ]);
    if (!imported)
      throw new Error(`${moduleUrl} ended with status ${child.exitCode} before it was ready.`);
    return new LambdaProcess(child, imported);
  }

  /** @throws Error unless the answer has the expected status */
  async invoke(event: APIGatewayProxyEvent, status = 200): Promise<Invoked> {
    const { promise, resolve } = Promise.withResolvers<Invoked>();
    this.#waiting = resolve;
    this.#child.send({ event });
    const invoked = await Promise.race([promise, this.#ended.then(() => undefined)]);
    if (!invoked)
      throw new Error(
        `The function of ${event.httpMethod} ${event.path} ended before it answered.`,
      );
    const { statusCode, body } = invoked.answer;
    if (statusCode !== status) {
      throw new Error(
        `${event.httpMethod} ${event.path} answered ${statusCode}, not ${status}: ${body}`,
      );
    }
    return invoked;
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }
}
