import type { SimulatedConnection } from '../lambda/simulated-connection.ts';

/** Given to a bundle by whoever evaluates it. */
declare const simulatedConnection: SimulatedConnection;

interface ClientOptions {
  readonly maxAttempts: number;
  readonly requestHandler: { readonly requestTimeout: number };
}

export class PutEventsCommand {
  readonly input: object;

  constructor(input: object) {
    this.input = input;
  }
}

/** Takes the place of the SDK's client in a simulated publisher: it repeats what has no answer, as the SDK does. */
export class EventBridgeClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  async send({ input }: PutEventsCommand): Promise<object> {
    const { maxAttempts, requestHandler } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const timeoutMs = requestHandler.requestTimeout;
        const answer = await simulatedConnection.call('PutEvents', input, { timeoutMs });
        if ('reply' in answer) return answer.reply;
        throw new Error(answer.error.message);
      } catch (error) {
        if (attempt === maxAttempts) throw error;
      }
    }
  }
}
