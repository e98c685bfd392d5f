import { parseDateTime } from '../base/dates.ts';
import { shortened } from '../base/json.ts';
import { memoize } from '../base/maps.ts';
import { asciiFigures, comparableName, trimInvisible, visibleText } from '../base/text.ts';
import { limits } from '../contract/limits.ts';
import type { Refusal } from '../contract/refusals.ts';
import type { FieldReason } from '../contract/types.ts';
import { ownerKey } from '../organization/built-in-fields.ts';
import { type FieldType, fieldKinds } from '../organization/field-kinds.ts';
import { optionFinder } from '../organization/named.ts';
import type { Field, Organization } from '../organization/organization.ts';
import { emailIdentity, readPhone } from './identity.ts';
import type { FieldValue } from './lead.ts';

/** A field's value as a request sends it (contract, section 4.2). */
export type RawValue = FieldValue | null;

/** Why a field's value is rejected. */
export class FieldIssue implements Refusal {
  readonly reason: FieldReason;
  readonly sentence: string;
  readonly listedBy: string | undefined;
  constructor(reason: FieldReason, sentence: string, listedBy?: string) {
    this.reason = reason;
    this.sentence = sentence;
    this.listedBy = listedBy;
  }
}

export type Parse = (
  raw: FieldValue,
  field: Field,
  organization: Organization,
) => FieldValue | FieldIssue;

const notAString = new FieldIssue('wrong_type', 'must be a string.');
const isAList = new FieldIssue('wrong_type', 'must be one option, not a list.');

const trimmed = (text: string): string => text.trim();

/** Reads a text that passes a test. */
const textParser =
  (isValue: (text: string) => boolean, issue: FieldIssue, clean = trimmed): Parse =>
  (raw) => {
    const text = typeof raw === 'string' ? clean(raw) : undefined;
    if (text === undefined) return notAString;
    return isValue(text) ? text : issue;
  };

const notADate = new FieldIssue(
  'invalid_date',
  'must be a date that exists, in the form YYYY-MM-DD.',
);
const notAnEmail = new FieldIssue(
  'invalid_email',
  `must be an email address of at most ${limits.emailMaxChars} characters.`,
);
const notAWebAddress = new FieldIssue(
  'invalid_url',
  'must be a web address that starts with http:// or https://.',
);
const notYesOrNo = new FieldIssue(
  'invalid_checkbox',
  'must be true or false (yes, no, 1, 0, on and off are also accepted).',
);

export const parseText: Parse = (raw) => (typeof raw === 'string' ? raw.trim() : notAString);
export const parseTextArea: Parse = (raw) => (typeof raw === 'string' ? raw : notAString);
export const parseDate = textParser((text) => isDate(text), notADate, asciiFigures);
export const parseEmail = textParser((text) => isEmail(text), notAnEmail);
export const parseUrl = textParser(isWebAddress, notAWebAddress, trimInvisible);
export const parseOption: Parse = (raw, { options }) => {
  if (typeof raw === 'string') return optionFinder(options)(raw)?.value ?? notAnOption(options);
  return typeof raw === 'object' ? isAList : notAString;
};
export const parseCheckbox: Parse = (raw) => parseYesOrNo(raw) ?? notYesOrNo;
export const parseSource: Parse = (raw, _, { sourceById }) =>
  parseReference(raw, 'source', sourceById);
export const parseUser: Parse = (raw, { key }, { userById }) =>
  parseReference(raw, key === ownerKey ? 'owner' : 'user', userById);

export function parsePhone(raw: FieldValue): string | FieldIssue {
  if (typeof raw !== 'string') return notAString;
  const { phone, sentence } = readPhone(raw);
  return phone ?? new FieldIssue('invalid_phone', sentence);
}

/** Whether a value is empty: null, a text without a visible character, or a list without items. An unticked checkbox is not empty. */
export function isEmptyValue(raw: RawValue, type: FieldType): raw is null {
  if (raw === null) return true;
  if (typeof raw === 'string') return visibleText(raw) === '';
  return (
    fieldKinds[type].isList && Array.isArray(raw) && raw.every((item) => visibleText(item) === '')
  );
}

/** A JSON number is not exact beyond this, and DynamoDB cannot store 1E126. */
const largestNumber = Number.MAX_SAFE_INTEGER;
const smallestNumber = 1e-130;
/** Groups do not begin with 0: `0,500` is a half, with a decimal comma. */
const plainNumber =
  /^[+-]?(?=[\d.])([1-9]\d{0,2}(,\d{2,3})*,\d{3}(\.\d+)?|\d*(\.\d+)?(e[+-]?\d{1,3})?)$/i;
const significantDigitsMax = 17;
const notANumber = new FieldIssue('invalid_number', 'must be a number.');
const tooSmall = new FieldIssue(
  'out_of_range',
  `must be 0, or at least ${smallestNumber} in absolute value.`,
);

