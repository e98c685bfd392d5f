import { describe, expect, test } from 'vitest';
import {
  erasedMark,
  identitiesIn,
  withoutPerson,
} from '../../../../shared/leads/erasure/erasure.ts';
import { PersonSearch } from '../../../../shared/leads/erasure/person-search.ts';
import { parsePhone } from '../../../../shared/leads/identity.ts';
import type { TimelineEntry } from '../../../../shared/leads/timeline.ts';

const pattern = new PersonSearch(['+919812345678', 'asha.rao+x@example.com']);
const note = (text: string): TimelineEntry => ({
  type: 'note_added',
  at: '',
  actorId: 7,
  via: 'api',
  keyId: 'k',
  text,
});
const erasedText = (text: string, search = pattern) =>
  (withoutPerson(note(text), search) as { text: string }).text;

describe('a person is found', () => {
  test.each([
    ['with a dash between', '98123–45678'],
    ['with a hyphen that does not break', '98123\u201145678'],
    ['with an invisible mark between', '+91 98123\u200b45678'],
    ['in digits of another script', '९८१२३ ४५६७८'],
    ['in full-width digits', '＋９１ ９８１２３４５６７８'],
    ['with escaped spaces', '%2B91%2098123%2045678'],
  ])('by a phone written %s', (_, spelled) => {
    expect(erasedText(`Before ${spelled}, after.`)).toBe(`Before ${erasedMark}, after.`);
  });

  test('in an address, behind an escape', () => {
    expect(erasedText('/?tel=%209812345678')).toBe(`/?tel=%20${erasedMark}`);
    expect(erasedText('/?to=%2Fme%3Femail%3Dasha.rao%2Bx%40example.com')).toBe(
      `/?to=%2Fme%3Femail%3D${erasedMark}`,
    );
  });

  test('by a phone that was possible when it was stored, and no longer is', () => {
    const stored = '+5215512345678'; // Mexico has dropped the 1 behind its code
    const changes = [{ field: 'phone', from: stored, to: null }];
    expect(parsePhone(stored)).toBeUndefined();

    const identities = identitiesIn([
      { type: 'lead_updated', at: '', actorId: 7, via: 'api', keyId: 'k', changes },
    ]);

    expect(identities).toEqual([stored]);
    expect(erasedText('At +52 1 55 1234 5678.', new PersonSearch(identities))).toBe(
      `At ${erasedMark}.`,
    );
  });

  test('by a phone of a country that is no longer known', () => {
    const search = new PersonSearch(['+99912345678']);

    expect(erasedText('At +999 1234-5678 or 0099912345678, not 12345678.', search)).toBe(
      `At ${erasedMark} or ${erasedMark}, not 12345678.`,
    );
  });
});

test.each(['९९८१२३४५६७८', 'ravi-asha.rao+x@example.com', "d'asha.rao+x@example.com"])(
  '%s, of which the end is a person’s, stays as it is',
  (other) => {
    expect(erasedText(`Before ${other}, after.`)).toBe(`Before ${other}, after.`);
  },
);
