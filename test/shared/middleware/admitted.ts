import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, type MockInstance, vi } from 'vitest';
import type { endpoint } from '../../../shared/middleware/endpoint.ts';
import { apiKeyRandomBytes, mintApiKey } from '../../../shared/organization/api-key.ts';
import type { Bucket, Caller } from '../../../shared/store/organizations/admission.ts';
import * as admission from '../../../shared/store/organizations/admission.ts';
import * as settings from '../../../shared/store/organizations/organizations.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { type EventParts, requestEvent } from './event.ts';
import { caller as anyCaller } from './logged-lines.ts';

// What a request reads before its endpoint, without a table.
export let keys: MockInstance<typeof admission.admitKey>;
export let organizations: MockInstance<typeof admission.admitOrganization>;
export let loadOrganization: MockInstance<typeof settings.loadOrganization>;
export const hourMs = 3_600_000;
/** A bucket whose window ends in an hour. */
export const bucketWith = (remaining: number, limit = 600): Bucket => ({
  owner: limit === 600 ? 'API key' : 'organization',
  limit,
  remaining,
  resetsAt: Date.now() + hourMs,
});
const ofOrganization = { settingsVersion: 1, leadSequence: 41 };
export const exhausted = () => ({
  ...ofOrganization,
  outcome: 'exhausted' as const,
  bucket: bucketWith(0, 3000),
});

/** The key and the caller are new for each test, so that none meets what another one cached. */
let apiKey: string;
export let caller: Caller;
let tests = 0;
/** Each test of the file has its own key, which is admitted. */
export function admitEveryone(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.stubEnv('LEADS_TABLE', 'table');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    tests += 1;
    const bytes = Uint8Array.from({ length: apiKeyRandomBytes }, (_, at) => (tests >> at) & 1);
    apiKey = mintApiKey(bytes).key;
    caller = { ...anyCaller, organizationId: tests, scopes: ['leads.read', 'leads.write'] };
    keys = vi
      .spyOn(admission, 'admitKey')
      .mockImplementation(async () => ({ outcome: 'admitted', caller, bucket: bucketWith(500) }));
    organizations = vi.spyOn(admission, 'admitOrganization').mockImplementation(async () => ({
      ...ofOrganization,
      outcome: 'admitted',
      bucket: bucketWith(2000, 3000),
    }));
    loadOrganization = vi
      .spyOn(settings, 'loadOrganization')
      .mockImplementation(async () => ({ ...sampleOrganization(), version: 1 }));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.useRealTimers();
  });
}

/** Changes what the key of the test may do. */
export const give = (scopes: Caller['scopes']): void => {
  caller = { ...caller, scopes };
};

/** A text with the key of the test in the place of `KEY`. */
export const withKey = (text: string): string => text.replaceAll('KEY', apiKey);

export const mistypeKey = (): void => {
  apiKey = `${apiKey.slice(0, -1)}${apiKey.endsWith('0') ? '1' : '0'}`;
};

type Handler = ReturnType<typeof endpoint>;
export const ok = async () => ({ status: 200, body: {} });

export async function send(handler: Handler, parts: EventParts = {}, remainingMs = 10_000) {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    'Content-Type': 'application/json',
    ...parts.headers,
  };
  const context = { getRemainingTimeInMillis: () => remainingMs } as Context;
  const { statusCode, body, ...more } = await handler(requestEvent({ ...parts, headers }), context);
  return {
    status: statusCode,
    headers: more.headers,
    body: JSON.parse(body) as { error?: { code: string } } & Record<string, unknown>,
  };
}
