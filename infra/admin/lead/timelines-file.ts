import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorCode } from '../../cli/error-code.ts';
import { CommandError } from '../context.ts';
import { createExportFile } from './export-file.ts';
import { ItemIds } from './item-ids.ts';

/** A file that `lead timelines` writes to. */
export interface TimelinesFile {
  readonly handle: FileHandle;
  /** The items that the file already has. */
  readonly ids: ItemIds;
  /** The first item of each of the first leads; none for a file without lines. */
  readonly firstItems: readonly ItemPlace[];
}

interface ItemPlace {
  readonly leadId: number;
  readonly id: string;
}
/** As many tell the organization, even if most of their leads are erased since. */
const firstItemsMax = 100;

/** Creates the file, for its owner only. @throws CommandError when it exists */
export async function createTimelinesFile(path: string): Promise<TimelinesFile> {
  const { handle } = await createExportFile(path);
  return { handle, ids: new ItemIds(), firstItems: [] };
}

/**
 * Opens a file to continue it, and removes an incomplete last line. Reads the file once; keeps 8 bytes per item.
 * @param assertOwn refuses the file by its first items, before anything is removed
 * @throws CommandError for a file that `lead timelines` did not write
 */
export async function reopenTimelinesFile(
  path: string,
  assertOwn: (firstItems: TimelinesFile['firstItems']) => Promise<void>,
): Promise<TimelinesFile> {
  const lines = await readLines(path);
  await assertOwn(lines.firstItems);
  const handle = await open(path, 'r+');
  try {
    await handle.truncate(lines.end); // Only now is it certain that the file has timelines.
    return { handle, ids: lines.ids, firstItems: lines.firstItems };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readLines(path: string): Promise<FileLines> {
  const lines = new FileLines(path);
  try {
    for await (const chunk of createReadStream(path)) lines.add(chunk as Buffer);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new CommandError(
      `${path} cannot be continued: the file does not exist. Start it without --resume.`,
      { cause: error },
    );
  }
  lines.assertEnd();
  return lines;
}

const lineFeed = 0x0a;
const lineBeginning = '{"leadId":';
/** A line begins with the IDs of the lead and of the item; the time when it was cleaned follows its own. */
const idsPattern =
  /^\{"leadId":(\d{1,10}),"id":"([^"\\]{1,100})",(?:"type":"[a-z_]{1,20}","at":"[^"\\]{1,40}","cleanedAt":"([^"\\]{1,40})")?/;
/** Enough of a line for these. */
const idsMaxBytes = 300;

/** Names an item as it reads now: one that was cleaned again is another version. */
export const versionOf = (id: string, cleanedAt: unknown): string =>
  cleanedAt === undefined ? id : `${id} ${cleanedAt}`;

class FileLines {
  readonly ids = new ItemIds();
  readonly firstItems: ItemPlace[] = [];
  /** Where the last complete line ends, in bytes. */
  end = 0;
  readonly #path: string;
  #offset = 0;
  /** The beginning of the current line. */
  #beginning = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws CommandError for a line that is not a timeline item */
  add(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; ) {
      const feed = chunk.indexOf(lineFeed, from);
      const to = feed < 0 ? chunk.length : feed;
      const missing = idsMaxBytes - this.#beginning.length;
      this.#beginning += chunk.toString('latin1', from, Math.min(to, from + missing));
      if (feed >= 0) this.#endLine(this.#offset + feed + 1);
      from = to + 1;
    }
    this.#offset += chunk.length;
  }

  /** @throws CommandError if the file ends in something that an interrupted run does not leave */
  assertEnd(): void {
    const beginning = this.#beginning.slice(0, lineBeginning.length);
    if (!lineBeginning.startsWith(beginning)) throw this.#foreignError();
  }

  #endLine(end: number): void {
    const [, leadId, id, cleanedAt] = idsPattern.exec(this.#beginning) ?? [];
    if (leadId === undefined || id === undefined) throw this.#foreignError();
    this.ids.add(Number(leadId), versionOf(id, cleanedAt));
    this.#addItem({ leadId: Number(leadId), id });
    [this.end, this.#beginning] = [end, ''];
  }

  #addItem(item: ItemPlace): void {
    const { leadId } = item;
    if (leadId !== this.firstItems.at(-1)?.leadId && this.firstItems.length < firstItemsMax)
      this.firstItems.push(item);
  }

  #foreignError(): CommandError {
    return new CommandError(
      `Line ${this.ids.size + 1} of ${this.#path} is not a timeline item: name a file that lead timelines wrote, or start a new file.`,
    );
  }
}
