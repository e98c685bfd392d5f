import type { FileHandle } from 'node:fs/promises';

/** Appends by position, because the file may be open for reading and writing. */
export async function appender(handle: FileHandle): Promise<(text: string) => Promise<unknown>> {
  let { size } = await handle.stat();
  return async (text) => {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, size);
      written += bytesWritten;
      size += bytesWritten;
    }
  };
}

/** Waits for a slow reader. */
export const toStdout = (text: string): Promise<void> =>
  new Promise((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once('drain', resolve);
  });
