import type { CaptureResult } from '../contract/types.ts';
import { type CaptureRequest, idempotencyKeyOf, type LeadClient } from './client.ts';
import { isoTime, sleep } from './connection.ts';
import { isLeadServiceError, retryAfterMsOf } from './errors.ts';
import { fileStore, type OutboxEntry, type OutboxStore } from './outbox-store.ts';
import { withoutNulls, withoutRefusedValues } from './refused-values.ts';

export { fileStore, type OutboxEntry, type OutboxStore } from './outbox-store.ts';
export { type ReducedEnquiry, withoutRefusedValues } from './refused-values.ts';

const minuteMs = 60_000;
/** The waits after each failed attempt. The last one repeats. */
const waitsMs = [0.5, 2, 7, 15, 30, 45, 60, 90, 120, 180].map((minutes) => minutes * minuteMs);

/**
 * The service remembers an idempotency key for 24 hours after it captured the enquiry. A later attempt could capture it twice, so the last
 * attempt is half an hour before that.
 */
const lastAttemptAfterMs = 23.5 * 60 * minuteMs;
const latenessMs = 10 * minuteMs;
const sentInParallel = 4;

/** Refusals that an unchanged enquiry always gets. All others can go away: somebody replaces the key or corrects the address. */
const finalCodes = new Set<string>([
  'VALIDATION_FAILED',
  'INVALID_JSON',
  'PAYLOAD_TOO_LARGE',
  'INVALID_IDEMPOTENCY_KEY',
]);

export interface OutboxOptions {
  /** Keeps the enquiries. @default `fileStore('./outbox')` */
  readonly store?: OutboxStore;
  /** Called when the service has captured an enquiry. */
  readonly onDelivered?: (entry: OutboxEntry, result: CaptureResult) => void;
  /**
   * Called when an enquiry needs a person: it was refused, or not delivered for almost 24 hours. It stays in the store.
   * @default prints a line without personal data on stderr
   */
  readonly onAttention?: (entry: OutboxEntry) => void;
}

/**
 * Keeps enquiries until the service has captured them. `add` resolves once the enquiry is stored: thank the visitor only then.
 *
 * @example
 * const outbox = new Outbox(client, { store: fileStore('./outbox') });
 * outbox.start();
 * await outbox.add({ name, phone, notes }, { formView });
 */
export class Outbox {
  readonly #client: LeadClient;
  readonly #store: OutboxStore;
  readonly #options: OutboxOptions;
  #wake = new AbortController();
  #isStopped = true;
  #loop: Promise<void> = Promise.resolve();
  readonly #inFlight = new Map<string, Promise<void>>();

  constructor(client: LeadClient, options: OutboxOptions = {}) {
    this.#client = client;
    this.#store = options.store ?? fileStore('./outbox');
    this.#options = options;
  }

