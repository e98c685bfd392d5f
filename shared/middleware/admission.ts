import type { APIGatewayProxyEvent } from 'aws-lambda';
import { BoundedMap } from '../base/maps.ts';
import { type Endpoint, endpointModule } from '../contract/endpoints.ts';
import { ApiError, apiErrors } from '../contract/errors.ts';
import { hashApiKey, parseApiKey } from '../organization/api-key.ts';
import type { Organization } from '../organization/organization.ts';
import {
  admitKey,
  admitOrganization,
  type Bucket,
  type Caller,
  type KeyAdmission,
  type OrganizationAdmission,
  type RefusedKey,
} from '../store/organizations/admission.ts';
import { loadOrganization } from '../store/organizations/organizations.ts';
import type { Table } from '../store/table/client.ts';
import { type Call, headerValues } from './call.ts';

/** The caller of an API key, and the key's tokens when last seen. */
interface LiveKey {
  readonly caller: Caller;
  readonly bucket: Bucket;
  /** Epoch milliseconds. */
  readonly seenAt: number;
}

/** How long an exhausted key is refused from the cache. Then DynamoDB is asked again, because the key may have been revoked. */
const exhaustedMs = 10_000;

const cachedKeysMax = 1000;
/** The last outcome for each API key; a refusal is permanent. */
const cachedKeys = new BoundedMap<string, LiveKey | RefusedKey>(cachedKeysMax);
const exhaustedOrganizations = new BoundedMap<number, Bucket>(cachedKeysMax);
const cachedOrganizations = new BoundedMap<number, Organization>(100);

/** A key with less than this share of its tokens is admitted before the organization, so that an exhausted key spends none of its tokens. */
const roomyShare = 0.1;

/** What an endpoint may prefetch with. The request is not admitted yet: a prefetch must not write. */
export interface PrefetchContext {
  readonly table: Table;
  readonly organizationId: number;
  readonly keyId: string;
  /** The settings this function saw last; admission may report a newer version. */
  readonly cachedOrganization: Organization | undefined;
}

export interface Admitted<Prefetched> {
  readonly caller: Caller;
  readonly organization: Organization;
  /** For an endpoint that numbers leads: the organization's sequence, advanced for this request. `newLeadId` makes an ID of it. */
  readonly leadSequence: number;
  /** The endpoint's prefetch, started in parallel with admission; undefined for an endpoint without one. */
  readonly prefetched: Promise<Prefetched> | undefined;
}

/**
 * Checks that the API key is live, takes one token from its bucket and one from its organization's, loads the newest settings, and checks
 * the module and the scope (contract, sections 5 and 8; design, section 3). For a cached key this is one round trip of two parallel writes. The endpoint's
 * prefetch runs in parallel with them.
 * @throws ApiError UNAUTHORIZED, RATE_LIMITED, FORBIDDEN
 */
export async function admit<Prefetched>(
  event: APIGatewayProxyEvent,
  call: Call,
  prefetch: ((context: PrefetchContext) => Promise<Prefetched>) | undefined,
): Promise<Admitted<Prefetched>> {
  const { table, endpoint } = call;
  const apiKeyHash = bearerKeyHash(event);
  const now = new Date();
  const cached = refuseCached(call, cachedKeys.get(apiKeyHash), now);

  const liveKey = admitKey(table, apiKeyHash, now).then((key) =>
    requireLive(call, apiKeyHash, key),
  );
  const { caller } = cached && isRoomy(cached, now) ? cached : await liveKey;
  const { organizationId, keyId } = caller;
  const cachedOrganization = cachedOrganizations.get(organizationId);
  const hasScope = endpoint.scopes.some((scope) => caller.scopes.includes(scope));
  const prefetched = hasScope
    ? prefetch?.({ table, organizationId, keyId, cachedOrganization })
    : undefined;
  prefetched?.catch(() => undefined); // the endpoint awaits it, unless admission refuses the request

  const admission = admitToOrganization(call, organizationId, now);
  await Promise.allSettled([liveKey, admission]); // both tokens are taken, or refused, before the response
  const key = await liveKey;
  const { admitted, organization } = await admission;
  showLimits(call, key.bucket, admitted.bucket);
  if (admitted.outcome === 'exhausted') throw exhausted(call, admitted.bucket);
  call.organization = organization;
  authorize(endpoint, organization, hasScope);
  const { leadSequence } = admitted;
  return { caller: key.caller, organization, leadSequence, prefetched };
}

/** @throws ApiError FORBIDDEN, naming the module that the organization lacks, or the scopes that the API key would need (contract, section 5) */
function authorize({ scopes }: Endpoint, { modules }: Organization, hasScope: boolean): void {
  if (!modules.includes(endpointModule)) {
    const sentence = `The organization's plan does not include the module ${endpointModule}.`;
    throw new ApiError('FORBIDDEN', { module: endpointModule }, sentence);
  }
  if (!hasScope) {
    const sentence = `The API key lacks the scope ${scopes.join(' or ')}.`;
    throw new ApiError('FORBIDDEN', { scopes }, sentence);
  }
}

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

/** Refuses from the cache what DynamoDB would refuse again: a key that keeps sending costs no write and heats no partition.
 *  @throws ApiError UNAUTHORIZED, RATE_LIMITED */
function refuseCached(
  call: Call,
  cached: LiveKey | RefusedKey | undefined,
  now: Date,
): LiveKey | undefined {
  if (!cached) return undefined;
  if ('outcome' in cached || cached.caller.expiresAt <= now.getTime()) {
    call.caller = cached.caller;
    throw new ApiError('UNAUTHORIZED');
  }
  const isExhausted = (bucket: Bucket | undefined): bucket is Bucket =>
    bucket !== undefined && bucket.remaining === 0 && bucket.resetsAt > now.getTime();
  const organizationBucket = exhaustedOrganizations.get(cached.caller.organizationId);
  const [bucket, other] = [cached.bucket, organizationBucket].filter(isExhausted);
  if (!bucket || call.startedAt - cached.seenAt > exhaustedMs) return cached;
  call.caller = cached.caller;
  throw exhausted(call, other ? closer(bucket, other) : bucket);
}

const isRoomy = ({ bucket: { remaining, limit, resetsAt } }: LiveKey, now: Date): boolean =>
  remaining > limit * roomyShare || resetsAt <= now.getTime();

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

/** The bucket with fewer tokens left; of two with as many, the one whose window ends later (design, section 3). */
function closer(a: Bucket, b: Bucket): Bucket {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetsAt >= b.resetsAt ? a : b;
}

const secondsUntil = (atMs: number): string =>
  String(Math.max(1, Math.ceil((atMs - Date.now()) / 1000)));

function showLimits(call: Call, a: Bucket, b: Bucket = a): void {
  const { limit, remaining, resetsAt } = closer(a, b);
  call.responseHeaders['RateLimit-Limit'] = String(limit);
  call.responseHeaders['RateLimit-Remaining'] = String(remaining);
  call.responseHeaders['RateLimit-Reset'] = secondsUntil(resetsAt);
}

/** The error of an exhausted bucket. `Retry-After` and `RateLimit-Reset` name the same moment. */
function exhausted(call: Call, bucket: Bucket): ApiError {
  showLimits(call, bucket);
  call.responseHeaders['Retry-After'] =
    call.responseHeaders['RateLimit-Reset'] ?? secondsUntil(bucket.resetsAt);
  const whose = `limit of the ${bucket.owner} (${bucket.limit})`;
  const sentence = apiErrors.RATE_LIMITED.sentence.replace('limit', whose);
  return new ApiError('RATE_LIMITED', undefined, sentence);
}
