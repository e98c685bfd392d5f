import type * as api from '../contract/types.ts';
import {
  type Call,
  type CallOptions,
  Connection,
  isoTime,
  type LeadClientOptions,
  type Route,
} from './connection.ts';

export type * from '../contract/types.ts';
export type { CallOptions, LeadClientOptions } from './connection.ts';
export {
  type ApiError,
  type ApiErrors,
  type ErrorCode,
  isLeadServiceError,
  LeadServiceError,
  NoResponseError,
  UnexpectedResponseError,
} from './errors.ts';

export interface CaptureOptions extends CallOptions {
  /** A random ID per page view. The idempotency key is a hash of the enquiry and this ID. */
  readonly formView?: string;
  /** @default `idempotencyKeyOf(enquiry, formView)` */
  readonly idempotencyKey?: string;
}

/** A page of leads that changed, and where to continue. */
export interface ChangedLeads {
  readonly leads: readonly api.Lead[];
  /**
   * Store it after the leads are stored: the next call of `changedLeads` continues there, in a later run or after a crash. At the end of a
   * run it is a date-time; in the middle of a run it is longer.
   */
  readonly position: string;
}

/**
 * The lead service. Each method is one endpoint; the lists of leads also come as async iterators.
 *
 * @example
 * const leads = new LeadClient({ baseUrl: 'https://leads.example.com', apiKey: process.env.LEADS_API_KEY });
 * const { id, created } = await leads.captureLead({ name: 'Asha', phone: '+91 98220 12345' });
 */
export class LeadClient {
  readonly #connection: Connection;

  /** @throws TypeError if the address could leak the key, or if the key is missing */
  constructor(options: LeadClientOptions) {
    this.#connection = new Connection(options);
  }

  /** One page of leads, newest first. Only a `nextCursor` of null ends the list. */
  async listLeads(query?: api.LeadListQuery, options?: CallOptions): Promise<api.LeadPage> {
    return (await this.#connection.send<api.LeadPage>('GET /api/v1/leads', { ...options, query }))
      .body;
  }

  /** Every page of a list. */
  async *leadPages(
    query: api.LeadListQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<api.LeadPage, void, undefined> {
    for (let cursor = query.cursor; ; ) {
      const page = await this.listLeads({ limit: 100, ...query, cursor }, options);
      yield page;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }

  /** Every lead of a list. */
  async *leads(
    query?: api.LeadListQuery,
    options?: CallOptions,
  ): AsyncGenerator<api.Lead, void, undefined> {
    for await (const { items } of this.leadPages(query, options)) yield* items;
  }

  /**
   * The leads that changed since an earlier call, page by page, with the minute of overlap that the service requires. A lead that changed
   * in that minute is returned again: replace your copy with the same ID. Archived and erased leads are not returned.
   * @param since the last stored `position`, or a date-time; omit it to read all leads
   * @example
   * for await (const { leads, position } of client.changedLeads(await readPosition())) {
   *   await storeLeads(leads); // insert or replace by id
   *   await storePosition(position);
   * }
   */
  async *changedLeads(
    since?: string,
    options?: CallOptions,
  ): AsyncGenerator<ChangedLeads, void, undefined> {
    const start: Position = since === undefined ? {} : parsedPosition(since);
    const updated_since = start.since && isoTime(Date.parse(start.since) - overlapMs);
    let { startedAt, cursor } = start;
    do {
      const sentAt = Date.now();
      const query = { limit: 100, updated_since, cursor };
      const { body, headers } = await this.#connection.send<api.LeadPage>('GET /api/v1/leads', {
        ...options,
        query,
      });
      startedAt ??= isoTime(serviceTime(headers, sentAt));
      cursor = body.nextCursor ?? undefined;
      // Changes during this run are returned by the next one.
      const reached = cursor ? `${start.since ?? ''}/${startedAt}/${cursor}` : startedAt;
      yield { leads: body.items, position: reached };
    } while (cursor !== undefined);
  }

  /**
   * Creates a lead. If the response of the first attempt was lost, the retry finds the lead that it created: DUPLICATE_LEAD with the lead's
   * ID, and `afterUnknownOutcome`.
   */
  createLead(lead: api.CreateLeadRequest, options?: CallOptions): Promise<api.Lead> {
    return this.#lead('POST /api/v1/leads', { ...options, body: lead });
  }

  /** Records an enquiry under an idempotency key: it is captured once, however often it is sent within 24 hours. */
  async captureLead(
    enquiry: api.CaptureRequest,
    options?: CaptureOptions,
  ): Promise<api.CaptureResult & { readonly replayed: boolean }> {
    const { formView, idempotencyKey: chosen, ...more } = options ?? {};
    const idempotencyKey = chosen ?? (await idempotencyKeyOf(enquiry, formView));
    const { body, headers } = await this.#connection.send<api.CaptureResponse>(
      'POST /api/v1/leads/capture',
      { ...more, body: enquiry, headers: { 'Idempotency-Key': idempotencyKey } },
    );
    return { ...body.lead, replayed: headers.get('Idempotent-Replayed') === 'true' };
  }

