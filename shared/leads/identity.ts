import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Numbers without a country code are read as this country's (contract, section 4.3). */
const defaultCountry = 'IN';

/**
 * A phone number in the one form it is stored and compared in: E.164.
 * Accepts what people type and paste: spaces, dots, brackets, `00` or a leading `0`, a doubled plus, digits of any script, and the
 * invisible marks of direction that address books put around a number. An extension is left out.
 * "Possible" is enough, not "valid": numbering plans move, and the number is a unique key.
 */
export function parsePhone(text: string): string | undefined {
  if (text.length > phoneTextMaxChars) return undefined;
  const typed = asciiDigits(text)
    .replace(/\p{Cf}/gu, '')
    .replace(/[()[\]]/g, ' ')
    .trim()
    .replace(/^\+[+\s]*/, '+')
    // The prefix of a trunk before the country's own code: no national number is so long.
    .replace(/^0(?=91[\s.-]*(?:\d[\s.-]*){10}$)/, '+');
  let phone = readPhone(typed);
  // A number such as 0000000000 loses another zero at each reading; as a unique key it must be one that reads as itself.
  for (let reading = 1; reading <= readingsMax; reading += 1) {
    const again = readPhone(phone);
    if (again === phone) return phone;
    phone = again;
  }
  return undefined;
}

/** The longest that libphonenumber reads. Unicode's forms are made before, and of 90,000 stacked marks that takes a second. */
const phoneTextMaxChars = 250;
/** More than an E.164 number has digits to lose. */
const readingsMax = 16;

function readPhone(text: string | undefined): string | undefined {
  const number = text === undefined ? undefined : parsePhoneNumberFromString(text, { defaultCountry, extract: false });
  return number?.isPossible() ? number.number : undefined;
}

/** Every decimal digit of Unicode as its ASCII digit: libphonenumber reads neither Devanagari nor Bengali. */
export function asciiDigits(text: string): string {
  return text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => String(digitValue(digit.codePointAt(0) ?? 0)));
}

/** Unicode keeps the ten digits of a script in a row, zero first (The Unicode Standard, section 4.6); two such rows may touch. */
function digitValue(codePoint: number): number {
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(codePoint - before - 1))) before += 1;
  return before % 10;
}

/** An e-mail address in the one form it is compared in; it is kept as typed. */
export const comparableEmail = (email: string): string => email.normalize('NFC').toLowerCase();

/** 254 characters of 4 bytes each; Unicode has some that take thrice as much in the form they are compared in. */
const emailIdentityMaxBytes = 1024;

/** The e-mail address to look for, trimmed; undefined where there is none, or one longer than a key of the table holds. */
export function emailIdentity(email: string): string | undefined {
  const typed = email.trim();
  const isTooLong = typed.length > emailIdentityMaxBytes || Buffer.byteLength(comparableEmail(typed)) > emailIdentityMaxBytes;
  return typed === '' || isTooLong ? undefined : typed;
}
