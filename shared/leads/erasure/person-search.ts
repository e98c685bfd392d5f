import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { asciiDigits } from '../../base/text.ts';
import { hasEmailForm } from '../field-values.ts';
import { comparableEmail, possiblePhone } from '../identity.ts';
import { readingsOf, type Span } from './readings.ts';

/** A person's phones (in E.164) and emails (in comparable form). Only an email has an `@`. */
export type Identities = readonly string[];
export const isEmailIdentity = (identity: string): boolean => identity.includes('@');

/**
 * The values that are a whole phone or email. Timelines also hold values that identify nobody: the mark of an earlier erasure, or a value
 * that was cut to fit. Searching for those would find other people.
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

/**
 * Tests the stored form, E.164. `possiblePhone` would reject a phone whose numbering plan has changed since, although the person had it.
 */
const isWholePhone = (phone: string): boolean =>
  /^\+[1-9]\d{6,14}$/.test(phone) || possiblePhone(phone) === phone;

/** A national number with fewer digits is found only with the country code: "room 1234" is not a phone. */
const nationalDigitsMin = 7;
/** `00`, the digits of E.164, and a `0` after the country code. */
const spelledDigitsMax = 18;

/** The number without its country code. If the country is unknown, the code stays, because nobody knows where it ends. */
const nationalOf = (phone: string): string =>
  parsePhoneNumberFromString(phone)?.nationalNumber ?? phone.slice(1);

/**
 * The ways to write a phone, without gaps: with the country code, with an exit code before it, and without it. A short number is found only
 * with its plus.
 */
function spellingsOf(phone: string): string[] {
  const parsed = parsePhoneNumberFromString(phone);
  const code = parsed?.countryCallingCode ?? '';
  const national = nationalOf(phone);
  const isShort = national.length < nationalDigitsMin;
  const international = [`${code}${national}`, ...(parsed ? [`${code}0${national}`] : [])];
  return [
    ...international.map((digits) => (isShort ? `+${digits}` : digits)),
    ...international.map((digits) => `00${digits}`),
    ...(parsed && !isShort ? [national, `0${national}`] : []),
  ];
}

/** A part of a text that is one of the person's phones or emails. */
interface Match extends Span {
  readonly identities: Identities;
}

/**
 * Finds a person's phones in any spelling, with and without the country code, and emails in any case, even if they are encoded. It looks up
 * everything in a text that could be a phone or an email, so the number of searched values hardly matters.
 */
export class PersonSearch {
  readonly #identities: Set<string>;
  /** Phones by each of their spellings. */
  readonly #spelled = new Map<string, string[]>();
  /** The phones without their country codes. Every spelling ends with one of these, so a text that has none of them has no match. */
  readonly #nationals: readonly string[];
  readonly #domains: ReadonlySet<string>;

  /** @param values ignores values that are not a whole phone or email */
  constructor(values: readonly unknown[]) {
    const identities = identitiesAmong(values);
    const emails = identities.filter(isEmailIdentity);
    const phones = identities.filter((identity) => !isEmailIdentity(identity));
    this.#identities = new Set(identities);
    for (const phone of phones)
      for (const spelling of spellingsOf(phone))
        this.#spelled.set(spelling, [...(this.#spelled.get(spelling) ?? []), phone]);
    this.#nationals = phones.map(nationalOf);
    this.#domains = new Set(emails.map((email) => email.slice(email.lastIndexOf('@'))));
  }

  get identities(): Identities {
    return [...this.#identities];
  }

  hasAny(identities: Identities): boolean {
    return identities.some((identity) => this.#identities.has(identity));
  }

  forget(identities: Identities): void {
    for (const identity of identities) this.#identities.delete(identity);
  }

  /** Replaces each phone and email of the person. @returns the text unchanged if it has neither */
  replaceIn(text: string, mark: string): string {
    const taken = new Uint8Array(text.length);
    const spans = this.#matchesIn(text).filter(({ start, end }) => {
      if (taken.subarray(start, end).includes(1)) return false;
      taken.fill(1, start, end);
      return true;
    });
    return replaced(
      text,
      spans.toSorted((a, b) => a.start - b.start),
      () => mark,
    );
  }