  /**
   * Stores an enquiry; a value of null counts as absent. The same content from the same form view is one enquiry.
   * @param sent the enquiry
   * @param options.formView a random ID per page view
   * @returns the entry's key
   */
  async add(sent: CaptureRequest, options: { readonly formView?: string } = {}): Promise<string> {
    const enquiry = withoutNulls(sent);
    const key = await idempotencyKeyOf(enquiry, options.formView);
    const now = Date.now();
    const entry = { ...newAttempts(key, now), key, enquiry, addedAt: isoTime(now), removed: {} };
    if (!(await this.#store.get(key))) await this.#store.put(entry);
    this.#wake.abort();
    return key;
  }

  /** Sends enquiries as they become due, until `stop`. */
  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#loop = this.#run();
  }

  /** Ends `start`, once pending requests have finished. Undelivered enquiries stay in the store. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake.abort();
    await this.#loop;
  }

  /**
   * Sends the enquiries that are due, once: for a scheduled job.
   * @returns when the next enquiry is due, in milliseconds since the epoch; undefined if none waits
   */
  async sendDue(): Promise<number | undefined> {
    const now = Date.now();
    const due = (await this.#waiting()).filter(
      ({ nextAttemptAt }) => Date.parse(nextAttemptAt) <= now,
    );
    const sendNext = async (): Promise<void> => {
      for (let entry = due.shift(); entry; entry = due.shift()) {
        const current = await this.#store.get(entry.key); // `deliver` may have sent it meanwhile
        if (current?.attempts === entry.attempts) await this.#send(current);
      }
    };
    await Promise.all(Array.from({ length: sentInParallel }, sendNext));
    const times = (await this.#waiting()).map(({ nextAttemptAt }) => Date.parse(nextAttemptAt));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /**
   * Sends an entry now, even if it is not due, while the visitor waits.
   * @returns undefined if the service captured it; otherwise the stored entry, whose `refused` says what the visitor can correct
   */
  async deliver(key: string): Promise<OutboxEntry | undefined> {
    const entry = await this.#store.get(key);
    if (entry?.state === 'waiting') await this.#send(entry);
    return this.#store.get(key);
  }

  /** Deletes an entry, because the visitor corrects it or a person has dealt with it. */
  discard(key: string): Promise<void> {
    return this.#store.delete(key);
  }

  /** The enquiries that need a person: refused, or given up. */
  async needingAttention(): Promise<OutboxEntry[]> {
    return (await this.#store.list()).filter(({ state }) => state !== 'waiting');
  }

  /** Sends a refused or given-up enquiry again as soon as possible, with another 24 hours. */
  async sendAgain(key: string): Promise<void> {
    const entry = await this.#store.get(key);
    if (!entry) throw new RangeError(`The outbox has no entry ${key}.`);
    await this.#store.put({ ...entry, ...newAttempts(entry.idempotencyKey, Date.now()) });
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#wake = new AbortController();
      const next = await this.sendDue().catch((error: unknown) => {
        console.error('lead-service-client: the outbox cannot be read or written.', error);
        return Date.now() + minuteMs;
      });
      // Wakes at least once a minute, because another process can add to the same store.
      const waitMs = Math.min(minuteMs, Math.max(0, (next ?? Infinity) - Date.now()));
      await sleep(waitMs, this.#wake.signal).catch(() => {});
    }
  }

  async #waiting(): Promise<OutboxEntry[]> {
    return (await this.#store.list()).filter(({ state }) => state === 'waiting');
  }

  /** Sends an entry; never has two requests for the same entry in flight. */
  #send(entry: OutboxEntry): Promise<void> {
    const { key } = entry;
    const sending =
      this.#inFlight.get(key) ?? this.#attempt(entry).finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, sending);
    return sending;
  }

  async #attempt(entry: OutboxEntry): Promise<void> {
    const now = Date.now();
    const firstSentAt = entry.firstSentAt ?? isoTime(now);
    const lastAt = Date.parse(firstSentAt) + lastAttemptAfterMs;
    if (now > lastAt + latenessMs) return this.#keepForAttention({ ...entry, state: 'given-up' });
    const wait = waitsMs[Math.min(entry.attempts, waitsMs.length - 1)] ?? 0;
    const sent: OutboxEntry = {
      ...entry,
      firstSentAt,
      attempts: entry.attempts + 1,
      nextAttemptAt: isoTime(Math.min(now + wait, Math.max(lastAt, now))),
    };
    await this.#store.put(sent); // stored first, because the request can arrive even if this process ends
    let result: CaptureResult;
    try {
      const { enquiry, idempotencyKey } = sent;
      result = await this.#client.captureLead(enquiry, { idempotencyKey, attempts: 1 });
    } catch (error) {
      if (!(await this.#store.get(sent.key))) return; // it was discarded meanwhile
      return this.#keep({ ...sent, lastError: String(error) }, error, lastAt);
    }
    await this.#store.delete(sent.key);
    this.#options.onDelivered?.(sent, result);
  }

  async #keep(entry: OutboxEntry, error: unknown, lastAt: number): Promise<void> {
    const now = Date.now();
    const invalid = isLeadServiceError(error, 'VALIDATION_FAILED') ? error.details : undefined;
    const reduced = invalid && withoutRefusedValues(entry.enquiry, Object.keys(invalid.fields));
    if (reduced) {
      const { enquiry, removed } = reduced;
      // The content differs now, so it needs another idempotency key. Nothing was captured under the first key.
      const again = newAttempts(await idempotencyKeyOf(enquiry, entry.key), now);
      return this.#attempt({
        ...entry,
        ...again,
        enquiry,
        removed: { ...entry.removed, ...removed },
        removedReasons: { ...entry.removedReasons, ...invalid.reasons },
      });
    }
    if (isLeadServiceError(error) && finalCodes.has(error.code))
      return this.#keepForAttention({
        ...entry,
        state: 'refused',
        refused: invalid?.reasons ?? {},
      });
    if (now >= lastAt) return this.#keepForAttention({ ...entry, state: 'given-up' });
    const next = Math.max(Date.parse(entry.nextAttemptAt), now + retryAfterMsOf(error));
    await this.#store.put({ ...entry, nextAttemptAt: isoTime(Math.min(next, lastAt)) });
  }

  async #keepForAttention(entry: OutboxEntry): Promise<void> {
    await this.#store.put(entry);
    (this.#options.onAttention ?? printAttention)(entry);
  }
}

const newAttempts = (idempotencyKey: string, now: number) =>
  ({
    idempotencyKey,
    state: 'waiting',
    attempts: 0,
    firstSentAt: null,
    nextAttemptAt: isoTime(now),
    lastError: null,
    refused: {},
  }) as const;

function printAttention({ key, state, lastError }: OutboxEntry): void {
  console.error(
    `lead-service-client: enquiry ${key} is ${state}, and stays in the outbox: ${lastError ?? 'it was not sent in time'}`,
  );
}