export function parseNumber(raw: FieldValue): FieldValue | FieldIssue {
  const number = typeof raw === 'string' ? numberFrom(raw) : raw;
  if (number instanceof FieldIssue) return number;
  if (typeof number !== 'number' || Number.isNaN(number)) return notANumber;
  const size = Math.abs(number);
  if (size > largestNumber)
    return new FieldIssue(
      'out_of_range',
      `must be a number between -${largestNumber} and ${largestNumber}.`,
    );
  if (size !== 0 && size < smallestNumber) return tooSmall;
  return number === 0 ? 0 : number; // DynamoDB does not store -0
}

function numberFrom(typed: string): number | FieldIssue {
  const text = asciiFigures(typed);
  if (!plainNumber.test(text)) return notANumber;
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/[^\d]/g, '')
    .replace(/^0+|0+$/g, '');
  if (digits.length > significantDigitsMax)
    return new FieldIssue(
      'out_of_range',
      `must be a number with at most ${significantDigitsMax} digits.`,
    );
  const number = Number(text.replaceAll(',', ''));
  return number === 0 && digits !== '' ? tooSmall : number;
}

/** Whether a text is a date that exists, as `YYYY-MM-DD`; valibot's isoDate accepts 2026-02-30. */
export const isDate = (text: string): boolean => parseDateTime(`${text}T00:00Z`) !== undefined;

const domainLabel = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M}-]*[\\p{L}\\p{N}\\p{M}])?';
const emailForm = new RegExp(
  `^[^\\s\\p{Cc}@<>(),;:"\\\\[\\]]+@(?:${domainLabel}\\.)+${domainLabel}$`,
  'u',
);
/** Whether a text reads as one email address, of any length. */
export const hasEmailForm = (text: string): boolean => emailForm.test(visibleText(text));
const isEmail = (text: string): boolean =>
  [...text].length <= limits.emailMaxChars &&
  emailIdentity(text) !== undefined &&
  hasEmailForm(text);

function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

/** The same field, but accepting its retired options too. */
export const withAllOptions = /* @__PURE__ */ memoize((field: Field): Field => {
  if (!field.options.some(({ retired }) => retired)) return field;
  return { ...field, options: field.options.map(({ value, label }) => ({ value, label })) };
});

/** How many options a message lists. A single one can have 200 characters. */
const optionsNamedMax = 20;
const optionsMaxChars = 500;

/** @param hint other forms that are accepted */
function notAnOption(options: Field['options'], hint = ''): FieldIssue {
  const values = options.filter(({ retired }) => !retired).map(({ value }) => value);
  const named = shortened(values.slice(0, optionsNamedMax).join(', '), optionsMaxChars);
  const more = values.length - optionsNamedMax;
  const rest = more > 0 ? `, and ${more} more` : '';
  return new FieldIssue('unknown_option', `must be one of its options: ${named}${rest}${hint}.`);
}

/** A list of options. A form that can only send text sends one option, or several separated by commas. */
export function parseList(raw: FieldValue, field: Field): FieldValue | FieldIssue {
  if (typeof raw === 'number' || typeof raw === 'boolean')
    return new FieldIssue('wrong_type', 'must be a list of its options.');
  const find = optionFinder(field.options);
  const isOneOption = typeof raw === 'string' && find(raw) !== undefined;
  const texts = typeof raw === 'string' && !isOneOption ? raw.split(',') : [raw].flat();
  // Forms send a blank item with every list, even if nothing is ticked.
  const chosen = new Set(
    texts.filter((text) => visibleText(text) !== '').map((text) => find(text)?.value),
  );
  if (chosen.size === 0 || chosen.has(undefined))
    return notAnOption(
      field.options,
      typeof raw === 'string' ? '; send several as a list, or with commas between them' : '',
    );
  // In the order of the form and without repeats, so that the same choice is the same value.
  return field.options.map(({ value }) => value).filter((value) => chosen.has(value));
}

const yes = new Set(['true', 'yes', 'y', 'on', '1', 'checked']);
const no = new Set(['false', 'no', 'n', 'off', '0', 'unchecked']);

/** Reads `true`, `no`, `1` and the like, in comparable form; undefined for any other value. */
export function parseYesOrNo(raw: FieldValue): boolean | undefined {
  const text = typeof raw === 'object' ? '' : comparableName(String(raw));
  if (yes.has(text)) return true;
  return no.has(text) ? false : undefined;
}

/** The ID in a text. Returns any other value unchanged. */
export function idFrom(raw: FieldValue): FieldValue {
  const text = typeof raw === 'string' ? asciiFigures(raw) : '';
  return /^\d{1,10}$/.test(text) ? Number(text) : raw;
}

function parseReference(
  raw: FieldValue,
  kind: 'source' | 'owner' | 'user',
  known: ReadonlyMap<number, { active: boolean }>,
): FieldValue | FieldIssue {
  const [noun, list] = kind === 'source' ? ['source', 'lead-sources'] : ['user', 'users'];
  const refusal = (reason: FieldReason) =>
    new FieldIssue(
      reason,
      `must be the ID of an active ${noun}.`,
      `GET /api/v1/${list} lists them`,
    );
  const id = idFrom(raw);
  const found = typeof id === 'number' ? known.get(id) : undefined;
  if (typeof id !== 'number' || !found) return refusal(`${kind}_not_found`);
  return found.active ? id : refusal(`${kind}_not_active`);
}
