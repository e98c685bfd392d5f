import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { asciiDigits } from '../../text.ts';
import { hasEmailForm } from '../field-types.ts';
import { comparableEmail, parsePhone } from '../identity.ts';

/** A person's phones (E.164) and emails (as they are compared). Only an email has an `@`. */
export type Identities = readonly string[];
export const isEmailIdentity = (identity: string): boolean => identity.includes('@');

/**
 * The values that are a whole phone or email. Timelines also hold other values: the mark of an earlier erasure, a value that was cut to fit.
 * Such a value identifies nobody, and a search for it would find other people.
 */
export const identitiesAmong = (values: readonly unknown[]): Identities => [
  ...new Set(
    values.flatMap((value) => {
      if (typeof value !== 'string') return [];
      if (hasEmailForm(value)) return [comparableEmail(value)];
      return isWholePhone(value) ? [value] : [];
    }),
  ),
];

/** As it is stored: E.164. A numbering plan may have changed since, so that `parsePhone` rejects the phone, but its person still had it. */
const isWholePhone = (phone: string): boolean =>
  /^\+[1-9]\d{6,14}$/.test(phone) || parsePhone(phone) === phone;

/** A national number with fewer digits is found only with the country code: "room 1234" is not a phone. */
const nationalDigitsMin = 7;
/** `00`, the digits of E.164, and a `0` after the country code. */
const spelledDigitsMax = 18;

/** How people write a phone, without the gaps: with the country code, with its exit code, and without it. A short one needs its plus. */
function spellingsOf(phone: string): string[] {
  const parsed = parsePhoneNumberFromString(phone);
  // The country may be unknown: then its code is a part of the number.
  const code = parsed?.countryCallingCode ?? '';
  const national = parsed?.nationalNumber ?? phone.slice(1);
  const isShort = national.length < nationalDigitsMin;
  const international = [`${code}${national}`, ...(parsed ? [`${code}0${national}`] : [])];
  return [
    ...international.map((digits) => (isShort ? `+${digits}` : digits)),
    ...international.map((digits) => `00${digits}`),
    ...(parsed && !isShort ? [national, `0${national}`] : []),
  ];
}

/** A part of a text that is one of the person's phones or emails. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly identities: Identities;
}

/**
 * Finds a person's phones in any spelling, with and without the country code, and emails in any case, also inside a URL. It finds whatever
 * could be a phone or an email, and looks each one up: the number of phones and emails hardly matters.
 */
export class PersonSearch {
  readonly #identities: Set<string>;
  /** Phones by each of their spellings. */
  readonly #spelled = new Map<string, string[]>();
  readonly #domains: ReadonlySet<string>;

  /** @param values those that are not a whole phone or email are ignored */
  constructor(values: readonly unknown[]) {
    const identities = identitiesAmong(values);
    const emails = identities.filter(isEmailIdentity);
    const phones = identities.filter((one) => !isEmailIdentity(one));
    this.#identities = new Set(identities);
    for (const phone of phones)
      for (const spelling of spellingsOf(phone))
        this.#spelled.set(spelling, [...(this.#spelled.get(spelling) ?? []), phone]);
    this.#domains = new Set(emails.map((email) => email.slice(email.lastIndexOf('@'))));
  }

