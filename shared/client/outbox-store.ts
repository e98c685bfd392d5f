import type { CaptureRequest } from './client.ts';

/** An enquiry in the outbox. Times are ISO 8601. */
export interface OutboxEntry {
  /** 64 hexadecimal digits: a digest of the enquiry as it was added, and of the view of the form. */
  readonly key: string;
  readonly enquiry: CaptureRequest;
  readonly idempotencyKey: string;
  /** `refused` and `given-up` need a person. */
  readonly state: 'waiting' | 'refused' | 'given-up';
  readonly addedAt: string;
  /** Attempts under this idempotency key. */
  readonly attempts: number;
  readonly firstSentAt: string | null;
  readonly nextAttemptAt: string;
  /** Of the last attempt. */
  readonly lastError: string | null;
  /** Why the state is `refused`: the reason by field or property, such as `invalid_phone`. */
  readonly refused: Readonly<Record<string, string>>;
  /** The values that the service refused, by name. Their texts are in the enquiry's notes. */
  readonly removed: Readonly<Record<string, string>>;
}

/** Where an outbox keeps its entries. An entry is JSON: a file, a row of a database, or a value of a key-value store. */
export interface OutboxStore {
  /** Stores an entry, or replaces that of the same key: whole or not at all, and durable once it resolves. */
  put(entry: OutboxEntry): Promise<void>;
  get(key: string): Promise<OutboxEntry | undefined>;
  /** Deletes an entry. One that is not there is no error. */
  delete(key: string): Promise<void>;
  list(): Promise<OutboxEntry[]>;
}
