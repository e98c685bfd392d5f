import type { CaptureRequest } from './client.ts';

/** An enquiry without its nulls, which the service refuses: `FormData.get` returns null for a field that the form does not have. */
export function withoutNulls(enquiry: CaptureRequest): CaptureRequest {
  const present = (_: string, value: unknown) => value ?? undefined;
  const copy: CaptureRequest = JSON.parse(JSON.stringify(enquiry, present));
  return copy;
}

/** An enquiry without the values that the service refused. Their texts are in its notes. */
export interface ReducedEnquiry {
  readonly enquiry: CaptureRequest;
  /** The removed values as they were sent, by the names in the service's error. */
  readonly removed: Readonly<Record<string, string>>;
}

const notesMaxChars = 5000;
const removedMaxChars = 500;

/**
 * Removes the refused values from an enquiry, so that a bad optional value does not lose the whole enquiry.
 * @param refused the names in `details.fields` of VALIDATION_FAILED
 * @returns undefined if the name or the phone was refused, or no sent value was: removing values would not help then
 */
export function withoutRefusedValues(
  enquiry: CaptureRequest,
  refused: readonly string[],
): ReducedEnquiry | undefined {
  if (refused.includes('name') || refused.includes('phone')) return undefined;
  const given = withoutNulls(enquiry);
  const { fields = {}, notes = '', ...others } = given;
  const parts: Record<string, unknown> = others;
  const removed: Record<string, string> = {};
  const remove = (from: Record<string, unknown>, key: string): void => {
    removed[key] = textOf(from[key]);
    delete from[key];
  };
  for (const name of refused) {
    const [top = ''] = name.split('.', 1); // `attribution.utmTerm`
    if (Object.hasOwn(fields, name)) remove(fields, name);
    else if (name !== 'notes' && Object.hasOwn(parts, top)) remove(parts, top);
  }
  const hasNulls = JSON.stringify(given) !== JSON.stringify(enquiry);
  const isShorter = refused.includes('notes') && notes !== '';
  if (Object.keys(removed).length === 0 && !isShorter && !hasNulls) return undefined;
  const { name, phone, ...rest } = others;
  const text = notesWith(notes, removed);
  const mended = {
    name,
    phone,
    ...rest,
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(text !== '' && { notes: text }),
  };
  return { enquiry: mended, removed };
}

/** The notes with a line for each removed value, in characters that the service accepts. */
function notesWith(notes: unknown, removed: Readonly<Record<string, string>>): string {
  const lines = Object.entries(removed).map(
    ([name, text]) => `${name}: ${cut(text, removedMaxChars)}`,
  );
  const tail = cut(lines.join('\n'), notesMaxChars - 2);
  const tailChars = tail === '' ? 0 : [...tail].length + 2;
  const start = cut(textOf(notes), notesMaxChars - tailChars);
  return [start, tail].filter((part) => part !== '').join('\n\n');
}

const textOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return clean(text ?? '');
};

/** Removes U+0000, and replaces unpaired surrogates: the service accepts neither in a text. */
const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** The first `maxChars` code points of a text. */
function cut(text: string, maxChars: number): string {
  const characters = [...text];
  return characters.length <= maxChars ? text : `${characters.slice(0, maxChars - 1).join('')}…`;
}
