import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams';
import { eventSource, type LeadEvent } from '../../shared/leads/events.ts';
import { eventInRecord } from '../../shared/store/leads/stream-record.ts';
import { errorCode } from '../cli/error-code.ts';
import { StartError } from './start-error.ts';
import type { TableEnvironment } from './table.ts';
import { TableStream } from './table-stream.ts';

const pauseMs = 200;
/** The rest of the five seconds of a stop is for the requests in flight and the engine. */
const finishWithinMs = 1000;

/** Stands for the bus of a deployment with `events: true`: appends the events of the table's stream to a file. */
export interface LocalEvents {
  /** Begins to read the table's stream where the last run ended. @throws StartError for a table without a stream */
  follow(environment: TableEnvironment): Promise<void>;
  /** Appends what the stream already has, as far as there is time. */
  stop(): Promise<void>;
}

/** @throws StartError when the file cannot be written */
export async function openEvents(
  path: string,
  tell: (sentence: string) => void,
): Promise<LocalEvents> {
  const file = await openEventsFile(path);
  const append = async (records: readonly StreamRecord[]): Promise<void> => {
    const lines = eventsIn(records, tell).map((event) => JSON.stringify(envelopeOf(event)));
    if (lines.length > 0) await file.appendFile(`${lines.join('\n')}\n`);
  };
  let stream: TableStream | undefined;
  let following: Promise<void> | undefined;
  let isStopping = false;
  const follow = async (tableStream: TableStream): Promise<void> => {
    for (let hasTold = false; ; ) {
      const isLast = isStopping;
      try {
        if ((await tableStream.read(append)) > 0) continue;
      } catch (error) {
        if (!isLast && !hasTold)
          tell(`--events: the stream could not be read (${String(error)}): trying again.`);
        hasTold = true;
      }
      if (isLast) return;
      await sleep(pauseMs);
    }
  };
  return {
    async follow(environment) {
      stream = await TableStream.open({ environment, positionFile: `${path}.position`, tell });
      following = follow(stream);
    },
    async stop() {
      isStopping = true;
      await Promise.race([following, sleep(finishWithinMs, undefined, { ref: false })]);
      stream?.close();
      await file.close();
    },
  };
}

/** As in a deployment, a record that cannot be read does not hold up the later ones. */
const eventsIn = (
  records: readonly StreamRecord[],
  tell: (sentence: string) => void,
): LeadEvent[] =>
  records.flatMap((record) => {
    try {
      return eventInRecord(record) ?? [];
    } catch {
      tell('--events: a record of the stream cannot be read, and is left out.');
      return [];
    }
  });

/** In EventBridge's envelope, without the account and the region, which this machine does not have. */
const envelopeOf = ({ type, time, detail }: LeadEvent) => ({
  version: '0',
  id: randomUUID(),
  source: eventSource,
  'detail-type': type,
  time: new Date(time).toISOString().replace(/\.\d+Z$/, 'Z'),
  detail,
});

const lineFeed = 0x0a;
const lineBeginning = '{"version":"0",';

/**
 * Opens the file to append, and removes an incomplete last line, whose event comes again. Another file, named by mistake, is left as it
 * is.
 */
async function openEventsFile(path: string): Promise<FileHandle> {
  const file = await openToAppend(path);
  try {
    const { end, incomplete } = await lastLineOf(file);
    const beginning = incomplete.slice(0, lineBeginning.length);
    if (!lineBeginning.startsWith(beginning))
      throw new StartError(
        `--events ${path}: the file ends in a line that is not an event: name a new file, or one that --events wrote.`,
      );
    await file.truncate(end);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openToAppend(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'a+', 0o600);
  } catch (error) {
    const reason = {
      ENOENT: 'its folder does not exist',
      EISDIR: 'it is a folder',
      EACCES: 'the system does not allow it',
    }[errorCode(error) ?? ''];
    if (reason === undefined) throw error;
    throw new StartError(`--events ${path}: the file cannot be written: ${reason}.`, {
      cause: error,
    });
  }
}

/** Where the last complete line ends, in bytes, and what follows it. An event has less than a megabyte. */
async function lastLineOf(file: FileHandle): Promise<{ end: number; incomplete: string }> {
  const { size } = await file.stat();
  const from = Math.max(0, size - 1_000_000);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
  const tail = buffer.subarray(0, bytesRead);
  const lineStart = tail.lastIndexOf(lineFeed) + 1;
  return { end: from + lineStart, incomplete: tail.toString('latin1', lineStart) };
}
