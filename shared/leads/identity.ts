import { domainToUnicode } from 'node:url';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { asciiDigits, visibleText } from '../text.ts';

/** Numbers without a country code are read as this country's (contract, section 4.3). */
const defaultCountry = 'IN';

/**
 * A phone number in the form in which it is stored and compared, E.164; undefined if the text is not a phone number.
 * Accepts what people type and paste: spaces, dots, brackets, `00` or a leading `0`, a doubled plus, digits of any script, and the
 * invisible direction marks that address books put around a number. Drops an extension.
 * The number must be "possible", not "valid": numbering plans change, and the number is a unique key.
 * @param country of a number without a country code
 */
export function parsePhone(
  text: string,
  country: CountryCode = defaultCountry,
): string | undefined {
  if (text.length > phoneTextMaxChars) return undefined;
  let phone = readPhone(typedPhone(text, country), country);
  // A number such as 0000000000 loses a zero each time it is parsed. A unique key must parse to itself.
  for (let parses = 1; parses <= parsesMax; parses += 1) {
    const again = readPhone(phone, country);
    if (again === phone) return phone;
    phone = again;
  }
  return undefined;
}

/** Without what surrounds a number, and with at most one plus. */
function typedPhone(text: string, country: CountryCode): string {
  const typed = visibleText(asciiDigits(text))
    .replace(/[()[\]]/g, ' ')
    .trim()
    .replace(/^\+[+\s]*/, '+');
  // A trunk prefix before the country code: no Indian number is this long.
  return country === 'IN' ? typed.replace(/^0(?=91[\s.-]*(?:\d[\s.-]*){10}$)/, '+') : typed;
}

/** Whether the default country decided how a text was read. @param phone what `parsePhone` returned for it */
export function lacksCountryCode(text: string, phone: string): boolean {
  const typed = typedPhone(text, defaultCountry);
  if (/^(?:\+|00)/.test(typed)) return false;
  return typed.replace(/\D/g, '').replace(/^0+/, '') !== phone.slice(1);
}

/** libphonenumber reads no longer text. Checked before normalization, which takes a second for 90,000 stacked marks. */
const phoneTextMaxChars = 250;
/** More than the digits that an E.164 number can lose. */
const parsesMax = 16;

function readPhone(text: string | undefined, country: CountryCode): string | undefined {
  // libphonenumber accepts and rejects the same context alternately: its regular expressions keep their position between calls.
  const number =
    text === undefined || text.includes(';phone-context=')
      ? undefined
      : parsePhoneNumberFromString(text, { defaultCountry: country, extract: false });
  return number?.isPossible() ? number.number : undefined;
}

/** A label of a domain in punycode, as browsers send it; DNS has none of more than 63 characters. */
const punycode = /(?<![^.])xn--[a-z\d-]{1,59}(?![^.])/gi;

/**
 * The form in which email addresses are compared; they are stored as typed. A domain is compared in Unicode. Normalized again at the end,
 * because `J` with a caron has no composed form, but `j` has.
 */
export function comparableEmail(email: string): string {
  const typed = visibleText(email.normalize('NFKC'));
  const domainAt = typed.lastIndexOf('@') + 1;
  const domain = typed
    .slice(domainAt)
    .replace(punycode, (label) => domainToUnicode(label) || label);
  return visibleText(typed.slice(0, domainAt) + domain)
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC');
}

/** 254 characters of 4 bytes each. The comparable form of some characters is longer. */
const emailIdentityMaxBytes = 1024;

/** The trimmed email address to look up; undefined if nothing of it is visible, or it is longer than a key of the table can be. */
export function emailIdentity(email: string): string | undefined {
  const typed = email.trim();
  if (typed.length > emailIdentityMaxBytes) return undefined;
  const bytes = Buffer.byteLength(comparableEmail(typed));
  return bytes === 0 || bytes > emailIdentityMaxBytes ? undefined : typed;
}
