import type { Context } from 'aws-lambda';
import { afterAll, expect, test, vi } from 'vitest';
import type * as identity from '../../../shared/leads/identity.ts';
import { parsePhone } from '../../../shared/leads/identity.ts';
import { eventOf } from '../../bench/lambda-process.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';

/** The handler runs in this process, so that what it calls can be counted. */
vi.mock('../../../shared/leads/identity.ts', async (original) => {
  const actual = await original<typeof identity>();
  return { ...actual, parsePhone: vi.fn(actual.parsePhone) };
});
const context = { getRemainingTimeInMillis: () => 10_000 } as Context;

vi.spyOn(process.stdout, 'write').mockReturnValue(true); // the handler's log lines
afterAll(() => void vi.restoreAllMocks());

test('a capture parses its phone once, whether it makes a lead, matches one or is replayed', async () => {
  const { website: apiKey } = await givenOrganization();
  const { handler } = await import('../../../functions/capture-lead.ts');
  const who = person();
  const repeat = {
    apiKey,
    body: { ...who, fields: { city: 'Pune' } },
    headers: { 'Idempotency-Key': 'once' },
  };
  const parses: [status: number, parses: number][] = [];
  for (const request of [{ apiKey, body: who }, repeat, repeat]) {
    const { statusCode } = await handler(eventOf('capture-lead', request), context);
    parses.push([statusCode, vi.mocked(parsePhone).mock.calls.length]);
    vi.mocked(parsePhone).mockClear();
  }

  expect(parses).toEqual([
    [201, 1],
    [200, 1],
    [200, 1],
  ]);
});
