import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprintOf, idempotencyKeys, replayOf } from '../../../shared/leads/idempotency.ts';
import { refusalOf } from './refusal.ts';

describe('the fingerprint of a body', () => {
  /** The same value with the properties of every object turned round. */
  function turnedRound(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(turnedRound);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, one]) => [name, turnedRound(one)]),
    );
  }

  test('does not depend on the order of properties, at any depth', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(fingerprintOf(turnedRound(body))).toBe(fingerprintOf(body));
      }),
    );
  });

  test('is another for any other body', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const isSame = (() => {
          try {
            expect(JSON.parse(JSON.stringify(a))).toStrictEqual(JSON.parse(JSON.stringify(b)));
            return true;
          } catch {
            return false;
          }
        })();
        expect(fingerprintOf(a) === fingerprintOf(b)).toBe(isSame);
      }),
      { numRuns: 500 },
    );
  });

  test('is a digest, with nothing of the person in it', () =>
    expect(fingerprintOf({ name: 'Asha' })).toMatch(/^[\w-]{43}$/));
});

describe('the record to replay', () => {
  const record = (fingerprint: string, id: number) => ({
    fingerprint,
    result: { id, created: true, updated: false },
    expiresAt: 1,
  });
  const keys = idempotencyKeys('header', 'external');
  const [first, second] = [record('same', 1), record('same', 2)];
  const replayed = (records: Parameters<typeof replayOf>[1]) =>
    replayOf({ keys, fingerprint: 'same' }, records);

  test('is the one that is known', () => {
    expect(replayed([undefined, second])).toMatchObject({ record: second, unrecorded: [keys[0]] });
    expect(replayed([first, undefined])).toMatchObject({ record: first, unrecorded: [keys[1]] });
  });
  test('is the header’s where both are known and disagree', () =>
    expect(replayed([first, second])?.record).toBe(first));

  test('is refused for each key that was used with another body', async () => {
    const used = [record('other', 1), record('another', 2)];

    const { code, details, message } = await refusalOf(() => replayed(used));
    expect(code).toBe('VALIDATION_FAILED');
    expect(Object.keys(details.fields!)).toEqual(['Idempotency-Key', 'externalId']);
    expect(message).toContain('different body within the last 24 hours');
  });
});
