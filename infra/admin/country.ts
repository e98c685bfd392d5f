import { InvalidArgumentError, Option } from 'commander';
import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { asciiDigits, parsePhone } from '../../shared/leads/identity.ts';

export type { CountryCode };

/** `--country` of a command that reads phones. */
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
 * Reads a phone as `parsePhone` does, but one without a country code as a number of the country. Spreadsheets drop the plus: `49151…` of
 * Germany has its country code if it is then a number of the numbering plan.
 * @param country undefined for the country of the contract
 */
export function phoneOfCountry(text: string, country: CountryCode | undefined): string | undefined {
  if (!country) return parsePhone(text);
  const digits = asciiDigits(text).replace(/[\s()/.-]/g, '');
  const whole = /^[1-9]/.test(digits) ? parsePhoneNumberFromString(`+${digits}`) : undefined;
  const hasCode = whole?.countryCallingCode === getCountryCallingCode(country) && whole.isValid();
  return parsePhone(hasCode ? `+${digits}` : text, country);
}
