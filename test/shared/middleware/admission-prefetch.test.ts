import { setImmediate as nextTick } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { endpointNamed } from '../../../shared/endpoints.ts';
import { authorize } from '../../../shared/middleware/admission.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { refusalOf } from '../leads/refusal.ts';
import { given, organizationAt, organizations, type Prefetch, send } from './admit.ts';
import { bucketWith } from './admitted.ts';

vi.mock('../../../shared/store/organizations/admission.ts');
vi.mock('../../../shared/store/organizations/organizations.ts');

describe('the prefetch of an endpoint', () => {
  const prefetch = vi.fn<Prefetch>();
  beforeEach(() => void prefetch.mockReset().mockResolvedValue('read'));

  test('runs with the settings seen last', async () => {
    await send();
    const { admitted } = await send({}, prefetch);

    expect(await admitted?.prefetched).toBe('read');
    expect(prefetch.mock.calls).toEqual([
      [
        {
          table: undefined,
          organizationId: given.caller.organizationId,
          keyId: given.caller.keyId,
          cachedOrganization: organizationAt(1),
        },
      ],
    ]);
  });

  test('does not run for a key without a scope of the endpoint', async () => {
    given.caller = { ...given.caller, scopes: ['leads.capture'] };
    await send({}, prefetch);

    expect(prefetch).not.toHaveBeenCalled();
  });

  test('that fails for a refused request is dropped, and ends no process as an unhandled rejection', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const failing: Prefetch = () => Promise.reject(new Error('DynamoDB is away.')); // a mock would handle the rejection
    organizations.mockResolvedValueOnce({ outcome: 'exhausted', bucket: bucketWith(0, 3000) });
    const { code } = await send({}, failing);
    await nextTick();
    process.off('unhandledRejection', unhandled);

    expect(code).toBe('RATE_LIMITED');
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('that fails is the endpoint’s to report: admission itself does not', async () => {
    prefetch.mockRejectedValue(new Error('DynamoDB is away.'));
    const { admitted, code } = await send({}, prefetch);

    expect(code).toBe('admitted');
    await expect(admitted?.prefetched).rejects.toThrow('DynamoDB is away.');
  });
});

test('a missing module is named before a missing scope', async () => {
  const without = { organization: sampleOrganization({ modules: ['billing'] }), hasScope: false };
  const { details } = await refusalOf(() => authorize(endpointNamed('list-leads'), without));

  expect(details).toEqual({ module: 'crm' });
});
