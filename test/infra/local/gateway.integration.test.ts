import { expect, test } from 'vitest';
import { requestIdForm } from '../../support/described.ts';
import { service } from '../../support/service.ts';

test('an unknown address is answered by the gateway in the standard error shape, with a request id', async () => {
  const { baseUrl } = service();

  const response = await fetch(`${baseUrl}/api/v1/nothing-here`);

  expect(response.status).toBe(404);
  expect(response.headers.get('x-request-id')).toMatch(requestIdForm);
  expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
});

test('a request without a key reaches the function, which refuses it', async () => {
  const { baseUrl } = service();

  const response = await fetch(`${baseUrl}/api/v1/lead-fields`);

  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
});

test('a request that says it came over plain HTTP is seen as plain HTTP', async () => {
  const { baseUrl } = service();

  const response = await fetch(`${baseUrl}/api/v1/lead-fields`, {
    headers: { 'X-Forwarded-Proto': 'http' },
  });

  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ error: { code: 'HTTPS_REQUIRED' } });
});
