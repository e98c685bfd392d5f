import { domainToUnicode } from 'node:url';
import {
  type CountryCode,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import { asciiFigures, visibleText } from '../base/text.ts';

/** Numbers without a country code are read as this country's (contract, section 4.3). */
const defaultCountry = 'IN';
const isIndian = ({ countryCallingCode }: PhoneNumber): boolean => countryCallingCode === '91';

/** A phone in E.164, in which it is stored and compared; or a sentence that says why the text is not a phone and what to do. */
export type PhoneReading =
  | { readonly phone: string; readonly sentence?: undefined }
  | { readonly phone?: undefined; readonly sentence: string };

/**
 * Reads a phone as people and programs write it. An Indian number must be valid by its numbering plan: otherwise nobody would notice a
 * missing digit, or a foreign number without its country code. Other numbers need only be possible: numbering plans change, and old
 * metadata must not lose an enquiry.
 * @param country the country of numbers without a country code
 */
export function readPhone(text: string, country: CountryCode = defaultCountry): PhoneReading {
  const typed = typedPhone(text);
  const several = shortenedEnd.test(typed) ? severalIn(typed, country) : undefined;
  if (several !== undefined) return { sentence: several };
  const number = separator.test(typed) ? undefined : possibleNumber(typed, country);
  const phone = ifValid(number) ?? withoutRepeatedCode(typed, country);
  if (phone !== undefined) return { phone };
  const sentence = severalIn(typed, country);
  if (sentence === undefined && number && !isIndian(number)) return { phone: number.number };
  return { sentence: sentence ?? issueOf(typed, country) };
}

/** A text as a phone in E.164, if its length is possible in its country; undefined for any other text. */
export function possiblePhone(text: string): string | undefined {
  // Replaces a trunk prefix before the country code: no Indian number is this long.
  const typed = typedPhone(text).replace(/^0(?=91[\s.-]*(?:\d[\s.-]*){10}$)/, '+');
  return possibleNumber(typed, defaultCountry)?.number;
}

/**
 * A text that already has the form of a stored phone. So an existing lead's phone is found and kept, even if today's rules would refuse it.
 */
export function storedPhone(text: string): string | undefined {
  const phone = typedPhone(text).replace(/[\s.-]/g, '');
  return /^\+[1-9]\d{1,19}$/.test(phone) ? phone : undefined;
}

/** Whether `readPhone` assumed the default country. @param phone what `readPhone` returned for the text */
export function lacksCountryCode(text: string, phone: string): boolean {
  const typed = typedPhone(text);
  const national = parsed(phone, defaultCountry)?.nationalNumber ?? '';
  return !startsWithCode.test(typed) && typed.replace(/^0|\D/g, '').startsWith(national);
}

/**
 * A word beside a number: `p:` is Meta's, `whatsapp:` Twilio's. A letter after a digit is not part of a label, because it can be a mistyped
 * digit: 9876O.
 */
const label =
  /(?<![\p{L}\d])(?:t[eé]l(?:ephone|efon)?|ph(?:one)?|mob?(?:ile?)?|cell(?:phone)?|callto|sms|whats ?app|contact|home|office|work|[hmprtw])?(?:no|number)?(?!\p{L})/giu;

/**
 * A phone stripped of everything around it, with at most one leading plus. Drops brackets, emojis, a label such as `Mobile no.`, the
 * address of a chat, and the decimals that a spreadsheet adds. Replaces digits of other scripts.
 */
export const typedPhone = (text: string): string =>
  asciiFigures(text)
    // The number in a chat's address has a country code but no plus: https://faq.whatsapp.com/5913398998672934
    .replace(/^.*(?:wa\.me\/|[?&]phone=)\+?(\d+).*/i, '+$1')
    .replace(/\(\s*(\d{1,2})\s*\)\s*$/, '/$1') // as if a slash were before it: a second number, or a note
    .replace(/[()[\]\p{So}\p{Me}]|[^\S\n]/gu, ' ') // a new line is between two numbers
    .replace(label, '')
    .replace(/^[^\p{L}\d+]+|[^\p{L}\d#]+$/gu, '')
    .replace(/(?<=\d{7}|(\d[ -]*){10})[.,]0+$/, '')
    .replace(/^[+\d\s-]{0,6}\+\s*(?:00)?/, '+');

const startsWithCode = /^(?:\+|00)/;

// The text never contains `;phone-context=` (RFC 3966), because `label` has removed its first word. libphonenumber would accept and reject
// such a text alternately.
const parsed = (typed: string, country: CountryCode): PhoneNumber | undefined =>
  parsePhoneNumberFromString(typed, { defaultCountry: country, extract: false });

/** More often than an E.164 number has digits to lose. */
const parsesMax = 16;

function possibleNumber(typed: string, country: CountryCode): PhoneNumber | undefined {
  let number = parsed(typed, country);
  // A number such as 0000000000 loses a zero each time it is parsed. A unique key must parse to itself, so parse until it does.
  for (let parses = 1; number?.isPossible() && parses <= parsesMax; parses += 1) {
    const again = parsed(number.number, country);
    if (again?.number === number.number) return again;
    number = again;
  }
  return undefined;
}

/**
 * An Indian number has ten digits, unless it is toll-free or shared-cost. The bundled metadata allows 8 to 13 digits for every number that
 * begins with 1, as Delhi's numbers do.
 */
const hasItsLength = /^\+(?!91)|^\+91(\d{10}|1800\d+|(1860|000800)\d{7})$/;

const ifValid = (number: PhoneNumber | undefined): string | undefined =>
  number?.isValid() && hasItsLength.test(number.number) ? number.number : undefined;

const validPhone = (typed: string, country: CountryCode): string | undefined =>
  ifValid(possibleNumber(typed, country));

/**
 * A form with a menu of country codes puts the chosen code before the typed one.
 * @returns undefined unless the number is valid with a single code
 */
function withoutRepeatedCode(typed: string, country: CountryCode): string | undefined {
  const { countryCallingCode: code, nationalNumber: rest } = parsed(typed, country) ?? {};
  const single = rest?.replace(new RegExp(`^0*${code}`), `+${code}`);
  if (single === undefined || single === rest) return undefined;
  return validPhone(single, country) ?? withoutRepeatedCode(single, country);
}

/** What separates two numbers and never occurs within one. Two commas begin an extension, as does `;ext=`. */
const separator = /\d\s*[,;~]\s*[+\d]/;
/** The last digits of a second number. Some countries have numbers of several lengths, so the whole can be valid. */
const shortenedEnd = /\d\s*\/\s*\d{1,2}$/;
const letter = /\p{L}/u;

/** The issue of a text that holds more than one number: its beginning is valid, but the whole is not. */
function severalIn(typed: string, country: CountryCode): string | undefined {
  for (const { index } of typed.matchAll(/(?<=\d)\D+(?=\d)/g)) {
    if (validPhone(typed.slice(0, index), country) === undefined) continue;
    const isWhole = /(?:\d\D*){7}/.test(typed.slice(index));
    if (isWhole || !letter.test(typed))
      return `holds more than one phone number${isWhole ? '' : ', the second one shortened'}: keep one.`;
  }
  return undefined;
}

/** Why a text is not a phone, and what to do. */
function issueOf(typed: string, country: CountryCode): string {
  if (/^[\d.,+]+e\+?\d+$/i.test(typed)) return 'lost digits in a spreadsheet: write all of them.';
  const number = parsed(typed, country);
  if (!number && letter.test(typed)) return 'holds letters: write only the number.';
  if (number ? !isIndian(number) : startsWithCode.test(typed))
    return 'is not a number of its country; check the country code and the digits.';
  if (!number)
    return 'must be a phone number with a country code; a number without one is read as an Indian number.';
  const size = number.nationalNumber.length < 10 ? 'short' : 'long';
  return `is too ${size}: it is not an Indian number; begin with + and the country code, or check its digits.`;
}

/** A domain label in punycode, as browsers send it. DNS allows at most 63 characters per label. */
const punycode = /(?<![^.])xn--[a-z\d-]{1,59}(?![^.])/gi;

/**
 * The form in which email addresses are compared; they are stored as typed. Domains are compared in Unicode. The result is normalized
 * again, because `J` with a caron has no composed form, but `j` has.
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

/** 254 characters of 4 bytes each, rounded up. Some characters have a longer comparable form. */
const emailIdentityMaxBytes = 1024;

/** The trimmed email address to look up; undefined if it has no visible character, or is too long for a key of the table. */
export function emailIdentity(email: string): string | undefined {
  const typed = email.trim();
  if (typed.length > emailIdentityMaxBytes) return undefined;
  const bytes = Buffer.byteLength(comparableEmail(typed));
  return bytes === 0 || bytes > emailIdentityMaxBytes ? undefined : typed;
}
