import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalJson,
  fingerprintOf,
  idempotencyKeyHeader,
  idempotencyKeys,
  recordExpiry,
  replayOf,
} from '../../../shared/leads/idempotency.ts';
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

  test('differs for any other body', () => {
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

  test('is of the JSON with the properties in the order of their names', () =>
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe(
      '{"a":true,"b":[1,{"c":"x","d":null}]}',
    ));

  test('is a digest without personal data', () =>
    expect(fingerprintOf({ name: 'Asha' })).toMatch(/^[\w-]{43}$/));
});

test.each<[string | undefined, string | undefined, string[]]>([
  [undefined, undefined, []],
  ['a', undefined, ['Idempotency-Key a']],
  [undefined, 'b', ['externalId b']],
  ['a', 'b', ['Idempotency-Key a', 'externalId b']],
  ['a', 'a', ['Idempotency-Key a']],
  ['', '', ['Idempotency-Key ']],
])('the header %j and the externalId %j are the keys %j', (header, externalId, keys) =>
  expect(
    idempotencyKeys(header, externalId).map(({ value, givenAs }) => `${givenAs} ${value}`),
  ).toEqual(keys),
);

test.each([
  ['', false],
  [' ', true],
  ['~'.repeat(200), true],
  ['k'.repeat(201), false],
  ['a\tb', false],
  ['a\n', false],
  ['é', false],
])('%j as an idempotency key is taken: %j', (header, isTaken) =>
  expect(idempotencyKeyHeader.test(header)).toBe(isTaken),
);

test('a record is kept for 24 hours to the millisecond', () =>
  expect(recordExpiry(new Date(5))).toBe(86_400_005));

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

  test.each([
    ['the one that is known', [undefined, second], second, [keys[0]]],
    ['the header’s alone', [first, undefined], first, [keys[1]]],
    ['the header’s where both are known and disagree', [first, second], first, []],
  ])('is %s', (_, records, record, unrecorded) =>
    expect(replayed(records)).toEqual({ outcome: 'replay', record, unrecorded }),
  );
  test('does not exist for a new enquiry', () =>
    expect(replayed([undefined, undefined])).toBeUndefined());

  test('is refused for each key that was used with another body', async () => {
    const used = [record('other', 1), record('another', 2)];

    const { code, details, message } = await refusalOf(() => replayed(used));
    expect(code).toBe('VALIDATION_FAILED');
    const reason = 'idempotency_key_reused';
    expect(details.reasons).toEqual({ 'Idempotency-Key': reason, externalId: reason });
    expect(message).toContain('different body within the last 24 hours');
    const one = await refusalOf(() => replayed([first, used[1]]));
    expect(one.details.reasons).toEqual({ externalId: reason });
  });
});
