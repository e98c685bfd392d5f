import * as v from 'valibot';
import { expect, test } from 'vitest';
import {
  type Refusal,
  refusalMessage,
  refusalOf,
  validationFailed,
} from '../../../shared/contract/refusals.ts';

test('refused values are named with their sentences, and with their reasons after all else', () => {
  const { code, message, details } = validationFailed(
    [
      ['phone', { reason: 'invalid_phone', sentence: 'must be a phone number.' }],
      ['stageId', { reason: 'stage_not_active', sentence: 'is not an active stage.' }],
      ['corse', { reason: 'unknown_field', sentence: 'is not an active field.' }],
      ['city', { reason: 'required', sentence: 'is required.' }],
    ],
    ['city', 'course'],
  );

  expect(code).toBe('VALIDATION_FAILED');
  expect(message).toBe(
    'phone must be a phone number. stageId is not an active stage. corse is not an active field.',
  );
  expect(JSON.stringify(details)).toBe(
    JSON.stringify({
      fields: {
        phone: 'must be a phone number.',
        stageId: 'is not an active stage.',
        corse: 'is not an active field.',
        city: 'is required.',
      },
      reason: 'STAGE_NOT_ACTIVE',
      field: 'stageId',
      validKeys: ['city', 'course'],
      reasons: {
        phone: 'invalid_phone',
        stageId: 'stage_not_active',
        corse: 'unknown_field',
        city: 'required',
      },
    }),
  );
});

test('a response also names the request that lists valid values, and commands get the value without it', () => {
  const sentence = 'is not an active stage.';
  const refusal: Refusal = {
    reason: 'stage_not_active',
    sentence,
    listedBy: 'GET /stages lists them',
  };

  const { message, details, refused } = validationFailed([['stageId', refusal]]);

  const inResponse = 'is not an active stage; GET /stages lists them.';
  expect([message, details?.fields]).toEqual([`stageId ${inResponse}`, { stageId: inResponse }]);
  expect(refused).toEqual([['stageId', refusal]]);
});

test('details name no reason and no field of their own where no stage, pipeline, source or user is refused', () => {
  const { details } = validationFailed([
    ['name', { reason: 'required', sentence: 'is required.' }],
  ]);

  expect(Object.keys(details ?? {})).toEqual(['fields', 'reasons']);
});

test('a key that objects inherit keeps its reason', () => {
  const { details } = validationFailed([
    ['__proto__', { reason: 'unknown_field', sentence: 'is not an active field.' }],
  ]);

  expect(JSON.stringify(details)).toContain('"reasons":{"__proto__":"unknown_field"}');
});

test('of many refused values twenty are named, those of unknown names last, and the others counted', () => {
  const unknown = Array.from(
    { length: 11_000 },
    (_, at) =>
      [`k${at}`, { reason: 'unknown_field', sentence: 'is not an active field.' }] as const,
  );
  const { details, message } = validationFailed([
    ...unknown,
    ['name', { reason: 'required', sentence: 'is required.' }],
    ['stageId', { reason: 'stage_not_found', sentence: 'is not a stage.' }],
  ]);

  const { fields, ...more } = details as { fields: Record<string, string>; field: string };
  expect(Object.keys(fields)).toHaveLength(20);
  expect(Object.keys(fields).slice(0, 3)).toEqual(['name', 'stageId', 'k0']);
  expect(more.field).toBe('stageId');
  expect(message).toBe(
    'name is required. stageId is not a stage. k0 is not an active field. The details name 20 values; 10982 more are refused.',
  );
});

test('an issue of a schema has its refusal, even for a property', () => {
  const sentence = 'must be a text: not a number.';
  const schema = v.object({ name: v.string(refusalMessage('wrong_type', sentence)) });

  const [issue] = v.safeParse(schema, { name: 5 }).issues ?? [];

  expect(issue?.message).toBe(sentence);
  expect(refusalOf(issue!)).toEqual({ reason: 'wrong_type', sentence });
});

test('a schema without a refusal is a defect', () => {
  const [issue] = v.safeParse(v.string(), 5).issues ?? [];

  expect(() => refusalOf(issue!)).toThrow('no refusalMessage');
});
