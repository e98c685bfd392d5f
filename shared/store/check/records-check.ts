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
  crc32(`${leadId} ${keyId} ${at}`);

/** The record of a capture that is on no timeline yet. */
export interface WaitingRecord {
  readonly organizationId: number;
  readonly key: PrimaryKey;
  readonly keyId: string;
  readonly leadId: number;
}

/** Compares the records of the last day with the captures on timelines, in whatever order the scan reads them. */
export class RecordedCaptures {
  readonly #onTimelines = new Set<number>();
  readonly #waiting = new Map<number, WaitingRecord[]>();
  readonly #since = Date.now() - lifetimeMs - clockMarginMs;

  addEntry(leadId: number, { type, at, keyId }: Item): void {
    const isCapture = type === 'captured' || type === 'captured_new';
    if (!isCapture || !isStoredDateTime(at) || Date.parse(at) < this.#since) return;
    const digest = digestOf({ leadId, keyId: String(keyId), at });
    this.#onTimelines.add(digest);
    this.#waiting.delete(digest);
  }

  addRecord(capture: RecordedCapture, record: WaitingRecord): void {
    const digest = digestOf(capture);
    if (this.#onTimelines.has(digest)) return;
    this.#waiting.set(digest, [...(this.#waiting.get(digest) ?? []), record]);
  }

  /** The records whose capture is on no timeline. */
  get waiting(): WaitingRecord[] {
    return [...this.#waiting.values()].flat();
  }
}
