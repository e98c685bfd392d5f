import { setImmediate as nextTick } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type EndpointName, endpointNamed, type Scope } from '../../../shared/endpoints.ts';
import { ApiError } from '../../../shared/errors.ts';
import type { Prefetch } from '../../../shared/middleware/admission.ts';
import { admit, given, organizationAt, organizations } from './admit.ts';
import { bucketWith } from './admitted.ts';

vi.mock('../../../shared/store/organizations/admission.ts');
vi.mock('../../../shared/store/organizations/organizations.ts');

describe('the prefetch of an endpoint', () => {
  const prefetch = vi.fn<Prefetch<object, string | undefined>>();
  beforeEach(() => void prefetch.mockReset().mockResolvedValue('read'));

  test('runs with the input and the settings seen last', async () => {
    await admit();
    const { call } = await admit({ input: { ok: true, parts: { query: 1 } } }, prefetch);

    expect(await call.admitted?.prefetched).toBe('read');
    expect(prefetch.mock.calls).toEqual([
      [
        {
          table: undefined,
          organizationId: given.caller.organizationId,
          keyId: given.caller.keyId,
          cachedOrganization: organizationAt(1),
          input: { query: 1 },
        },
      ],
    ]);
  });

  test('does not run for input that will be refused', async () => {
    await admit({ input: { ok: false, error: new ApiError('VALIDATION_FAILED') } }, prefetch);

    expect(prefetch).not.toHaveBeenCalled();
  });

  test('does not run for a key without a scope of the endpoint', async () => {
    given.caller = { ...given.caller, scopes: ['leads.capture'] };
    await admit({}, prefetch);

    expect(prefetch).not.toHaveBeenCalled();
  });

  test('that fails for a refused request is dropped, and ends no process as an unhandled rejection', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    prefetch.mockRejectedValue(new Error('DynamoDB is away.'));
    organizations.mockResolvedValueOnce({ outcome: 'exhausted', bucket: bucketWith(0, 3000) });
    const { code } = await admit({}, prefetch);
    await nextTick();
    process.off('unhandledRejection', unhandled);

    expect(code).toBe('RATE_LIMITED');
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('that fails is the endpoint’s to report: admission itself does not', async () => {
    prefetch.mockRejectedValue(new Error('DynamoDB is away.'));
    const { call, code } = await admit({}, prefetch);

    expect(code).toBe('admitted');
    await expect(call.admitted?.prefetched).rejects.toThrow('DynamoDB is away.');
  });
});

describe('the scope of a key', () => {
  test.each<[boolean, EndpointName, Scope[]]>([
    [true, 'list-leads', ['leads.read']],
    [true, 'capture-lead', ['leads.capture']],
    [true, 'capture-lead', ['leads.write']],
    [false, 'capture-lead', ['leads.read']],
    [false, 'list-leads', ['leads.write', 'leads.capture']],
    [false, 'list-leads', []],
  ])('is %s for %s with %j', async (hasScope, name, scopes) => {
    given.caller = { ...given.caller, scopes };
    const { call } = await admit({ endpoint: endpointNamed(name) });

    expect(call.admitted?.hasScope).toBe(hasScope);
  });
});
