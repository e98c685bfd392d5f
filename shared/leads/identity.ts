import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Numbers without a country code are read as this country's (contract, section 4.3). */
const defaultCountry = 'IN';

/**
 * A phone number in the one form it is stored and compared in: E.164.
 * Accepts what people type: spaces, dots, brackets, `00` or a leading `0`, digits of any script.
 * "Possible" is enough, not "valid": numbering plans move, and the number is a unique key.
 */
export function parsePhone(text: string): string | undefined {
  const number = parsePhoneNumberFromString(asciiDigits(text).trim(), { defaultCountry, extract: false });
  return number?.isPossible() ? number.number : undefined;
}

/** Every decimal digit of Unicode as its ASCII digit: libphonenumber reads neither Devanagari nor Bengali. */
export function asciiDigits(text: string): string {
  return text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => String(digitValue(digit.codePointAt(0) ?? 0)));
}

/** Unicode keeps the ten digits of a script in a row, zero first (The Unicode Standard, section 4.6). */
function digitValue(codePoint: number): number {
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(codePoint - value - 1))) value += 1;
  return value;
}

/** An e-mail address in the one form it is compared in; it is kept as typed. */
export const comparableEmail = (email: string): string => email.normalize('NFC').toLowerCase();
