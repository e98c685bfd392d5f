import { CommandError } from '../context.ts';

export const encodings = ['utf-8', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

/** The form of a text file, in which its report is written too. */
export interface TextForm {
  readonly encoding: Encoding;
  readonly hasByteOrderMark: boolean;
}

const startsWith = (bytes: Buffer, ...mark: number[]): boolean =>
  mark.every((byte, index) => bytes[index] === byte);

/**
 * The form of a file whose first bytes these are.
 * @throws CommandError for UTF-16, which a spreadsheet writes as "Unicode text", and for a UTF-8 file that is said to be windows-1252
 */
export function textFormOf(file: string, first: Buffer, encoding: Encoding): TextForm {
  if (startsWith(first, 0xff, 0xfe) || startsWith(first, 0xfe, 0xff))
    throw new CommandError(`${file} is UTF-16: save it as CSV UTF-8.`);
  const hasByteOrderMark = startsWith(first, 0xef, 0xbb, 0xbf);
  if (hasByteOrderMark && encoding !== 'utf-8') {
    throw new CommandError(
      `${file} begins with the mark of UTF-8, so it is not ${encoding}: remove --encoding ${encoding}.`,
    );
  }
  return { encoding, hasByteOrderMark };
}

export const notUtf8Error = (file: string, cause: unknown): CommandError =>
  new CommandError(
    `${file} is not UTF-8. If a spreadsheet on Windows wrote it, add --encoding windows-1252; else save it as CSV UTF-8.`,
    { cause },
  );

/** The bytes of windows-1252 by character. */
let windows1252: Map<string, number> | undefined;

/** Encodes a text. A character that windows-1252 does not have becomes a question mark. */
export function encoded(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  windows1252 ??= new Map(
    [...new TextDecoder('windows-1252').decode(bytes)].map((char, byte) => [char, byte]),
  );
  const byteOf = windows1252;
  return Buffer.from([...text].map((char) => byteOf.get(char) ?? 0x3f));
}
