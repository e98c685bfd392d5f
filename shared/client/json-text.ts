/**
 * The JSON text of a body. The service refuses a raw U+FFFD, which a wrong encoding leaves where letters were. A visitor who typed one
 * means it, so it is sent as an escape.
 */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replaceAll('\ufffd', '\\ufffd');

/** The JSON text with all properties in alphabetical order: equal content has equal text. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    return Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * An idempotency key for this enquiry: SHA-256 of its content and of the view of the form. The same content from the same view is one
 * enquiry, however often it is sent. A changed text has another key.
 * @param formView a random ID, new for each display of the form; without it, the same content within 24 hours is one enquiry
 */
export async function idempotencyKeyOf(enquiry: object, formView = ''): Promise<string> {
  const text = new TextEncoder().encode(`${formView}\n${canonicalText(enquiry)}`);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
