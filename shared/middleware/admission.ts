import type { APIGatewayProxyEvent } from 'aws-lambda';
import { BoundedMap } from '../bounded-map.ts';
import { ApiError } from '../errors.ts';
import { hashApiKey, parseApiKey } from '../organization/api-key.ts';
import type { Organization } from '../organization/organization.ts';
import {
  admitKey,
  admitOrganization,
  type Bucket,
  type Caller,
  type KeyAdmission,
  type OrganizationAdmission,
} from '../store/organizations/admission.ts';
import { loadOrganization } from '../store/organizations/organizations.ts';
import { type Call, headerValues, type Middleware } from './call.ts';

/** What this function caches about an API key: its caller and its tokens when last seen, or that it was refused for good. */
type CachedKey =
  | { readonly refused: true }
  | { readonly refused: false; readonly caller: Caller; readonly bucket: Bucket };

const cachedKeysMax = 1000;
const cachedKeys = new BoundedMap<string, CachedKey>(cachedKeysMax);
const exhaustedOrganizations = new BoundedMap<number, Bucket>(cachedKeysMax);
const cachedOrganizations = new BoundedMap<number, Organization>(100);

/** A key with less than this share of its tokens is admitted before the organization, so that an exhausted key spends none of its tokens. */
const roomyShare = 0.1;

/** What an endpoint may prefetch with. The request is not admitted yet: a prefetch must not write. */
export interface PrefetchContext<Input> {
  readonly table: Call['table'];
  readonly organizationId: number;
  readonly keyId: string;
  /** The settings this function saw last; admission may report a newer version. */
  readonly cachedOrganization: Organization | undefined;
  readonly input: Input;
}
export type Prefetch<Input, Prefetched> = (context: PrefetchContext<Input>) => Promise<Prefetched>;

/**
 * Checks that the API key is live, takes one token from its bucket and one from its organization's, and loads the newest settings
 * (contract, sections 5 and 8; design, section 3). For a cached key this is one round trip of two parallel writes. The endpoint's
 * prefetch runs in parallel with them.
 * @throws ApiError UNAUTHORIZED, RATE_LIMITED
 */
export const admission = <Input, Prefetched>(
  prefetch: Prefetch<Input, Prefetched> | undefined,
): Middleware<Input, Prefetched> => ({
  before: async ({ event, context: call }) => {
    const apiKeyHash = bearerKeyHash(event);
    const now = new Date();
    const cached = cachedKeys.get(apiKeyHash);
    refuseCached(call, cached, now);

    const admittedKey = admitKey(call.table, apiKeyHash, now).then((key) =>
      liveKey(call, apiKeyHash, key),
    );
    const caller = isRoomy(cached, now) ? cached.caller : (await admittedKey).caller;
    const [key, organization] = await Promise.allSettled([
      admittedKey,
      admitToOrganization(call, caller, now, prefetch),
    ]);

    if (key.status === 'rejected') throw key.reason;
    if (organization.status === 'rejected') throw organization.reason;
    const { admitted, settings, hasScope, prefetched } = organization.value;
    showLimits(call, key.value.bucket, admitted.bucket);
    if (admitted.outcome === 'exhausted') throw exhausted(call, admitted.bucket);
    call.admitted = {
      caller: key.value.caller,
      hasScope,
      organization: settings,
      leadSequence: admitted.leadSequence,
      prefetched,
    };
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

/** Refuses from the cache what would be refused again: a hammering key costs DynamoDB nothing and heats no partition. */
function refuseCached(call: Call, cached: CachedKey | undefined, now: Date): void {
  if (!cached) return;
  if (cached.refused || cached.caller.expiresAt <= now.getTime())
    throw new ApiError('UNAUTHORIZED');
  const isExhausted = (bucket: Bucket | undefined): bucket is Bucket =>
    bucket !== undefined && bucket.remaining === 0 && bucket.resetsAt > now.getTime();
  const organizationBucket = exhaustedOrganizations.get(cached.caller.organizationId);
  const [bucket, other] = [cached.bucket, organizationBucket].filter(isExhausted);
  if (!bucket) return;
  call.caller = cached.caller;
  throw exhausted(call, other ? closer(bucket, other) : bucket);
}

function isRoomy(
  cached: CachedKey | undefined,
  now: Date,
): cached is CachedKey & { refused: false } {
  if (!cached || cached.refused) return false;
  const { remaining, limit, resetsAt } = cached.bucket;
  return remaining > limit * roomyShare || resetsAt <= now.getTime();
}

/** Caches what became of an API key, and requires that it is live and gave a token.
 *  @throws ApiError UNAUTHORIZED, RATE_LIMITED */
function liveKey(
  call: Call,
  apiKeyHash: string,
  key: KeyAdmission,
): { readonly caller: Caller; readonly bucket: Bucket } {
  if (!('caller' in key)) {
    cachedKeys.set(apiKeyHash, { refused: true });
    throw new ApiError('UNAUTHORIZED');
  }
  const { outcome, caller, bucket } = key;
  const isExhausted = outcome === 'exhausted';
  cachedKeys.set(apiKeyHash, {
    refused: false,
    caller,
    bucket: isExhausted ? { ...bucket, remaining: 0 } : bucket,
  });
  call.caller = caller;
  if (isExhausted) throw exhausted(call, bucket);
  return { caller, bucket };
}

interface AdmittedToOrganization<Prefetched> {
  readonly admitted: OrganizationAdmission;
  readonly settings: Organization;
  readonly hasScope: boolean;
  readonly prefetched: Promise<Prefetched> | undefined;
}

/** Takes the organization's token and loads its settings, in parallel with the endpoint's prefetch. */
async function admitToOrganization<Input, Prefetched>(
  call: Call<Input, Prefetched>,
  caller: Caller,
  now: Date,
  prefetch: Prefetch<Input, Prefetched> | undefined,
): Promise<AdmittedToOrganization<Prefetched>> {
  const { organizationId, keyId } = caller;
  const { table, input, endpoint } = call;
  const cachedOrganization = cachedOrganizations.get(organizationId);
  const hasScope = endpoint.scopes.some((scope) => caller.scopes.includes(scope));
  const prefetched =
    input?.ok && hasScope
      ? prefetch?.({ table, organizationId, keyId, cachedOrganization, input: input.parts })
      : undefined;
  prefetched?.catch(() => undefined); // the endpoint awaits it, unless admission refuses the request
  const [admitted, cached] = await Promise.all([
    admitOrganization(table, organizationId, now, endpoint.numbersLeads === true),
    cachedOrganization ?? loadOrganization(table, organizationId),
  ]);
  if (admitted.bucket.remaining === 0) exhaustedOrganizations.set(organizationId, admitted.bucket);
  const isCurrent =
    cached && (admitted.outcome === 'exhausted' || cached.version >= admitted.settingsVersion);
  const settings = isCurrent ? cached : await loadOrganization(table, organizationId);
  if (!settings)
    throw new Error(`Organization ${organizationId} has a usage item but no settings.`);
  cachedOrganizations.set(organizationId, settings);
  return { admitted, settings, hasScope, prefetched };
}

/** The bucket that is closer to running out; of two that are equal, the one whose window ends later (design, section 3). */
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
  showLimits(call, { ...bucket, remaining: 0 });
  call.responseHeaders['Retry-After'] =
    call.responseHeaders['RateLimit-Reset'] ?? secondsUntil(bucket.resetsAt);
  return new ApiError('RATE_LIMITED');
}
