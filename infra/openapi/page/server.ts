import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { createApiKey, revokeApiKey } from '../../../shared/store/organizations/api-keys.ts';
import {
  listOrganizations,
  loadOrganization,
} from '../../../shared/store/organizations/organizations.ts';
import { openTable } from '../../../shared/store/table/client.ts';
import { callerIdentity } from '../../cli/aws.ts';
import { CommandError } from '../../cli/command.ts';
import { asError } from '../../cli/error-code.ts';
import { listen } from '../../cli/listen.ts';
import { clientConfig, type TableEnvironment } from '../../cli/table.ts';
import { findRunningService, type RunningService } from '../../local/running-service.ts';
import { siteFiles } from './site.ts';

const plainText = 'text/plain; charset=utf-8';
const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
};

/**
 * Serves the site on 127.0.0.1, and passes `/api/` on to the local service, because the service has no CORS headers. Adds the page's API
 * key to requests without one. The service may be restarted meanwhile.
 */
export class DocsServer {
  readonly #folder: string;
  readonly #organizationId: number | undefined;
  readonly #files: Readonly<Record<string, string>> = siteFiles({ sendsRequests: true });
  readonly #server = createServer((message, response) => {
    const answered = this.#respond(message, response);
    answered.catch((error: unknown) => sendText(response, 500, asError(error).message));
  });
  #host = '';
  /** The page's keys by service: after a restart, the service may have another table. */
  readonly #keys = new Map<string, Promise<PageKey | undefined>>();

  /**
   * @param folder the data folder of the local service
   * @param organizationId the key's organization, @default the first one that has an active user
   */
  constructor(folder: string, organizationId?: number) {
    this.#folder = folder;
    this.#organizationId = organizationId;
  }

  /** @param port 0 picks a free one. @returns the address @throws CommandError for a port in use */
  async listen(port: number): Promise<string> {
    this.#host = `127.0.0.1:${await listen(this.#server, port, 'npm run docs --')}`;
    return `http://${this.#host}`;
  }

  /** Ends, and revokes the page's key. If the service has stopped, the key expires instead. */
  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    const keys = [...this.#keys.values()];
    await Promise.allSettled(keys.map(async (key) => (await key)?.revoke()));
  }

  async #respond(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = '', 'sec-fetch-site': site = 'none' } = message.headers;
    // Another site's page must not send requests with this page's key.
    const isOwn = host.replace('localhost', '127.0.0.1') === this.#host;
    if (!isOwn || !['none', 'same-origin'].includes(String(site)))
      return sendText(response, 403, 'Open http://127.0.0.1.');
    // A request's address may name another host, so only its path and query are used.
    const { pathname, search } = new URL(message.url ?? '/', 'http://127.0.0.1');
    if (pathname.startsWith('/api/')) return this.#forward(message, response, pathname + search);
    const name = pathname === '/' ? 'index.html' : pathname.slice(1);
    const text = this.#files[name];
    if (text === undefined) return sendText(response, 404, 'There is no such page.');
    const type = contentTypes[extname(name)] ?? plainText;
    response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text);
  }

  async #forward(message: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const service = await findRunningService(this.#folder);
    if (!service)
      return sendText(response, 502, 'No local service runs on .local: start it with npm start.');
    const name = JSON.stringify(service);
    const created = this.#keys.get(name) ?? createPageKey(service, this.#organizationId);
    this.#keys.set(name, created);
    const key = (await created)?.key;
    const own = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const { host: _, ...headers } = { ...own, ...message.headers };
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

interface PageKey {
  readonly key: string;
  readonly revoke: () => Promise<void>;
}

/** Limits the key of a page that is killed and so cannot revoke it. */
const keyValidMs = 12 * 3_600_000;

/**
 * Creates an API key with every scope, as `key create` does: the keys that `npm start` created are stored as hashes. The audit log has an entry.
 * @param onlyId the organization; by default, the first one that has an active user
 * @returns undefined if no organization has an active user
 * @throws CommandError if the organization `onlyId` has no active user
 */
async function createPageKey(
  { environment }: RunningService,
  onlyId: number | undefined,
): Promise<PageKey | undefined> {
  const table = openTable(environment.LEADS_TABLE, clientConfig(environment as TableEnvironment));
  const ids = onlyId ? [onlyId] : (await listOrganizations(table)).map(({ id }) => id);
  for (const organizationId of ids) {
    const organization = await loadOrganization(table, organizationId);
    const user = organization?.users.find(({ active }) => active);
    if (!user) continue;
    const who = await callerIdentity(environment, undefined);
    const now = new Date();
    const { key, keyId } = await createApiKey(table, {
      organizationId,
      type: 'application',
      scopes: ['leads.read', 'leads.write', 'leads.capture'],
      label: 'reference page',
      createdBy: user.id,
      expiresAt: new Date(now.getTime() + keyValidMs).toISOString(),
      now,
      action: (id) => ({ who, what: `key create ${id} (reference page)` }),
    });
    const action = { who, what: `key revoke ${keyId} (reference page)` };
    return {
      key,
      revoke: () => revokeApiKey(table, organizationId, keyId, { action }).then(() => undefined),
    };
  }
  if (onlyId === undefined) return undefined;
  throw new CommandError(
    `--organization ${onlyId}: the local service has no organization ${onlyId} with an active user.`,
  );
}
