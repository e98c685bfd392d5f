import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { extname } from 'node:path';
import { asError } from '../../cli/error-code.ts';
import { listen } from '../../cli/listen.ts';
import { findRunningService, type RunningService } from '../../local/running-service.ts';
import { referencePage, siteFiles } from './site.ts';
import { createTryItKey, type TryItKey } from './try-it-key.ts';

const plainText = 'text/plain; charset=utf-8';
const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.txt': plainText,
};

/**
 * Serves the reference page on 127.0.0.1, and passes `/api/` on to the local service, so that the page can send requests: the service
 * itself has no CORS headers. The service may start, stop and start again meanwhile.
 */
export class DocsServer {
  readonly #folder: string;
  readonly #organizationId: number | undefined;
  readonly #files = new Map(Object.entries(siteFiles()));
  readonly #server: Server;
  #address = '';
  /** The key for the service that runs now. A restarted service may have another table. */
  #key: { readonly service: string; readonly created: Promise<TryItKey | undefined> } | undefined;

  /**
   * @param folder the data folder of the local service
   * @param organizationId whose key the page has, @default the first organization
   */
  constructor(folder: string, organizationId?: number) {
    this.#folder = folder;
    this.#organizationId = organizationId;
    this.#server = createServer((message, response) => {
      this.#respond(message, response).catch((error: unknown) => {
        sendText(response, 500, asError(error).message);
      });
    });
  }

  /** @param port 0 picks a free one. @returns the address @throws CommandError for a port in use */
  async listen(port: number): Promise<string> {
    this.#address = `127.0.0.1:${await listen(this.#server, port, 'npm run docs --')}`;
    return `http://${this.#address}`;
  }

  /** Ends, and revokes the key of the page. */
  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    const key = await this.#key?.created.catch(() => undefined);
    await key?.revoke().catch(() => undefined); // the service has stopped; the key expires
  }

  async #respond(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = '', 'sec-fetch-site': site } = message.headers;
    // A page of another site must neither read the key of this page nor send requests through it.
    const isOwn = host.replace('localhost', '127.0.0.1') === this.#address;
    if (!isOwn || site === 'cross-site') return sendText(response, 403, 'Open http://127.0.0.1.');
    // The address of a request may name another host: only its path and query count.
    const { pathname, search } = new URL(message.url ?? '/', 'http://127.0.0.1');
    if (pathname.startsWith('/api/')) return this.#forward(message, response, pathname + search);
    const name = pathname === '/' ? 'index.html' : pathname.slice(1);
    const text = this.#files.get(name);
    if (text === undefined) return sendText(response, 404, 'There is no such page.');
    const body = name === 'index.html' ? await this.#page(host) : text;
    const type = contentTypes[extname(name)] ?? plainText;
    response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body);
  }

  async #page(host: string): Promise<string> {
    const service = await findRunningService(this.#folder);
    const key = service && (await this.#keyFor(service));
    const openApi = this.#files.get('openapi.json') ?? '';
    return referencePage(openApi, { address: `http://${host}`, apiKey: key?.key });
  }

  #keyFor(service: RunningService): Promise<TryItKey | undefined> {
    const name = JSON.stringify(service);
    if (this.#key?.service !== name)
      this.#key = { service: name, created: createTryItKey(service, this.#organizationId) };
    return this.#key.created;
  }

  async #forward(message: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const service = await findRunningService(this.#folder);
    if (!service)
      return sendText(response, 502, 'No local service runs on .local: start it with npm start.');
    const { host: _, ...headers } = message.headers;
    const forwarded = request(service.baseUrl + path, { method: message.method, headers });
    forwarded.on('response', (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    forwarded.on('error', (error) => {
      if (!response.headersSent) sendText(response, 502, `The local service: ${error.message}.`);
      else response.destroy();
    });
    message.pipe(forwarded);
  }
}

function sendText(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { 'Content-Type': plainText }).end(`${sentence}\n`);
}
