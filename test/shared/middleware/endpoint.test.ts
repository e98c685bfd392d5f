import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { endpointNamed } from '../../../shared/contract/endpoints.ts';
import { endpoint } from '../../../shared/middleware/endpoint.ts';
import { jsonBody } from '../../../shared/middleware/json-body.ts';
import { leadIdPath, object, text } from '../../../shared/middleware/schemas.ts';
import { admitEveryone, caller, ok, send } from './admitted.ts';
import { keepLines, lines } from './logged-lines.ts';

keepLines();
admitEveryone();

const body = object({ text: text(1, 10) });
const note = { pathParameters: { leadId: '5' }, body: '{"text":"Called."}' };

describe('an endpoint receives', () => {
  test('its input, the caller, the organization, the sequence and its prefetched result', async () => {
    const respond = vi.fn(async () => ({ status: 201, body: {} }));
    const handler = endpoint(endpointNamed('add-note'), {
      body: [jsonBody()],
      input: { path: leadIdPath, body },
      prefetch: async ({ input, organizationId, keyId, cachedOrganization }) => ({
        leadId: input.path.leadId,
        organizationId,
        keyId,
        version: cachedOrganization?.version,
      }),
      respond,
    });

    await send(handler, note); // from then on it knows the settings
    expect((await send(handler, note)).status).toBe(201);
    const received = {
      table: expect.anything(),
      requestId: 'request-1',
      input: { path: { leadId: 5 }, body: { text: 'Called.' } },
      caller,
      organization: expect.objectContaining({ version: 1 }),
      leadSequence: 41,
      prefetched: {
        leadId: 5,
        organizationId: caller.organizationId,
        keyId: caller.keyId,
        version: 1,
      },
    };
    expect(respond).toHaveBeenLastCalledWith(expect.objectContaining(received));
  });
});

describe('the errors of an endpoint', () => {
  test('are INTERNAL where its prefetch fails, and are logged', async () => {
    const handler = endpoint(endpointNamed('list-users'), {
      input: {},
      prefetch: async () => {
        throw new Error('DynamoDB is away.');
      },
      respond: ok,
    });

    expect(await send(handler)).toMatchObject({
      status: 500,
      body: { error: { code: 'INTERNAL' } },
    });
    expect(lines.join('')).toContain('DynamoDB is away.');
  });

  test('that occur after the deadline are not logged', async () => {
    let fail = (_: Error): void => undefined;
    const respond = () =>
      new Promise<never>((_, reject) => {
        fail = reject;
      });
    await send(endpoint(endpointNamed('list-users'), { input: {}, respond }), {}, 520);
    const before = lines.length;
    fail(new Error('The call was broken off.'));
    await nextTick();

    expect(lines).toHaveLength(before);
  });
});
