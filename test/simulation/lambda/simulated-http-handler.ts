import { errorResponse, httpResponse, requestOf } from '../../dynamodb-model/dynamodb-model.ts';
import type { SimulatedConnection } from './simulated-connection.ts';

/** Given to a bundle by whoever evaluates it. */
declare const simulatedConnection: SimulatedConnection;

interface HandlerConfig {
  readonly requestTimeout?: number;
}
interface SentRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Takes the place of the SDK's HTTP handler: the whole client runs, and its requests end here instead of in a socket. */
export class NodeHttpHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #config: HandlerConfig;

  constructor(config: HandlerConfig | (() => Promise<HandlerConfig>) = {}) {
    this.#config = typeof config === 'function' ? {} : config;
  }

  static create(options: HandlerConfig): NodeHttpHandler {
    return new NodeHttpHandler(options);
  }

  async handle(request: SentRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
    const operation = request.headers['x-amz-target']?.split('.')[1] ?? '';
    const options = { abortSignal, timeoutMs: this.#config.requestTimeout };
    const answer = await simulatedConnection.call(operation, requestOf(request.body), options);
    return {
      response: 'error' in answer ? errorResponse(answer.error) : httpResponse(200, answer.reply),
    };
  }

  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): HandlerConfig {
    return this.#config;
  }

  destroy(): void {}
}

/** What the SDK imports besides: bodies are bytes here, which it collects itself. */
export const streamCollector = async (body: Uint8Array): Promise<Uint8Array> => body;