  getLead(leadId: number, options?: CallOptions): Promise<api.Lead> {
    return this.#lead(`GET /api/v1/leads/${leadId}`, { ...options });
  }

  /** Changes only the named fields; null clears a field. A retry sets the same values again. */
  updateLead(
    leadId: number,
    changes: api.UpdateLeadRequest,
    options?: CallOptions,
  ): Promise<api.Lead> {
    return this.#lead(`PATCH /api/v1/leads/${leadId}`, { ...options, body: changes });
  }

  /** Adds a note. If the outcome is unknown, the note is not sent again, because it could be added twice. */
  async addNote(leadId: number, text: string, options?: CallOptions): Promise<api.Note> {
    const { body } = await this.#connection.send<api.NoteResponse>(
      `POST /api/v1/leads/${leadId}/notes`,
      { ...options, body: { text }, isRepeatable: false },
    );
    return body.note;
  }

  listLeadFields(options?: CallOptions): Promise<readonly api.ReferenceLists['lead-fields'][]> {
    return this.#list('lead-fields', options);
  }

  listLeadStages(options?: CallOptions): Promise<readonly api.ReferenceLists['lead-stages'][]> {
    return this.#list('lead-stages', options);
  }

  listPipelines(options?: CallOptions): Promise<readonly api.ReferenceLists['pipelines'][]> {
    return this.#list('pipelines', options);
  }

  listLeadSources(options?: CallOptions): Promise<readonly api.ReferenceLists['lead-sources'][]> {
    return this.#list('lead-sources', options);
  }

  listUsers(options?: CallOptions): Promise<readonly api.ReferenceLists['users'][]> {
    return this.#list('users', options);
  }

  async #lead(route: Route, call: Call): Promise<api.Lead> {
    return (await this.#connection.send<api.LeadResponse>(route, call)).body.lead;
  }

  async #list<Name extends keyof api.ReferenceLists>(
    name: Name,
    options: CallOptions = {},
  ): Promise<readonly api.ReferenceLists[Name][]> {
    type List = api.ItemsOf<api.ReferenceLists[Name]>;
    return (await this.#connection.send<List>(`GET /api/v1/${name}`, options)).body.items;
  }
}

/** A value as JSON, with all properties in alphabetical order, so that equal content has equal text. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * An idempotency key for an enquiry: the SHA-256 of its content and of the form view. The same content from the same view is one enquiry,
 * however often it is sent. If the content changes, so does the key.
 * @param formView a random ID per page view; without it, the same content within 24 hours is one enquiry
 */
export async function idempotencyKeyOf(enquiry: object, formView = ''): Promise<string> {
  const text = new TextEncoder().encode(`${formView}\n${canonicalText(enquiry)}`);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * A change is dated just before it is committed, and indexes lag the table (integrator.md, "Keep a copy"). So each run reads from a minute
 * before the previous run's start. The overlap also absorbs clock differences.
 */
const overlapMs = 60_000;

interface Position {
  /** All changes before this time have been read; undefined if nothing has been read. */
  readonly since?: string | undefined;
  /** The start of an unfinished run, and the cursor of its next page. */
  readonly startedAt?: string | undefined;
  readonly cursor?: number | undefined;
}

/** @throws TypeError for a position that is neither a date-time nor a position of `changedLeads` */
function parsedPosition(position: string): Position {
  const run = /^([^/]*)\/([^/]+)\/(\d{1,10})$/.exec(position);
  const [, since = position, startedAt = since, cursor] = run ?? [];
  // The first run has no `since`.
  const isTime = (text: string): boolean =>
    /^\d{4}-\d\d-\d\d(T.*(Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isTime(since || startedAt) || !isTime(startedAt))
    throw new TypeError(
      `'${position}' is not a position: use one that changedLeads returned, or a date-time such as 2026-01-31T09:30:00Z.`,
    );
  return { since: since || undefined, ...(run && { startedAt, cursor: Number(cursor) }) };
}

/**
 * The service's time when it began to answer: its `Date` header minus the duration of the whole request. Without the header, this machine's
 * time.
 */
function serviceTime(headers: Headers, sentAt: number): number {
  const now = Date.now();
  const date = Date.parse(headers.get('Date') ?? '');
  return (Number.isNaN(date) ? now : date) - (now - sentAt);
}
