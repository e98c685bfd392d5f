import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, stat, truncate } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams';
import { eventSource, type LeadEvent } from '../../shared/leads/events.ts';
import { eventInRecord } from '../../shared/store/leads/stream-record.ts';
import { CommandError } from '../cli/command.ts';
import { refusePath } from '../cli/error-code.ts';
import type { TableEnvironment } from '../cli/table.ts';
import { streamOf, TableStream } from './table-stream.ts';

const pauseMs = 200;
/** A stop may take five seconds. The rest is for pending requests and the engine. */
const finishWithinMs = 1000;

/** Replaces the event bus of a deployment with `events: true`: appends the events of the table's stream to a file. */
export class LocalEvents {
  readonly #file: string;
  readonly #tell: (sentence: string) => void;
  /** The IDs of the events in the file. After a start, the stream returns the last day's events again. */
  readonly #written: Set<string>;
  #following: Promise<void> | undefined;
  #isStopping = false;

  private constructor(file: string, written: Set<string>, tell: (sentence: string) => void) {
    this.#file = file;
    this.#written = written;
    this.#tell = tell;
  }

  /** @throws CommandError if the file cannot be written, or contains anything but events */
  static async open(file: string, tell: (sentence: string) => void): Promise<LocalEvents> {
    return new LocalEvents(file, await openForEvents(file), tell);
  }

  /** Starts to read the table's stream. @throws CommandError if the table has no stream */
  async follow(environment: TableEnvironment): Promise<void> {
    const streamArn = await streamOf(environment);
    this.#following = this.#appendAll(new TableStream(streamArn, environment));
  }

  /** Appends the events that are already in the stream, as far as time permits. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.race([this.#following, sleep(finishWithinMs, undefined, { ref: false })]);
  }

  async #appendAll(stream: TableStream): Promise<void> {
    for (let hasTold = false; ; ) {
      const isLast = this.#isStopping;
      try {
        if ((await stream.read((records) => this.#append(records))) > 0) continue;
      } catch (error) {
        if (!isLast && !hasTold)
          this.#tell(`--events: the stream could not be read (${String(error)}): trying again.`);
        hasTold = true;
      }
      if (isLast) return;
      await sleep(pauseMs);
    }
  }

  async #append(records: readonly StreamRecord[]): Promise<void> {
    const events = records.flatMap((record) => {
      try {
        const event = eventInRecord(record);
        return event && !this.#written.has(event.detail.id) ? [event] : [];
      } catch {
        // As in a deployment, a record that cannot be parsed does not delay later records.
        this.#tell('--events: skipped a stream record that cannot be parsed.');
        return [];
      }
    });
    const lines = events.map((event) => `${JSON.stringify(envelopeOf(event))}\n`);
    await appendFile(this.#file, lines.join(''));
    for (const { detail } of events) this.#written.add(detail.id);
  }
}

/** An event in EventBridge's envelope, without account and region, which do not exist on this machine. */
const envelopeOf = ({ type, time, detail }: LeadEvent) => ({
  version: '0',
  id: randomUUID(),
  source: eventSource,
  'detail-type': type,
  time: new Date(time).toISOString().replace(/\.\d+Z$/, 'Z'),
  detail,
});

const lineBeginning = '{"version":"0",';
/** How much of the end of the file is read. It holds more than the events of a day, but the file can grow without limit. */
const tailMaxBytes = 32_000_000;

/**
 * Creates the file, or removes its incomplete last line, whose event the stream returns again. Leaves a file without events, named by
 * mistake, unchanged.
 * @returns the IDs of the events at the end of the file
 * @throws CommandError
 */
async function openForEvents(file: string): Promise<Set<string>> {
  await appendFile(file, '', { mode: 0o600 }).catch((error: unknown) =>
    refusePath(`--events ${file}: the file cannot be written`, error),
  );
  const { size } = await stat(file);
  const start = Math.max(0, size - tailMaxBytes);
  const tail = await buffer(createReadStream(file, { start }));
  const lineAt = tail.lastIndexOf('\n') + 1;
  const beginning = tail.toString('latin1', lineAt, lineAt + lineBeginning.length);
  if (!lineBeginning.startsWith(beginning))
    throw new CommandError(
      `--events ${file}: the file ends in a line that is not an event: name a new file, or one that --events wrote.`,
    );
  await truncate(file, start + lineAt);
  const ids = tail.toString('latin1', 0, lineAt).matchAll(/"id":"([^"]+#[^"]+)"/g);
  return new Set([...ids].map(([, id = '']) => id));
}
