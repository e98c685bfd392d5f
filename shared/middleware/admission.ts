import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError, limitReached } from '../contract/errors.ts';
import { hashApiKey, parseApiKey } from '../organization/api-key.ts';
import type { Organization } from '../organization/organization.ts';
import {
  admitKey,
  admitOrganization,
  type Bucket,
  type KeyAdmission,
  type OrganizationAdmission,
} from '../store/organizations/admission.ts';
import { loadOrganization } from '../store/organizations/organizations.ts';
import type { Table } from '../store/table/client.ts';
import { hasScope } from './authorization.ts';
import { type Admitted, type Call, headerValues, type ParsedInput, type Step } from './call.ts';
import {
  cachedKeys,
  cachedOrganizations,
  exhaustedBuckets,
  exhaustedOrganizations,
  hasTokensToSpare,
  isRefused,
  type LiveKey,
} from './key-cache.ts';

/** What a prefetch may use. The request is not admitted yet, so a prefetch must not write. */
export interface PrefetchContext {
  readonly table: Table;
  readonly organizationId: number;
  readonly keyId: string;
  /** The settings that this function read last. Admission may report a newer version. */
  readonly cachedOrganization: Organization | undefined;
}

/**
 * Checks that the API key is live, takes one token from its bucket and one from its organization's, and loads the newest settings
 * (contract, sections 5 and 8; design, section 3). For a cached key this is one round trip of two parallel writes. The endpoint's prefetch
 * runs in parallel with them. Refuses with UNAUTHORIZED or RATE_LIMITED.
 */
export const admission = <Added extends ParsedInput, Prefetched>(
  prefetch: ((context: PrefetchContext & Added) => Promise<Prefetched>) | undefined,
): Step<Added & Admitted<Prefetched>> => ({
  before: async ({ event, context: call }) => {
    const { table, endpoint } = call;
    const apiKeyHash = bearerKeyHash(event);
    const now = new Date();
    const cached = refuseCached(call, apiKeyHash, now);

    const liveKey = admitKey(table, apiKeyHash, now).then((key) =>
      requireLive(call, apiKeyHash, key),
    );
    const { caller } = cached && hasTokensToSpare(cached, now) ? cached : await liveKey;
    const { organizationId, keyId } = caller;
    if (prefetch && !call.inputError && hasScope(endpoint, caller)) {
      const cachedOrganization = cachedOrganizations.get(organizationId);
      call.prefetched = prefetch({ ...call, organizationId, keyId, cachedOrganization });
      call.prefetched.catch(() => undefined); // no unhandled rejection if a step refuses the request before the endpoint awaits it
    }

    const organizationAdmission = admitToOrganization(call, organizationId, now);
    await Promise.allSettled([liveKey, organizationAdmission]); // both updates must complete before the response
    const key = await liveKey;
    const { admitted, organization } = await organizationAdmission;
    showLimits(call, key.bucket, admitted.bucket);
    if (admitted.outcome === 'exhausted') throw exhausted(call, admitted.bucket);
    call.organization = organization;
    call.leadSequence = admitted.leadSequence;
  },
});

/** The digest of the API key in the Authorization header. A mistyped key fails its checksum and costs no read.
 *  @throws ApiError UNAUTHORIZED */
function bearerKeyHash(event: APIGatewayProxyEvent): string {
  const [authorization, ...more] = headerValues(event, 'authorization');
  const apiKey = more.length > 0 ? undefined : /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (apiKey === undefined) {
    throw new ApiError(
      'UNAUTHORIZED',
      undefined,
      'Send the API key once, in the header Authorization: Bearer <API_KEY>.',
    );
  }
  if (!parseApiKey(apiKey)) throw new ApiError('UNAUTHORIZED');
  return hashApiKey(apiKey);
}

/**
 * Refuses from the cache a key that DynamoDB would refuse again, so that a client that keeps sending costs no writes and heats no
 * partition.
 *  @throws ApiError UNAUTHORIZED, RATE_LIMITED
 */
function refuseCached(call: Call, apiKeyHash: string, now: Date): LiveKey | undefined {
  const cached = cachedKeys.get(apiKeyHash);
  if (!cached) return undefined;
  if (isRefused(cached, now)) {
    call.caller = cached.caller;
    throw new ApiError('UNAUTHORIZED');
  }
  const [bucket, other = bucket] = exhaustedBuckets(cached, now);
  if (!bucket || !other) return cached;
  call.caller = cached.caller;
  throw exhausted(call, lowerBucket(bucket, other));
}

/** Caches the outcome for an API key, and requires a live key with a token.
 *  @throws ApiError UNAUTHORIZED, RATE_LIMITED */
function requireLive(call: Call, apiKeyHash: string, key: KeyAdmission): LiveKey {
  call.caller = key.caller;
  if (key.outcome === 'refused') {
    cachedKeys.set(apiKeyHash, key);
    throw new ApiError('UNAUTHORIZED');
  }
  const { outcome, caller, bucket } = key;
  const liveKey = { caller, bucket, seenAt: call.startedAt };
  cachedKeys.set(apiKeyHash, liveKey);
  if (outcome === 'exhausted') throw exhausted(call, bucket);
  return liveKey;
}

async function admitToOrganization(
  { table, endpoint }: Call,
  organizationId: number,
  now: Date,
): Promise<{ readonly admitted: OrganizationAdmission; readonly organization: Organization }> {
  const known = cachedOrganizations.get(organizationId);
  const [admitted, cached] = await Promise.all([
    admitOrganization(table, organizationId, now, endpoint.numbersLeads === true),
    known ?? loadOrganization(table, organizationId),
  ]);
  if (admitted.bucket.remaining === 0) exhaustedOrganizations.set(organizationId, admitted.bucket);
  const isCurrent =
    cached && (admitted.outcome === 'exhausted' || cached.version >= admitted.settingsVersion);
  const organization = isCurrent ? cached : await loadOrganization(table, organizationId);
  if (!organization)
    throw new Error(`Organization ${organizationId} has a usage item but no settings.`);
  cachedOrganizations.set(organizationId, organization);
  return { admitted, organization };
}

/** The bucket with fewer tokens left or, if they have the same number, the bucket whose window ends later (design, section 3). */
function lowerBucket(a: Bucket, b: Bucket): Bucket {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetsAt >= b.resetsAt ? a : b;
}

const secondsUntil = (atMs: number): string =>
  String(Math.max(1, Math.ceil((atMs - Date.now()) / 1000)));

/** @returns the seconds until the end of the window that the headers describe */
function showLimits(call: Call, a: Bucket, b: Bucket = a): string {
  const { limit, remaining, resetsAt } = lowerBucket(a, b);
  const seconds = secondsUntil(resetsAt);
  call.responseHeaders['RateLimit-Limit'] = String(limit);
  call.responseHeaders['RateLimit-Remaining'] = String(remaining);
  call.responseHeaders['RateLimit-Reset'] = seconds;
  return seconds;
}

/** The error of an exhausted bucket. `Retry-After` and `RateLimit-Reset` name the same moment. */
function exhausted(call: Call, bucket: Bucket): ApiError {
  call.responseHeaders['Retry-After'] = showLimits(call, bucket);
  const sentence = limitReached(`limit of the ${bucket.owner} (${bucket.limit})`);
  return new ApiError('RATE_LIMITED', undefined, sentence);
}
