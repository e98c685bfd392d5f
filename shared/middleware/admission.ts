import type { APIGatewayProxyEvent } from 'aws-lambda';
import { BoundedMap } from '../bounded-map.ts';
import { ApiError } from '../errors.ts';
import { prepareLog } from '../log.ts';
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
import { holdsScope } from './authorize.ts';
import { type Call, headerValues, type Middleware } from './call.ts';

/** What this function remembers of a key: who it is, its tokens when last seen, or that it was refused for good. */
type CachedKey = { readonly refused: true } | { readonly refused: false; readonly caller: Caller; readonly bucket: Bucket };

const cachedKeysMax = 1000;
const cachedKeys = new BoundedMap<string, CachedKey>(cachedKeysMax);
const exhaustedOrganizations = new BoundedMap<number, Bucket>(cachedKeysMax);
const organizations = new BoundedMap<number, Organization>(100);

/** Below this share of its tokens a key is asked first, so that an exhausted one does not spend the organization's. */
const roomyShare = 0.1;

interface PrefetchContext {
  readonly table: Call['table'];
  readonly organizationId: number;
  readonly keyId: string;
  readonly cachedOrganization: Organization | undefined;
  readonly input: Readonly<Record<string, unknown>>;
}
type Prefetch = (early: PrefetchContext) => Promise<unknown>;

/**
 * The key checked and live, one token from its bucket and one from its organization's, the settings at their newest version
 * (contract, sections 5 and 8; design, section 3). One round trip of two parallel writes once this function knows the key;
 * the endpoint's own reads run beside.
 * @throws ApiError UNAUTHORIZED, RATE_LIMITED
 */
export const admission = (prefetch: Prefetch): Middleware => ({
  before: async ({ event, context: call }) => {
    const apiKeyHash = bearerKeyHash(event);
    const now = new Date();
    const known = cachedKeys.get(apiKeyHash);
    refuseCached(call, known, now);

    const admittedKey = admitKey(call.table, apiKeyHash, now);
    const caller = isRoomy(known, now) ? known.caller : callerOf(call, apiKeyHash, await admittedKey);
    const [key, organization] = await Promise.allSettled([admittedKey, admitToOrganization(call, caller, now, prefetch)]);

    if (key.status === 'rejected') throw key.reason;
    call.caller = callerOf(call, apiKeyHash, key.value);
    if (organization.status === 'rejected') throw organization.reason;
    const { admitted, settings } = organization.value;
    showLimits(call, (key.value as { bucket: Bucket }).bucket, admitted.bucket);
    if (admitted.outcome === 'exhausted') throw exhausted(call, admitted.bucket);
    call.organization = settings;
    call.leadSequence = admitted.leadSequence;
  },
});

/** The digest of the key in the Authorization header. A typo fails its checksum and costs no read.
 *  @throws ApiError UNAUTHORIZED */
function bearerKeyHash(event: APIGatewayProxyEvent): string {
  const [authorization, ...more] = headerValues(event, 'authorization');
  const apiKey = more.length > 0 ? undefined : /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (apiKey === undefined) {
    throw new ApiError('UNAUTHORIZED', undefined, 'Send the API key once, in the header Authorization: Bearer <API_KEY>.');
  }
  if (!parseApiKey(apiKey)) throw new ApiError('UNAUTHORIZED');
  return hashApiKey(apiKey);
}

/** A refusal that holds until a known moment, or for ever, costs DynamoDB nothing more: a hammering key heats no partition. */
function refuseCached(call: Call, known: CachedKey | undefined, now: Date): void {
  if (!known) return;
  if (known.refused || known.caller.expiresAt <= now.getTime()) throw new ApiError('UNAUTHORIZED');
  const exhaustedBuckets = [known.bucket, exhaustedOrganizations.get(known.caller.organizationId)].filter(
    (bucket) => bucket !== undefined && bucket.remaining === 0 && bucket.resetsAt > now.getTime(),
  );
  const [bucket, other] = exhaustedBuckets as Bucket[];
  if (!bucket) return;
  call.caller = known.caller;
  throw exhausted(call, other ? closer(bucket, other) : bucket);
}

