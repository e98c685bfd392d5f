import type { CaptureRequest } from './client.ts';

/** An enquiry in the outbox. Times are ISO 8601. */
export interface OutboxEntry {
  /** 64 hexadecimal digits: a digest of the enquiry as it was added, and of the form view. */
  readonly key: string;
  readonly enquiry: CaptureRequest;
  readonly idempotencyKey: string;
  /** `refused` and `given-up` need a person. */
  readonly state: 'waiting' | 'refused' | 'given-up';
  readonly addedAt: string;
  /** Attempts under this idempotency key. */
  readonly attempts: number;
  readonly firstSentAt: string | null;
  readonly nextAttemptAt: string;
  /** The error of the last attempt. */
  readonly lastError: string | null;
  /** Why the state is `refused`: the reason by field or property, such as `invalid_phone`. */
  readonly refused: Readonly<Record<string, string>>;
  /** The values that the service refused and that were removed, by name. The enquiry's notes have their texts. */
  readonly removed: Readonly<Record<string, string>>;
  /**
   * Why these values were refused, by the same names. `unknown_field` means that the organization has no field for an input of the form.
   */
  readonly removedReasons?: Readonly<Record<string, string>>;
}

/** Where an outbox keeps its entries. An entry is JSON: a file, a row of a database, or a value of a key-value store. */
export interface OutboxStore {
  /** Stores an entry, or replaces the entry with the same key. Must be atomic, and durable once it resolves. */
  put(entry: OutboxEntry): Promise<void>;
  get(key: string): Promise<OutboxEntry | undefined>;
  /** Deletes an entry, if it exists. */
  delete(key: string): Promise<void>;
  list(): Promise<OutboxEntry[]>;
}

/** A `.part` file of this age belongs to a process that ended before it could thank the visitor. */
const partMaxAgeMs = 3_600_000;

/**
 * Keeps each entry as a file in a folder, and creates the folder. Several processes may share it. For Node, Deno and Bun: in a runtime
 * without files, implement `OutboxStore` on a database or a key-value store.
 */
export function fileStore(folder: string): OutboxStore {
  const fileOf = (key: string): string => {
    if (!/^[0-9a-f]{64}$/.test(key)) throw new TypeError(`'${key}' is not an outbox key.`);
    return `${folder}/${key}.json`;
  };
  return {
    async put(entry) {
      const { mkdir, open, rename } = files();
      const file = fileOf(entry.key);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Writes another file, flushes it and renames it, so that the entry's file is always complete.
      const part = `${file}.${crypto.randomUUID()}.part`;
      const written = await open(part, 'w', 0o600);
      try {
        await written.writeFile(JSON.stringify(entry));
        await written.sync();
      } finally {
        await written.close();
      }
      await rename(part, file);
      await syncFolder(folder);
    },
    async get(key) {
      return readEntry(fileOf(key));
    },
    async delete(key) {
      const { rm } = files();
      await rm(fileOf(key), { force: true });
    },
    async list() {
      const names = await entryNames(folder);
      const entries = await Promise.all(names.map((name) => readEntry(`${folder}/${name}`)));
      return entries.filter((entry) => entry !== undefined);
    },
  };
}

/** Node's file functions without an import, which bundlers for Workers would refuse. @throws Error in a runtime without files */
function files(): typeof import('node:fs/promises') {
  const module = globalThis.process?.getBuiltinModule?.('node:fs/promises');
  if (!module) throw new Error('This runtime has no files: give the outbox a store of its own.');
  return module;
}

async function readEntry(file: string): Promise<OutboxEntry | undefined> {
  const { readFile } = files();
  const text = await readFile(file, 'utf8').catch(ifMissing(undefined));
  if (text === undefined) return undefined;
  try {
    const entry: OutboxEntry = JSON.parse(text);
    return entry;
  } catch (error) {
    // Something else damaged this file. It must not block the other entries.
    console.error(`lead-service-client: ${file} is not an entry of an outbox: ${error}`);
    return undefined;
  }
}

/** The names of the entries' files. Deletes files that a killed process left half-written. */
async function entryNames(folder: string): Promise<string[]> {
  const { readdir, rm, stat } = files();
  const names = await readdir(folder).catch(ifMissing<string[]>([]));
  for (const part of names.filter((name) => name.endsWith('.part'))) {
    const writtenAt = await stat(`${folder}/${part}`).then(
      ({ mtimeMs }) => mtimeMs,
      ifMissing(Infinity),
    );
    if (Date.now() - writtenAt > partMaxAgeMs) await rm(`${folder}/${part}`, { force: true });
  }
  return names.filter((name) => name.endsWith('.json'));
}

/** A rename is durable once its folder is flushed. Windows cannot open a folder, and needs no flush. */
async function syncFolder(folder: string): Promise<void> {
  const { open } = files();
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

const ifMissing =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return instead;
    throw error;
  };
