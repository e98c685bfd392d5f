import type {
  CaptureRequest,
  CaptureResponse,
  CaptureResult,
  CreateLeadRequest,
  ItemsOf,
  Lead,
  LeadField,
  LeadListQuery,
  LeadPage,
  LeadResponse,
  NamedRef,
  Note,
  NoteResponse,
  Pipeline,
  Stage,
  UpdateLeadRequest,
} from './api-types.ts';
import { type ChangedLeads, changedLeads, serviceTime } from './changed-leads.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Connection, type HttpResponse, sendOnce } from './connection.ts';
import { idempotencyKeyOf, jsonText } from './json-text.ts';
import { RateLimiter } from './rate-limiter.ts';
import { withRetries } from './retry.ts';

export type { ApiErrors, ErrorCode, FieldReason } from './api-errors.ts';
export type * from './api-types.ts';
export type { ChangedLeads } from './changed-leads.ts';
export type { Clock } from './clock.ts';
export {
  type ApiError,
  isLeadServiceError,
  LeadServiceError,
  NoResponseError,
  UnexpectedResponseError,
} from './errors.ts';
export { idempotencyKeyOf } from './json-text.ts';

export interface LeadClientOptions {
  /** The address of the service, such as `https://leads.example.com`. */
  readonly baseUrl: string;
  /** The API key, or a function that returns it, so that a key can be replaced while the program runs. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** The time for one attempt. @default 15000 */
  readonly timeoutMs?: number;
  /** Attempts of a request, the first included. @default 5 */
  readonly attempts?: number;
  /** The longest wait before a retry or for the rate limit. A longer `Retry-After` throws RATE_LIMITED at once. @default 60000 */
  readonly maxWaitMs?: number;
  /** @default the global `fetch` */
  readonly fetch?: typeof fetch;
  /** Time and randomness, for tests. */
  readonly clock?: Clock;
}

export interface CallOptions {
  /** Ends the call, retries included. The call then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** @default the client's own */
  readonly attempts?: number;
}

export interface CaptureOptions extends CallOptions {
  /** A random ID, new for each display of the form. The idempotency key is a digest of it and of the enquiry. */
  readonly formView?: string;
  /** @default `idempotencyKeyOf(enquiry, formView)` */
  readonly idempotencyKey?: string;
}

/** The method and the path, such as `GET /api/v1/users`. */
type Route = `${'GET' | 'POST' | 'PATCH'} /api/v1/${string}`;

interface Call {
  readonly query?: LeadListQuery | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request may be sent again after the service may have carried it out. @default true */
  readonly isRepeatable?: boolean;
}

/**
 * The lead service. Each method is one endpoint; the lists of leads also come as async iterators.
 *
 * @example
 * const leads = new LeadClient({ baseUrl: 'https://leads.example.com', apiKey: process.env.LEADS_API_KEY });
 * const { id, created } = await leads.captureLead({ name: 'Asha', phone: '+91 98220 12345' });
 */
export class LeadClient {
  readonly #baseUrl: string;
  readonly #options: Required<LeadClientOptions> & Connection;
  readonly #rateLimiter: RateLimiter;