  get identities(): Identities {
    return [...this.#identities];
  }

  forget(identities: Identities): void {
    for (const one of identities) this.#identities.delete(one);
  }

  /** Replaces each phone and email of the person. @returns the text unchanged if it has neither */
  replaceIn(text: string, mark: string): string {
    // Emails first: an email that contains the person's phone is erased as a whole.
    const withoutEmails = replaced(text, this.#emailsIn(text), mark);
    return replaced(withoutEmails, this.#phonesIn(withoutEmails), mark);
  }

  /** The person's phones and emails that a text contains. */
  foundIn(text: string): Identities {
    const emails = this.#emailsIn(text);
    const phones = this.#phonesIn(replaced(text, emails, '[]'));
    return [...emails, ...phones].flatMap(({ identities }) => identities);
  }

  #emailsIn(text: string): Match[] {
    const matches: Match[] = [];
    for (const { index, 0: at } of text.matchAll(/@|%40/g)) {
      const match = this.#emailAround(text, index, index + at.length);
      if (match && match.start >= (matches.at(-1)?.end ?? 0)) matches.push(match);
    }
    return matches;
  }

  /** @param at where the local part ends @param after where the domain begins */
  #emailAround(text: string, at: number, after: number): Match | undefined {
    domainCharacters.lastIndex = after;
    const domain = domainCharacters.exec(text)?.[0].replace(/[.-]+$/, '') ?? '';
    if (!this.#domains.has(comparableEmail(`@${domain}`))) return undefined;
    const earliest = Math.max(0, at - localPartMax);
    const [local = ''] = localCharacters.exec(text.slice(earliest, at)) ?? [];
    for (let start = at - local.length; start < at; start += 1) {
      emailStart.lastIndex = start;
      if (!emailStart.test(text)) continue;
      const email = comparableEmail(`${text.slice(start, at).replaceAll(/%2B/gi, '+')}@${domain}`);
      if (this.#identities.has(email))
        return { start, end: after + domain.length, identities: [email] };
    }
    return undefined;
  }

  #phonesIn(text: string): Match[] {
    const digits = digitsIn(text);
    const matches: Match[] = [];
    for (const start of digits.keys()) {
      if (start < (matches.at(-1)?.end ?? 0)) continue;
      phoneStart.lastIndex = start;
      const match = phoneStart.test(text) ? this.#phoneFrom(text, digits, start) : undefined;
      if (match) matches.push(match);
    }
    return matches;
  }

  /** The longest phone that begins at a digit. */
  #phoneFrom(text: string, digits: Digits, start: number): Match | undefined {
    const plus = plusBefore.exec(text.slice(Math.max(0, start - plusMax), start))?.[0].length ?? 0;
    let longest: Match | undefined;
    let read = '';
    for (let digit = digits.get(start); digit; digit = digitAfter(text, digits, digit.end)) {
      read += digit.value;
      if (read.length > spelledDigitsMax) break;
      if (digits.has(digit.end)) continue; // within the digits of a longer number
      const spellings = plus > 0 ? [read, `+${read}`] : [read];
      const phones = spellings.flatMap((spelling) => this.#spelled.get(spelling) ?? []);
      const identities = phones.filter((phone) => this.#identities.has(phone));
      if (identities.length === 0) continue;
      const opens = text[start - 1] === '(' && text.slice(start, digit.end).includes(')') ? 1 : 0;
      longest = { start: start - (plus || opens), end: digit.end, identities };
    }
    return longest;
  }
}

function replaced(text: string, matches: readonly Match[], mark: string): string {
  if (matches.length === 0) return text;
  let end = 0;
  const parts = matches.map((match) => {
    const before = text.slice(end, match.start);
    end = match.end;
    return `${before}${mark}`;
  });
  return parts.join('') + text.slice(end);
}

/** Those of `hasEmailForm`, and invisible ones. */
const localCharacters = /[^\s\p{Cc}@<>(),;:"\\[\]]*$/u;
const domainCharacters = /[\p{L}\p{N}\p{M}\p{Cf}.-]*/uy;
/** An email has at most 254 characters; an escape of an address has three for one. */
const localPartMax = 3 * 254;
/** Not behind what would make the text the end of another email, such as the hyphen of anne-marie@example.com, unless that is an escape. */
const emailStart = /(?<![\p{L}\p{N}._+]|[\p{L}\p{N}][-'])|(?<=%[0-9A-Fa-f]{2})/uy;

/** The first digit of a number, or one behind an escape of an address, such as `%20`. A date, such as 2026-11-21, is not a phone. */
const phoneStart = /(?:(?<!\p{Nd})|(?<=%[0-9A-Fa-f]{2}))(?!\d{4}-\d\d-\d\d(?!\d))/uy;
/** The characters that people write between the digits of a phone, in an address too. */
const gap = '(?:[\\s().\\p{Pd}\\p{Cf}]|%20)*';
const gapCharacters = new RegExp(gap, 'uy');
const plusBefore = new RegExp(`(?:[+＋]|%2B)${gap}$`, 'iu');
/** A plus, and as many characters between it and the first digit as are looked at. */
const plusMax = 20;

interface Digit {
  /** ASCII. */
  readonly value: string;
  readonly end: number;
}
/** The digits of a text, of any script, by where they begin. */
type Digits = ReadonlyMap<number, Digit>;

const digitsIn = (text: string): Digits =>
  new Map(
    [...text.matchAll(/\p{Nd}/gu)].map(({ index, 0: digit }) => [
      index,
      { value: asciiDigits(digit), end: index + digit.length },
    ]),
  );

function digitAfter(text: string, digits: Digits, end: number): Digit | undefined {
  gapCharacters.lastIndex = end;
  return digits.get(end + (gapCharacters.exec(text)?.[0].length ?? 0));
}
