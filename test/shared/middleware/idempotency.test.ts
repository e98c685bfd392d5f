import { expect, test } from 'vitest';
import type { Reply } from '../../../shared/middleware/call.ts';
import { idempotency } from '../../../shared/middleware/idempotency.ts';
import { requestEvent } from './event.ts';

const body = { name: 'Asha', phone: '98765 43210', externalId: 'form-1' };
type Request = Parameters<NonNullable<ReturnType<typeof idempotency>['before']>>[0];
const requestOf = (more: object, response?: Reply): Request =>
  ({ event: requestEvent(), context: more, response, error: undefined, internal: {} }) as never;

test('a capture has the keys of its header and of externalId before it reads', () => {
  const request = requestOf({ input: { headers: { 'idempotency-key': 'h' }, body } });
  idempotency().before?.(request);
  expect(request.context.idempotency.keys.map(({ value }) => value)).toEqual(['h', 'form-1']);
});

test('input that will be refused has no keys to read', () => {
  const request = requestOf({ inputError: () => new Error() });
  idempotency().before?.(request);
  expect(request.context).not.toHaveProperty('idempotency');
});

test.each([
  [true, { Location: '../leads/5', 'Idempotent-Replayed': 'true' }],
  [false, { Location: '../leads/5' }],
])('a reply that is a replay (%s) is marked after, beside its own headers', (isReplay, headers) => {
  const reply: Reply = { status: 201, body: {}, headers: { Location: '../leads/5' }, isReplay };
  const request = requestOf({}, reply);
  idempotency().after?.(request);
  expect(request.response).toMatchObject({ status: 201, headers });
  expect(Object.keys(request.response?.headers ?? {})).toEqual(Object.keys(headers));
});