  /** The person's phones and emails that a text contains. */
  foundIn(text: string): Identities {
    return this.#matchesIn(text).flatMap(({ identities }) => identities);
  }

  /** The matches in every reading of the text, as positions in the original. If two overlap, the first one counts. */
  #matchesIn(text: string): Match[] {
    return readingsOf(text).flatMap((reading) => {
      const emails = this.#emailsIn(reading.text);
      // An email that contains the person's phone is erased as a whole.
      const withoutEmails = replaced(reading.text, emails, ({ start, end }) =>
        '['.repeat(end - start),
      );
      return [...emails, ...this.#phonesIn(withoutEmails)].flatMap((match) => {
        const span = reading.original(match);
        return span ? [{ ...match, ...span }] : [];
      });
    });
  }

  #emailsIn(text: string): Match[] {
    const matches: Match[] = [];
    for (const { index, 0: at } of text.matchAll(/[@＠]/g)) {
      const match = this.#emailAround(text, index, index + at.length);
      if (match && match.start >= (matches.at(-1)?.end ?? 0)) matches.push(match);
    }
    return matches;
  }

  /** @param at where the local part ends @param after where the domain begins */
  #emailAround(text: string, at: number, after: number): Match | undefined {
    domainCharacters.lastIndex = after;
    const domain = domainCharacters.exec(text)?.[0].replace(/[.．-]+$/, '') ?? '';
    if (!this.#domains.has(comparableEmail(`@${domain}`))) return undefined;
    const earliest = Math.max(0, at - localPartMax);
    const [local = ''] = localCharacters.exec(text.slice(earliest, at)) ?? [];
    for (let start = at - local.length; start < at; start += 1) {
      emailStart.lastIndex = start;
      if (!emailStart.test(text)) continue;
      const email = comparableEmail(`${text.slice(start, at)}@${domain}`);
      if (this.#identities.has(email))
        return { start, end: after + domain.length, identities: [email] };
    }
    return undefined;
  }

  #phonesIn(text: string): Match[] {
    const allDigits = asciiDigits(text).replace(/\D+/g, '');
    if (!this.#nationals.some((national) => allDigits.includes(national))) return [];
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

function replaced<T extends Span>(
  text: string,
  spans: readonly T[],
  replacementOf: (span: T) => string,
): string {
  let end = 0;
  const parts = spans.map((span) => {
    const before = text.slice(end, span.start);
    end = span.end;
    return `${before}${replacementOf(span)}`;
  });
  return parts.join('') + text.slice(end);
}

/** The characters that `hasEmailForm` allows before the `@`, and invisible ones. */
const localCharacters = /[^\s\p{Cc}@＠<>(),;:"\\[\]]*$/u;
const domainCharacters = /[\p{L}\p{N}\p{M}\p{Cf}.．-]*/uy;
/** The longest local part of an email. */
const localPartMax = 254;
/** Does not match within a longer email: `marie@example.com` is only the end of `anne-marie@example.com`. */
const emailStart = /(?<![\p{L}\p{N}._+]|[\p{L}\p{N}][-'])/uy;

/** The first digit of a number. A date, such as 2026-11-21, is not a phone. */
const phoneStart = /(?<!\p{Nd})(?!\d{4}-\d\d-\d\d(?!\d))/uy;
/** What people write between the digits of a phone. A plus is an encoded blank in a form, an underscore one in an email header. */
const gapCharacters = /[\s().+/_\p{Pd}\p{Cf}]*/uy;
const plusBefore = /[+＋][\s().\p{Pd}\p{Cf}]*$/u;
/** How far before the first digit a plus is looked for, in characters. */
const plusMax = 20;

interface Digit {
  /** The digit in ASCII. */
  readonly value: string;
  readonly end: number;
}
/** The digits of a text, in any script, by the position where each begins. */
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