function isRoomy(known: CachedKey | undefined, now: Date): known is CachedKey & { refused: false } {
  if (!known || known.refused) return false;
  const { remaining, limit, resetsAt } = known.bucket;
  return remaining > limit * roomyShare || resetsAt <= now.getTime();
}

/** The caller of an admitted key; what became of the key is remembered.
 *  @throws ApiError UNAUTHORIZED, RATE_LIMITED */
function callerOf(call: Call, apiKeyHash: string, key: KeyAdmission): Caller {
  if (!('caller' in key)) {
    cachedKeys.set(apiKeyHash, { refused: true });
    throw new ApiError('UNAUTHORIZED');
  }
  const { caller, bucket } = key;
  cachedKeys.set(apiKeyHash, {
    refused: false,
    caller,
    bucket: key.outcome === 'exhausted' ? { ...bucket, remaining: 0 } : bucket,
  });
  if (key.outcome === 'exhausted') {
    call.caller = caller;
    throw exhausted(call, bucket);
  }
  return caller;
}

interface AdmittedToOrganization {
  readonly admitted: OrganizationAdmission;
  readonly settings: Organization;
}

/** The organization's token, its settings, and the endpoint's reads beside both. */
async function admitToOrganization(call: Call, caller: Caller, now: Date, prefetch: Prefetch): Promise<AdmittedToOrganization> {
  const { organizationId, keyId } = caller;
  const { table, input, endpoint } = call;
  const cachedOrganization = organizations.get(organizationId);
  if (input?.ok && holdsScope(caller, endpoint)) {
    call.prefetched = prefetch({ table, organizationId, keyId, cachedOrganization, input: input.parts });
    call.prefetched.catch(() => undefined); // awaited by the endpoint, unless admission refuses
  }
  const admitting = Promise.all([
    admitOrganization(table, organizationId, now, endpoint.numbersLeads === true),
    cachedOrganization ?? loadOrganization(table, organizationId),
  ]);
  prepareLog();
  const [admitted, cached] = await admitting;
  if (admitted.bucket.remaining === 0) exhaustedOrganizations.set(organizationId, admitted.bucket);
  const isCurrent = cached && (admitted.outcome === 'exhausted' || cached.version >= admitted.settingsVersion);
  const settings = isCurrent ? cached : await loadOrganization(table, organizationId);
  if (!settings) throw new Error(`Organization ${organizationId} has a usage item but no settings.`);
  organizations.set(organizationId, settings);
  return { admitted, settings };
}

/** The bucket that is closer to running out; equal: the one whose window ends later (design, section 3). */
function closer(a: Bucket, b: Bucket): Bucket {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetsAt >= b.resetsAt ? a : b;
}

const secondsUntil = (atMs: number): string => String(Math.max(1, Math.ceil((atMs - Date.now()) / 1000)));

function showLimits(call: Call, a: Bucket, b: Bucket = a): void {
  const { limit, remaining, resetsAt } = closer(a, b);
  call.responseHeaders['RateLimit-Limit'] = String(limit);
  call.responseHeaders['RateLimit-Remaining'] = String(remaining);
  call.responseHeaders['RateLimit-Reset'] = secondsUntil(resetsAt);
}

/** The refusal of an exhausted bucket; `Retry-After` and `RateLimit-Reset` name the same moment. */
function exhausted(call: Call, bucket: Bucket): ApiError {
  showLimits(call, { ...bucket, remaining: 0 });
  call.responseHeaders['Retry-After'] = call.responseHeaders['RateLimit-Reset'] ?? secondsUntil(bucket.resetsAt);
  return new ApiError('RATE_LIMITED');
}
