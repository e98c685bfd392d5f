import { readFile, rename, writeFile } from 'node:fs/promises';
import { errorCode } from '../cli/error-code.ts';

/** How far the events of a table's stream are published: the last sequence number of each shard, and the shards that are finished. */
export interface StreamPosition {
  readonly streamArn: string;
  readonly shards: Record<string, { sequenceNumber?: string; isFinished?: true }>;
}

/** The position in a file; the beginning for a file that does not exist, or has the position in another stream. */
export async function readPosition(path: string, streamArn: string): Promise<StreamPosition> {
  try {
    const position = JSON.parse(await readFile(path, 'utf8')) as StreamPosition;
    if (position.streamArn === streamArn) return position;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
  }
  return { streamArn, shards: {} };
}

/** Replaces the file by a rename, so that a kill leaves the old or the new position. */
export async function savePosition(path: string, position: StreamPosition): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(position));
  await rename(`${path}.new`, path);
}
