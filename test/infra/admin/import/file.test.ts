import { expect, test } from 'vitest';
import { encoded } from '../../../../infra/admin/import/file.ts';

test('every byte of windows-1252 comes back from its character', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

  expect(encoded(new TextDecoder('windows-1252').decode(bytes), 'windows-1252')).toEqual(bytes);
});

test('a character that windows-1252 does not have becomes a question mark', () => {
  expect(encoded('€ या 😀', 'windows-1252').toString('latin1')).toBe('\u0080 ?? ?');
});