  constructor(options: LeadClientOptions) {
    this.#baseUrl = checkedBaseUrl(options.baseUrl);
    if (!options.apiKey)
      throw new TypeError('apiKey is missing: a key of the service, or a function.');
    const { clock = systemClock } = options;
    this.#rateLimiter = new RateLimiter(clock);
    this.#options = {
      ...options,
      clock,
      timeoutMs: options.timeoutMs ?? 15_000,
      attempts: options.attempts ?? 5,
      maxWaitMs: options.maxWaitMs ?? 60_000,
      fetch: options.fetch ?? ((...request) => fetch(...request)),
      observe: (headers) => this.#rateLimiter.observe(headers),
    };
  }

  /** One page of leads, newest first. Only a `nextCursor` of null ends the list. */
  async listLeads(query?: LeadListQuery, options?: CallOptions): Promise<LeadPage> {
    return (await this.#send<LeadPage>('GET /api/v1/leads', { query }, options)).body;
  }

  /** Every page of a list. */
  async *leadPages(
    query: LeadListQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<LeadPage, void, undefined> {
    for (let cursor = query.cursor; ; ) {
      const page = await this.listLeads({ limit: 100, ...query, cursor }, options);
      yield page;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }

  /** Every lead of a list. */
  async *leads(
    query?: LeadListQuery,
    options?: CallOptions,
  ): AsyncGenerator<Lead, void, undefined> {
    for await (const { items } of this.leadPages(query, options)) yield* items;
  }

  /**
   * The leads that changed since an earlier call, page by page, with the minute of overlap that the service requires. A lead that
   * changed in that minute comes again: replace it by its ID. Archived and erased leads do not come.
   * @param since the last `position` that was stored, a date-time, or nothing to read all leads
   * @example
   * for await (const { leads, position } of client.changedLeads(await readPosition())) {
   *   await storeLeads(leads); // insert or replace by id
   *   await storePosition(position);
   * }
   */
  changedLeads(
    since?: string,
    options?: CallOptions,
  ): AsyncGenerator<ChangedLeads, void, undefined> {
    const { clock } = this.#options;
    return changedLeads(async (position) => {
      const sentAt = clock.now();
      const query = { limit: 100, ...position };
      const { body, headers } = await this.#send<LeadPage>('GET /api/v1/leads', { query }, options);
      return { ...body, readAt: serviceTime(headers, sentAt, clock) };
    }, since);
  }

  /**
   * Creates a lead. After a lost response the retry meets the lead that the first attempt created: DUPLICATE_LEAD with its ID, and
   * `afterUnknownOutcome`.
   */
  createLead(lead: CreateLeadRequest, options?: CallOptions): Promise<Lead> {
    return this.#lead('POST /api/v1/leads', { body: lead }, options);
  }

  /** Records an enquiry under an idempotency key: it is captured once, however often it is sent within 24 hours. */
  async captureLead(
    enquiry: CaptureRequest,
    options?: CaptureOptions,
  ): Promise<CaptureResult & { readonly replayed: boolean }> {
    const idempotencyKey =
      options?.idempotencyKey ?? (await idempotencyKeyOf(enquiry, options?.formView));
    const call = { body: enquiry, headers: { 'Idempotency-Key': idempotencyKey } };
    const route = 'POST /api/v1/leads/capture';
    const { body, headers } = await this.#send<CaptureResponse>(route, call, options);
    return { ...body.lead, replayed: headers.get('Idempotent-Replayed') === 'true' };
  }

  getLead(leadId: number, options?: CallOptions): Promise<Lead> {
    return this.#lead(`GET /api/v1/leads/${leadId}`, {}, options);
  }

  /** Changes only what is named; null clears a field. A retry sets the same values again. */
  updateLead(leadId: number, changes: UpdateLeadRequest, options?: CallOptions): Promise<Lead> {
    return this.#lead(`PATCH /api/v1/leads/${leadId}`, { body: changes }, options);
  }

  /** Adds a note. It is not sent again when its outcome is unknown, because it could then be there twice. */
  async addNote(leadId: number, text: string, options?: CallOptions): Promise<Note> {
    const route = `POST /api/v1/leads/${leadId}/notes` as const;
    const call = { body: { text }, isRepeatable: false };
    return (await this.#send<NoteResponse>(route, call, options)).body.note;
  }

  listLeadFields(options?: CallOptions): Promise<readonly LeadField[]> {
    return this.#items('GET /api/v1/lead-fields', options);
  }

  listLeadStages(options?: CallOptions): Promise<readonly Stage[]> {
    return this.#items('GET /api/v1/lead-stages', options);
  }

  listPipelines(options?: CallOptions): Promise<readonly Pipeline[]> {
    return this.#items('GET /api/v1/pipelines', options);
  }

  listLeadSources(options?: CallOptions): Promise<readonly NamedRef[]> {
    return this.#items('GET /api/v1/lead-sources', options);
  }

  listUsers(options?: CallOptions): Promise<readonly NamedRef[]> {
    return this.#items('GET /api/v1/users', options);
  }

  async #lead(route: Route, call: Call, options?: CallOptions): Promise<Lead> {
    return (await this.#send<LeadResponse>(route, call, options)).body.lead;
  }

  async #items<Item>(route: Route, options?: CallOptions): Promise<readonly Item[]> {
    return (await this.#send<ItemsOf<Item>>(route, {}, options)).body.items;
  }

  async #send<Body>(
    route: Route,
    { query, body, headers, isRepeatable = true }: Call,
    { signal, attempts = this.#options.attempts }: CallOptions = {},
  ): Promise<HttpResponse<Body>> {
    const { apiKey, clock, maxWaitMs } = this.#options;
    const [method = '', path = ''] = route.split(' ');
    const request = {
      method,
      url: this.#baseUrl + path + queryText(query),
      body: body === undefined ? undefined : jsonText(body),
      signal,
    };
    const attempt = async () => {
      const waitMs = this.#rateLimiter.reserve(maxWaitMs);
      if (waitMs > 0) await clock.sleep(waitMs, signal);
      const key = typeof apiKey === 'string' ? apiKey : await apiKey();
      const all = {
        Authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      };
      return sendOnce<Body>(this.#options, { ...request, headers: all });
    };
    return withRetries(attempt, { attempts, maxWaitMs, isRepeatable, clock, signal });
  }
}

/** @throws TypeError for an address that could leak the key */
function checkedBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isLocal = url && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal);
  if (!url || !isSecure || url.search || url.hash || url.username)
    throw new TypeError(
      'baseUrl must be an https address without a query, such as https://leads.example.com (http only on this machine).',
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** A list is JSON inside the query string. */
function queryText(query: LeadListQuery = {}): string {
  const texts = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [
      name,
      Array.isArray(value) ? JSON.stringify(value) : String(value),
    ]);
  return texts.length === 0 ? '' : `?${new URLSearchParams(texts)}`;
}
