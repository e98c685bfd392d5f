import { beforeEach, describe, expect, test, vi } from 'vitest';
import { endpointNamed, type Scope } from '../../../shared/contract/endpoints.ts';
import { endpoint } from '../../../shared/middleware/endpoint.ts';
import { jsonBody } from '../../../shared/middleware/json-body.ts';
import { leadIdPath, object, text } from '../../../shared/middleware/schemas.ts';
import { admitEveryone, caller, give, keys, ok, send } from './admitted.ts';
import type { EventParts } from './event.ts';
import { keepLines, lines } from './logged-lines.ts';

keepLines();
admitEveryone();

const body = object({ text: text(1, 10) });
const note = { pathParameters: { leadId: '5' }, body: '{"text":"Called."}' };

describe('the order of the stack', () => {
  const prefetch = vi.fn(async () => undefined);
  const respond = vi.fn(async () => ({ status: 201, body: {} }));
  beforeEach(() => {
    prefetch.mockClear();
    respond.mockClear();
  });
  const handler = endpoint(endpointNamed('add-note'), {
    body: [jsonBody()],
    input: { path: leadIdPath, body },
    prefetch,
    respond,
  });

  test.each<[string, EventParts, string, Scope[]?]>([
    [
      'plain HTTP before a missing key',
      { ...note, headers: { 'X-Forwarded-Proto': 'http', Authorization: '' } },
      'HTTPS_REQUIRED',
    ],
    [
      'JSON before a missing key',
      { ...note, body: '{', headers: { Authorization: '' } },
      'INVALID_JSON',
    ],
    [
      'the key before the input',
      { ...note, body: '{}', headers: { Authorization: '' } },
      'UNAUTHORIZED',
    ],
    ['the scopes before the input', { ...note, body: '{}' }, 'FORBIDDEN', ['leads.capture']],
    ['the scopes before the prefetch', note, 'FORBIDDEN', ['leads.capture']],
    ['the path before the body', { pathParameters: { leadId: 'x' }, body: '{}' }, 'NOT_FOUND'],
    ['the body before the endpoint', { ...note, body: '{}' }, 'VALIDATION_FAILED'],
  ])(
    'checks %s, and does not run the endpoint',
    async (_, parts, code, scopes = [...caller.scopes]) => {
      give(scopes);

      expect((await send(handler, parts)).body.error?.code).toBe(code);
      expect(prefetch).not.toHaveBeenCalled();
      expect(respond).not.toHaveBeenCalled();
    },
  );
});

const listUsers = endpoint(endpointNamed('list-users'), { input: {}, respond: ok });

test("the log names the endpoint's properties that were refused, and no name of the caller's own", async () => {
  const parts = { body: [jsonBody()], input: { body }, respond: ok };
  const handler = endpoint(endpointNamed('add-note'), parts);
  await send(handler, { ...note, body: '{"Asha":1}' });
  await send(handler, { ...note, body: '[]' });
  const fields = lines.map((line) => JSON.parse(line).fields);
  expect(fields).toEqual([['text'], ['body']]);
});

test('an endpoint that takes no body ignores one', async () => {
  const headers = { 'Content-Type': 'text/plain' };
  expect((await send(listUsers, { body: '{'.repeat(100_001), headers })).status).toBe(200);
});

describe('an answer in time, with its headers and its log line', () => {
  const never = () => new Promise<never>(() => undefined);
  test.each<[string, () => ReturnType<typeof send>]>([
    [
      'a prefetch',
      () =>
        send(
          endpoint(endpointNamed('list-users'), { input: {}, prefetch: never, respond: ok }),
          {},
          520,
        ),
    ],
    [
      'an endpoint',
      () => send(endpoint(endpointNamed('list-users'), { input: {}, respond: never }), {}, 520),
    ],
    [
      'a step',
      () => {
        keys.mockImplementationOnce(never);
        return send(listUsers, {}, 520);
      },
    ],
  ])('is given for %s that hangs', async (_, sent) => {
    const { status, headers, body } = await sent();

    expect({ status, code: body.error?.code }).toEqual({ status: 500, code: 'INTERNAL' });
    expect(headers).toMatchObject({ 'X-Request-Id': 'request-1', 'Cache-Control': 'no-store' });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { message: 'failed', error: { message: 'No response within the time of the function.' } },
      { message: 'answered', status: 500, code: 'INTERNAL' },
    ]);
  });

  test('is given for a step that answers before the endpoint does', async () => {
    const steps = [{ before: () => ({ status: 200, body: { early: true } }) }];
    const { headers, body } = await send(
      endpoint(endpointNamed('list-users'), { input: {}, steps, respond: ok }),
    );

    expect(body).toEqual({ early: true });
    expect(headers).toMatchObject({ 'X-Request-Id': 'request-1' });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { message: 'answered', status: 200 },
    ]);
  });
});
