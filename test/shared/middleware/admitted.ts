import { apiKeyRandomBytes, mintApiKey } from '../../../shared/organization/api-key.ts';
import type { Bucket, Caller } from '../../../shared/store/organizations/admission.ts';

let minted = 0;

/** A new API key, so that no test meets what the admission of another test cached. */
export function newApiKey(): string {
  const bytes = new Uint8Array(apiKeyRandomBytes);
  minted += 1;
  new DataView(bytes.buffer).setUint32(apiKeyRandomBytes - 4, minted);
  return mintApiKey(bytes).key;
}

let organizations = 0;

/** The ID of an organization that no other test of the file uses. */
export function newOrganizationId(): number {
  organizations += 1;
  return organizations;
}

export const callerWith = (different: Partial<Caller> = {}): Caller => ({
  organizationId: 1,
  keyId: 'key-1',
  label: 'Landing page',
  scopes: ['leads.read', 'leads.write', 'leads.capture'],
  createdBy: 7,
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: Number.POSITIVE_INFINITY,
  ...different,
});

/** A bucket whose window ends in an hour. */
export const bucketWith = (remaining: number, limit = 600): Bucket => ({
  limit,
  remaining,
  resetsAt: Date.now() + 3_600_000,
});
