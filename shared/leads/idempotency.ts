import { hash } from 'node:crypto';
import { limits } from '../contract/limits.ts';
import { type Refusal, validationFailed } from '../contract/refusals.ts';
import type { CaptureRequest, CaptureResult } from '../contract/types.ts';

/** What a capture stores so that its repeats can be recognized and replayed. */
export interface IdempotencyRecord {
  /** Digest of the body that was captured. */
  readonly fingerprint: string;
  readonly result: CaptureResult;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** When the idempotency window of a capture made `now` ends, in epoch milliseconds. */
export const recordExpiry = (now: Date): number =>
  now.getTime() + limits.idempotencyHours * 3_600_000;

/** An idempotency key and where it was given. Both places share one namespace per API key (design, section 6). */
export interface IdempotencyKey {
  readonly value: string;
  readonly givenAs: 'Idempotency-Key' | 'externalId';
}

/** A valid `Idempotency-Key` header: 1 to 200 printable ASCII characters (contract, section 4.3). */
export const idempotencyKeyHeader = new RegExp(`^[ -~]{1,${limits.idempotencyKeyMaxChars}}$`);

/** The idempotency keys of a request, the header's first. The same key given twice counts once. */
export function idempotencyKeys(
  header: string | undefined,
  externalId: string | undefined,
): IdempotencyKey[] {
  const keys: IdempotencyKey[] = [];
  if (header !== undefined) keys.push({ value: header, givenAs: 'Idempotency-Key' });
  if (externalId !== undefined && externalId !== header)
    keys.push({ value: externalId, givenAs: 'externalId' });
  return keys;
}

/** What identifies the repeats of a request. */
export interface Idempotency {
  readonly keys: readonly IdempotencyKey[];
  readonly fingerprint: string;
}

/** @param header `Idempotency-Key`, if sent */
export const idempotencyOf = (
  header: string | undefined,
  { externalId, ...enquiry }: CaptureRequest,
): Idempotency => ({
  keys: idempotencyKeys(header, externalId),
  fingerprint: fingerprintOf(enquiry),
});

/** SHA-256 of a body, independent of the order of its properties, so that a repeat has the same fingerprint. */
export const fingerprintOf = (body: unknown): string =>
  hash('sha256', canonicalJson(body), 'base64url');

/** A value as JSON, with each object's properties sorted by name, because DynamoDB returns the properties of a map in any order. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, part]) => `${JSON.stringify(name)}:${canonicalJson(part)}`).join(',')}}`;
}

/** A repeated capture: the record of its first result, and its idempotency keys that have no record yet. */
export interface Replay {
  readonly outcome: 'replay';
  readonly record: IdempotencyRecord;
  readonly unrecorded: readonly IdempotencyKey[];
}

/**
 * The earlier result that a request repeats, if any of its keys has a record. If both keys have one, the header's is replayed.
 * @param records parallel to the keys
 * @throws ApiError VALIDATION_FAILED when a key was used with another body (contract, section 4.3, rule 7).
 */
export function replayOf(
  { keys, fingerprint }: Idempotency,
  records: readonly (IdempotencyRecord | undefined)[],
): Replay | undefined {
  const reused = keys.filter(
    (_, index) => records[index] && records[index]?.fingerprint !== fingerprint,
  );
  if (reused.length > 0) {
    const refusal: Refusal = {
      reason: 'idempotency_key_reused',
      sentence: `was used with a different body within the last ${limits.idempotencyHours} hours.`,
    };
    throw validationFailed(reused.map(({ givenAs }) => [givenAs, refusal]));
  }
  const record = records.find((found) => found !== undefined);
  const unrecorded = keys.filter((_, index) => !records[index]);
  return record && { outcome: 'replay', record, unrecorded };
}
