import { sdkDefaults } from '../../../shared/store/table/client.ts';
import { answerTo, type SentRequest } from '../../dynamodb-model/dynamodb-model.ts';
import { currentProcess } from './runtime.ts';

/** Sends the SDK's requests through the connection of the process that is running, instead of a socket. */
class SimulatedRequestHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #timeoutMs: number | undefined;

  constructor(timeoutMs: number | undefined) {
    this.#timeoutMs = timeoutMs;
  }

  handle(sent: SentRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
    const options = { abortSignal, timeoutMs: this.#timeoutMs };
    return answerTo(sent, (operation, request) =>
      currentProcess().connection.call(operation, request, options),
    );
  }

  updateHttpClientConfig(): void {}

  httpHandlerConfigs = (): object => ({});

  destroy(): void {}
}

interface ClientOptions {
  readonly requestHandler?: { readonly requestTimeout?: number };
}

type Client = new (options: object) => object;

/**
 * A client of the SDK that runs whole and reaches the simulated network. It differs in documented options only: its request handler; its
 * settings, for which it would look in files, and nothing in simulated time waits for a file; no signature, which nobody verifies here and
 * which takes a fifth of a history's time; and a logger that takes nothing, so that nothing is filtered for it.
 */
export function simulatedClient(members: Readonly<Record<string, unknown>>, name: string): Client {
  const Whole = members[name] as Client;
  return class extends Whole {
    constructor(options: ClientOptions = {}) {
      super({
        ...sdkDefaults,
        ...options,
        region: 'ap-south-1',
        endpoint: 'http://aws.simulated',
        credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
        disableClockSkewCorrection: false,
        endpointDiscoveryEnabled: false,
        userAgentAppId: async () => undefined,
        sigv4aSigningRegionSet: [],
        signer: { sign: async (request: unknown) => request },
        logger: {},
        requestHandler: new SimulatedRequestHandler(options.requestHandler?.requestTimeout),
      });
    }
  };
}
