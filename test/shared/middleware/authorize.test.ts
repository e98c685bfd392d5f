import { expect, test } from 'vitest';
import { type EndpointName, endpointNamed } from '../../../shared/endpoints.ts';
import { authorize } from '../../../shared/middleware/admission.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { refusalOf } from '../leads/refusal.ts';

const authorized = (name: EndpointName, hasScope: boolean, modules: string[] = ['crm']) =>
  authorize(endpointNamed(name), { organization: sampleOrganization({ modules }), hasScope });

test('authorize passes a caller with a scope of the endpoint', () => {
  expect(() => authorized('list-leads', true)).not.toThrow();
});

test('authorize refuses a caller without a scope of the endpoint, and names the scopes', async () => {
  const { code, details, message } = await refusalOf(() => authorized('capture-lead', false));

  expect([code, details]).toEqual(['FORBIDDEN', { scopes: ['leads.capture', 'leads.write'] }]);
  expect(message).toContain('leads.capture or leads.write');
});

test('authorize refuses an organization without the module of the endpoint, and names the module', async () => {
  const { code, details, message } = await refusalOf(() =>
    authorized('list-leads', true, ['billing']),
  );

  expect([code, details]).toEqual(['FORBIDDEN', { module: 'crm' }]);
  expect(message).toContain('crm');
});

test('authorize names the missing module before a missing scope', async () => {
  const { details } = await refusalOf(() => authorized('list-leads', false, ['billing']));

  expect(details).toEqual({ module: 'crm' });
});
