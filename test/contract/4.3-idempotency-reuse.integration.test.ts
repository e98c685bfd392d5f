import { describe, expect, test } from 'vitest';
import { storedLeads } from '../support/leads.ts';
import { person } from '../support/people.ts';
import {
  capture,
  captures,
  expire,
  isReplay,
  newKey,
  organization,
  useIdempotentCaptures,
} from './idempotent-captures.ts';

useIdempotentCaptures();

describe('4.3 rule 7: the same key with a different body within 24 hours is refused with 422 VALIDATION_FAILED', () => {
  test.each([
    ['another person', person],
    ['another note', (body: object) => ({ ...body, notes: 'Other.' })],
    ['another field', (body: object) => ({ ...body, fields: { city: 'Pune' } })],
  ])('%s is refused under a known key, by header and by externalId', async (_, other) => {
    const [someone, key] = [person(), newKey()];
    const made = await capture(someone, key);
    const before = await storedLeads(organization);

    const answers = [
      await capture(other(someone), key),
      await capture({ ...other(someone), externalId: key }),
    ];

    for (const [index, name] of ['Idempotency-Key', 'externalId'].entries()) {
      expect(answers[index]).toMatchObject({
        status: 422,
        body: {
          error: { code: 'VALIDATION_FAILED', details: { fields: { [name]: expect.any(String) } } },
        },
      });
      expect(isReplay(answers[index]!)).toBe(false);
    }
    expect(await storedLeads(organization)).toEqual(before);
    expect(isReplay(await capture(someone, key))).toBe(true);
    expect(await captures(made.body.lead.id)).toBe(1);
  });

  test('two keys are refused when one of them was used with another body', {
    tags: 'written',
  }, async () => {
    const [header, externalId] = [newKey(), newKey()];
    const someone = person();
    await capture(someone, header);
    await capture({ ...person(), externalId });

    const { status, body } = await capture({ ...someone, externalId }, header);

    expect([status, Object.keys(body.error.details.fields)]).toEqual([422, ['externalId']]);
  });

  test('after 24 hours a different body is captured', async () => {
    const key = newKey();
    await capture(person(), key);
    await expire(key);

    expect((await capture(person(), key)).status).toBe(201);
  });
});
