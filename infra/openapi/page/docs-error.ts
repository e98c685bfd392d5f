/** The reference page cannot be served or written; the message says why in a sentence. */
export class DocsError extends Error {
  override readonly name = 'DocsError';
}
