import { BoundedMap } from '../base/maps.ts';
import type { Organization } from '../organization/organization.ts';
import type { Bucket, Caller, RefusedKey } from '../store/organizations/admission.ts';

/** The caller of an API key, and the key's tokens when last seen. */
export interface LiveKey {
  readonly caller: Caller;
  readonly bucket: Bucket;
  /** Epoch milliseconds. */
  readonly seenAt: number;
}

const cachedKeysMax = 1000;
/** The last outcome for each API key. A refusal is permanent. */
export const cachedKeys = new BoundedMap<string, LiveKey | RefusedKey>(cachedKeysMax);
export const exhaustedOrganizations = new BoundedMap<number, Bucket>(cachedKeysMax);
export const cachedOrganizations = new BoundedMap<number, Organization>(100);

/** How long an exhausted key is refused from the cache. After that, DynamoDB decides again, because the key may have been revoked. */
const exhaustedMs = 10_000;

/** Whether DynamoDB would refuse the key forever. */
export const isRefused = (key: LiveKey | RefusedKey, now: Date): key is RefusedKey =>
  'outcome' in key || key.caller.expiresAt <= now.getTime();

/** The exhausted buckets because of which DynamoDB would refuse the key again: its own, its organization's, or both. */
export function exhaustedBuckets({ caller, bucket, seenAt }: LiveKey, now: Date): Bucket[] {
  if (now.getTime() - seenAt > exhaustedMs) return [];
  return [bucket, exhaustedOrganizations.get(caller.organizationId)].filter(
    (candidate): candidate is Bucket =>
      candidate !== undefined && candidate.remaining === 0 && candidate.resetsAt > now.getTime(),
  );
}

/**
 * A key with at most this share of its tokens is admitted before its organization. So an exhausted key takes none of the organization's
 * tokens.
 */
const spareShare = 0.1;

export const hasTokensToSpare = ({ bucket }: LiveKey, now: Date): boolean =>
  bucket.remaining > bucket.limit * spareShare || bucket.resetsAt <= now.getTime();
