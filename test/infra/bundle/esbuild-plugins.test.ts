import {
  type CountryCode,
  type MetadataJson,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/core';
import examples from 'libphonenumber-js/examples.mobile.json';
import whole from 'libphonenumber-js/metadata.min.json';
import { describe, expect, test } from 'vitest';
import { withoutFormats } from '../../../infra/bundle/esbuild-plugins.ts';

const countries = Object.keys(whole.countries) as CountryCode[];

/** What the service takes from a number. */
function read(text: string, defaultCountry: CountryCode, metadata: unknown): string | undefined {
  const options = { defaultCountry, extract: false } as const;
  const number = parsePhoneNumberFromString(text, options, metadata as MetadataJson);
  return number?.isPossible() ? number.number : undefined;
}

describe('the phone metadata of the bundles', () => {
  const bundled = withoutFormats(whole);

  test('the phone metadata of the bundles is less than half of the whole', () => {
    expect(JSON.stringify(bundled).length).toBeLessThan(JSON.stringify(whole).length / 2);
  });

  test('every country reads its example number, shorter and longer ones as with the whole metadata', () => {
    let readable = 0;
    for (const country of countries) {
      const callingCode = whole.countries[country]![0];
      const example = examples[country] ?? '2012345678';
      for (const digits of [example, example.slice(1), example.slice(0, -1), `${example}1`]) {
        for (const text of [digits, `0${digits}`, `8${digits}`, `+${callingCode}${digits}`]) {
          for (const home of [country, 'IN'] as const) {
            const expected = read(text, home, whole);
            expect([text, home, read(text, home, bundled)]).toEqual([text, home, expected]);
            if (expected !== undefined) readable += 1;
          }
        }
      }
    }
    expect(readable).toBeGreaterThan(countries.length * 8);
  });

  test('numbers of every calling code, of 4 to 15 digits, are read as with the whole metadata', () => {
    const codes = [
      ...Object.keys(whole.country_calling_codes),
      ...Object.keys(whole.nonGeographic),
    ];
    const digits = '738291650473829'; // every number of a length differs by its start
    for (const code of codes) {
      for (let length = 4; length <= 15; length += 1) {
        for (let first = 0; first <= 9; first += 1) {
          const text = `+${code}${first}${digits.slice(first % 5, (first % 5) + length - 1)}`;
          expect([text, read(text, 'IN', bundled)]).toEqual([text, read(text, 'IN', whole)]);
        }
      }
    }
  });

  test('phone metadata of another version stops the build', () => {
    expect(() => withoutFormats({ ...whole, version: 5 })).toThrow(/metadata has version 5/);
  });
});
