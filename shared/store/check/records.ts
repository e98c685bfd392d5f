import { crc32 } from 'node:zlib';
import { recordExpiry } from '../../leads/idempotency.ts';
import { limits } from '../../limits.ts';
import type { Item } from '../table/items.ts';
import type { PrimaryKey } from '../table/primary-keys.ts';
import { clockMarginMs, isStoredDateTime } from './times.ts';

const lifetimeMs = limits.idempotencyHours * 3_600_000;

/** What is wrong with an idempotency record in itself, as sentences' ends. */
export function recordIssues({ expiresAt, ttl }: Item): string[] {
  if (typeof expiresAt !== 'number')
    return ['has no expiresAt, so it never expires: delete the item'];
  return [
    ...(expiresAt > recordExpiry(new Date()) + clockMarginMs
      ? [
          `expires at ${expiresAt}, more than ${limits.idempotencyHours} hours from now: delete the item`,
        ]
      : []),
    ...(ttl === Math.ceil(expiresAt / 1000)
      ? []
      : [
          `has the ttl ${JSON.stringify(ttl) ?? 'missing'}, which must be expiresAt in seconds: delete the item`,
        ]),
  ];
}

/** The capture that a record is of. A record expires a day after its capture, to the millisecond. */
export interface RecordedCapture {
  readonly leadId: number;
  readonly keyId: string;
  readonly at: string;
}

/** @returns undefined if the record has expired: nobody reads it. @param record without issues */
export function captureIn(
  record: Item,
  keyId: string,
  leadId: number,
): RecordedCapture | undefined {
  const expiresAt = Number(record.expiresAt);
  return expiresAt > Date.now()
    ? { leadId, keyId, at: new Date(expiresAt - lifetimeMs).toISOString() }
    : undefined;
}

const digestOf = ({ leadId, keyId, at }: RecordedCapture): number =>
  crc32(`${leadId} ${keyId} ${at}`) | 0;

/** An idempotency record, and the API key that it is of. */
export interface RecordOfKey {
  readonly key: PrimaryKey;
  readonly keyId: string;
}

/** Compares the records of the last day with the captures on timelines, in whatever order the scan reads them. */
export class RecordedCaptures {
  readonly #onTimelines = new Set<number>();
  readonly #records: (RecordOfKey & { readonly digest: number })[] = [];
  readonly #since = Date.now() - lifetimeMs - clockMarginMs;

  addEntry(leadId: number, { type, at, keyId }: Item): void {
    const isCapture = type === 'captured' || type === 'captured_new';
    if (isCapture && isStoredDateTime(at) && Date.parse(at) >= this.#since)
      this.#onTimelines.add(digestOf({ leadId, keyId: String(keyId), at }));
  }

  addRecord(record: RecordOfKey, capture: RecordedCapture): void {
    this.#records.push({ ...record, digest: digestOf(capture) });
  }

  /** The records whose capture is on no timeline. */
  get unexplained(): RecordOfKey[] {
    return this.#records.filter(({ digest }) => !this.#onTimelines.has(digest));
  }
}
