import { expect, test } from 'vitest';
import type { EndpointName, Scope } from '../../../shared/endpoints.ts';
import { authorize, holdsScope } from '../../../shared/middleware/authorize.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { refusalOf } from '../leads/refusal.ts';
import { callerWith } from './admitted.ts';
import { newCall, runBefore } from './event.ts';

const authorized = (name: EndpointName, scopes: readonly Scope[], modules: string[] = ['crm']) => {
  const organization = sampleOrganization({ modules });
  const admitted = {
    caller: callerWith({ scopes }),
    organization,
    leadSequence: 1,
    prefetched: undefined,
  };
  return runBefore(authorize(), {}, newCall(name, { admitted }));
};

test('authorize passes a caller with the only scope of the endpoint', async () => {
  await expect(authorized('list-leads', ['leads.read'])).resolves.toBeDefined();
});

test.each<Scope>(['leads.capture', 'leads.write'])(
  'authorize passes a caller with %s, one of two scopes',
  async (scope) => {
    await expect(authorized('capture-lead', [scope])).resolves.toBeDefined();
  },
);

test('authorize refuses a caller without a scope of the endpoint, and names the scopes', async () => {
  const { code, details, message } = await refusalOf(() =>
    authorized('capture-lead', ['leads.read']),
  );

  expect([code, details]).toEqual(['FORBIDDEN', { scopes: ['leads.capture', 'leads.write'] }]);
  expect(message).toContain('leads.capture or leads.write');
});

test('authorize refuses an organization without the module of the endpoint, and names the module', async () => {
  const { code, details, message } = await refusalOf(() =>
    authorized('list-leads', ['leads.read'], ['billing']),
  );

  expect([code, details]).toEqual(['FORBIDDEN', { module: 'crm' }]);
  expect(message).toContain('crm');
});

test('authorize names the missing module before a missing scope', async () => {
  const { details } = await refusalOf(() => authorized('list-leads', [], ['billing']));

  expect(details).toEqual({ module: 'crm' });
});

test('authorize refuses a call that was not admitted', async () => {
  const { code } = await refusalOf(() => runBefore(authorize(), {}, newCall('list-leads')));

  expect(code).toBe('FORBIDDEN');
});

test('holdsScope is false for a caller without scopes', () => {
  expect(holdsScope(callerWith({ scopes: [] }), newCall('list-leads').endpoint)).toBe(false);
});
