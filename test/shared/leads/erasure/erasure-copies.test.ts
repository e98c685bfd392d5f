import { describe, expect, test } from 'vitest';
import { erasedMark, withErasuresOf } from '../../../../shared/leads/erasure/erasure.ts';

describe('what an erasure took from a copy of an entry', () => {
  const entry = {
    at: '2026-01-01T00:00:00.000Z',
    text: 'Call 98123 45678 or asha@example.com at nine',
    kept: [{ field: 'tags', current: ['a', '9812345678'], submitted: 5 }],
    attribution: { pageUrl: 'https://example.com/?p=9812345678' },
  };
  const copyWith = (changes: object) => ({ ...entry, ...changes });

  test('is taken from the entry, whatever kind of value it was', () => {
    const copy = copyWith({
      text: `Call ${erasedMark} or ${erasedMark} at nine`,
      kept: [{ field: 'tags', current: ['a', erasedMark], submitted: erasedMark }],
      attribution: { pageUrl: `https://example.com/?p=${erasedMark}` },
    });
    expect(withErasuresOf(entry, copy)).toEqual(copy);
  });

  test('is taken together with the time of the erasure, which says that the copy was cleaned', () => {
    const cleanedAt = '2026-02-01T00:00:00.000Z';
    const copy = copyWith({ text: `Call ${erasedMark} or ${erasedMark} at nine`, cleanedAt });
    expect(withErasuresOf({ ...entry, cleanedAt: '2026-01-15T00:00:00.000Z' }, copy)).toEqual(copy);
    expect(withErasuresOf(copy, copy)).toBe(copy);
  });

  test.each([
    { text: 'Call at nine' },
    { text: `Write to ${erasedMark} at nine` },
    { text: `Call ${erasedMark} at ten` },
    { text: `Call ${erasedMark} at nine at nine` },
    { at: erasedMark },
    { kept: [] },
    { kept: undefined },
    { more: erasedMark },
  ])('is nothing when the copy differs in another way: %j', (changes) => {
    expect(withErasuresOf(entry, copyWith(changes))).toBe(entry);
  });

  test('is all that is taken when the copy also differs in another way', () => {
    const copy = copyWith({
      text: `Call ${erasedMark} at nine`,
      attribution: { pageUrl: 'https://example.com/other' },
    });
    expect(withErasuresOf(entry, copy)).toEqual({ ...entry, text: copy.text });
  });
});
