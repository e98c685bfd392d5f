import { afterEach, beforeEach, vi } from 'vitest';
import { ApiError, type ErrorCode } from '../../../shared/errors.ts';
import {
  type Admitted,
  admit,
  type PrefetchContext,
} from '../../../shared/middleware/admission.ts';
import type { Call } from '../../../shared/middleware/call.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import {
  admitKey,
  admitOrganization,
  type Caller,
} from '../../../shared/store/organizations/admission.ts';
import { loadOrganization } from '../../../shared/store/organizations/organizations.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { bucketWith, callerWith, newApiKey, newOrganizationId } from './admitted.ts';
import { newCall, requestEvent } from './event.ts';

export const keys = vi.mocked(admitKey);
export const organizations = vi.mocked(admitOrganization);
export const settings = vi.mocked(loadOrganization);

/** The key that calls, and what the store says of it: new ones for each test. */
export const given: { caller: Caller; apiKey: string } = {
  caller: callerWith(),
  apiKey: newApiKey(),
};
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  given.apiKey = newApiKey();
  given.caller = callerWith({ organizationId: newOrganizationId() });
  keys.mockReset().mockImplementation(async () => ({
    outcome: 'admitted',
    caller: given.caller,
    bucket: bucketWith(500),
  }));
  organizations.mockReset().mockImplementation(async () => admittedAt(1));
  settings.mockReset().mockImplementation(async () => organizationAt(1));
});
afterEach(() => void vi.useRealTimers());

export const admittedAt = (settingsVersion: number) =>
  ({
    outcome: 'admitted',
    bucket: bucketWith(2000, 3000),
    settingsVersion,
    leadSequence: 41,
  }) as const;
export const organizationAt = (version: number): Organization => ({
  ...sampleOrganization(),
  version,
});

/** An endpoint's prefetch as admission starts it. */
export type Prefetch = (context: PrefetchContext) => Promise<string>;

/** Sends a request of the given key through admission. */
export async function send(
  more: Partial<Call> = {},
  prefetch?: Prefetch,
): Promise<{
  call: Call;
  admitted: Admitted<string> | undefined;
  code: ErrorCode | 'admitted';
  error: unknown;
}> {
  const call = newCall('list-leads', more);
  const event = requestEvent({ headers: { Authorization: `Bearer ${given.apiKey}` } });
  try {
    const admitted = await admit(event, call, prefetch);
    return { call, admitted, code: 'admitted', error: undefined };
  } catch (error) {
    const code = error instanceof ApiError ? error.code : 'INTERNAL';
    return { call, admitted: undefined, code, error };
  }
}
