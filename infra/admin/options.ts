import { InvalidArgumentError, Option } from 'commander';
import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { parseDateTime } from '../../shared/base/dates.ts';
import { type PhoneReading, readPhone, typedPhone } from '../../shared/leads/identity.ts';

export type { CountryCode };

/** Parses a date or date-time. @returns epoch milliseconds @throws InvalidArgumentError, which the command reports as wrong usage */
export function parseTime(text: string): number {
  const at = parseDateTime(text) ?? parseDateTime(`${text}T00:00Z`);
  if (at === undefined) {
    throw new InvalidArgumentError(
      'It must be a date, or a date-time with an offset, such as 2026-01-31T18:30:00+05:30.',
    );
  }
  return at;
}

/** Parses a text. @throws InvalidArgumentError if it has only blanks */
export function parseText(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new InvalidArgumentError('It must have a character other than blanks.');
}

/** The option `--country` of a command that reads phones. */
export const countryOption = (): Option =>
  new Option(
    '--country <CODE>',
    'country of phones without a country code: two letters of ISO 3166, such as DE (default: IN)',
  ).argParser(parseCountry);

function parseCountry(text: string): CountryCode {
  const code = text.trim().toUpperCase();
  if (isSupportedCountry(code)) return code;
  throw new InvalidArgumentError('It must be two letters of ISO 3166, such as DE or GB.');
}

/**
 * Reads a phone like `readPhone`, but a number without a country code as one of `country`. Spreadsheets drop the plus, so `49151…` in
 * Germany has its country code, if it is then valid in the numbering plan.
 * @param country undefined for the contract's default country
 */
export function phoneOfCountry(text: string, country: CountryCode | undefined): PhoneReading {
  if (!country) return readPhone(text);
  const digits = typedPhone(text).replace(/[\s/.-]/g, '');
  const whole = /^[1-9]/.test(digits) ? parsePhoneNumberFromString(`+${digits}`) : undefined;
  const hasCode = whole?.countryCallingCode === getCountryCallingCode(country) && whole.isValid();
  return readPhone(hasCode ? `+${digits}` : text, country);
}
