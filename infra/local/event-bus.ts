import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { errorCode } from '../cli/error-code.ts';
import { StartError } from './start-error.ts';

/** Stands for the EventBridge bus of a deployment: appends each event to a file, as the bus would carry it. */
export interface LocalEventBus {
  /** `AWS_ENDPOINT_URL_EVENTBRIDGE` of the publisher. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** An entry of `PutEvents` (AWS: PutEventsRequestEntry). `Time` is in epoch seconds on the wire. */
interface PutEventsEntry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Time: number;
  readonly Detail: string;
}

/** @throws StartError when the file cannot be written */
export async function startEventBus(path: string): Promise<LocalEventBus> {
  const file = await openEventsFile(path);
  let appended: Promise<unknown> = Promise.resolve();
  const server = createServer(async (request, response) => {
    try {
      const { Entries } = JSON.parse(await textOf(request)) as { Entries: PutEventsEntry[] };
      const events = Entries.map(envelopeOf);
      const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
      const append = (): Promise<void> => file.appendFile(lines);
      appended = appended.then(append, append);
      await appended;
      const body = { FailedEntryCount: 0, Entries: events.map(({ id }) => ({ EventId: id })) };
      response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(body));
    } catch {
      response.writeHead(500).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('A TCP listener has no port.');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await file.close();
    },
  };
}

/** In EventBridge's envelope, without the account and the region, which this machine has not. */
const envelopeOf = ({ Source, DetailType, Time, Detail }: PutEventsEntry) => ({
  version: '0',
  id: randomUUID(),
  source: Source,
  'detail-type': DetailType,
  time: new Date(Time * 1000).toISOString().replace(/\.\d+Z$/, 'Z'),
  detail: JSON.parse(Detail) as unknown,
});

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const lineFeed = 0x0a;
const lineBeginning = '{"version":"0",';

/**
 * Opens the file to append, and removes an incomplete last line: its event was not acknowledged, and comes again. Another file, named by
 * mistake, is left as it is.
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
    const reason = { ENOENT: 'its folder does not exist', EISDIR: 'it is a folder' }[
      errorCode(error) ?? ''
    ];
    if (reason === undefined && errorCode(error) !== 'EACCES') throw error;
    throw new StartError(
      `--events ${path}: the file cannot be written: ${reason ?? 'the system does not allow it'}.`,
      { cause: error },
    );
  }
}

/** Where the last complete line ends, in bytes, and what follows it. An interrupted append leaves less than a request: at most 256 KB. */
async function lastLineOf(file: FileHandle): Promise<{ end: number; incomplete: string }> {
  const { size } = await file.stat();
  const from = Math.max(0, size - 1_000_000);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
  const tail = buffer.subarray(0, bytesRead);
  const lineStart = tail.lastIndexOf(lineFeed) + 1;
  return { end: from + lineStart, incomplete: tail.toString('latin1', lineStart) };
}
