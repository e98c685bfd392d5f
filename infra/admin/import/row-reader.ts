import { ApiError } from '../../../shared/errors.ts';
import {
  type ImportRow,
  type ReadRow,
  readImportRow,
} from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import type { ImportFile } from './file.ts';
import type { FileRow } from './file-row.ts';
import { IdentityQueue, type QueuePlace } from './identity-queue.ts';
import { rowDigest } from './row-digest.ts';

/** A row that follows the rules, and may become a lead. */
export interface Draft {
  readonly row: FileRow;
  readonly input: ImportRow;
  readonly digest: string;
  readonly place: QueuePlace;
  /** The row by the settings of `readAt`. */
  read: ReadRow;
  readonly readAt: number;
  /** Assigned by the first write. */
  leadId?: number;
}

/** Reads rows by the rules, and keeps their order where they share a phone or an email. */
export class RowReader {
  readonly #headingOf: ImportFile['headingOf'];
  readonly #rowOfDigest = new Map<string, number>();
  readonly #queue = new IdentityQueue();

  constructor({ headingOf }: Pick<ImportFile, 'headingOf'>) {
    this.#headingOf = headingOf;
  }

  /** Reads a row and queues it. @returns the reason when the row is refused */
  draftOf(organization: Organization, row: FileRow): Draft | string {
    const input = row.read;
    if (typeof input === 'string') return input;
    const read = this.read(organization, input);
    if (typeof read === 'string') return read;
    const digest = rowDigest(input);
    const same = this.#rowOfDigest.get(digest);
    if (same !== undefined) return `The row has the same values as row ${same}.`;
    this.#rowOfDigest.set(digest, row.number);
    return { row, input, digest, read, readAt: Date.now(), place: this.#queue.enter(read.fields) };
  }

  /** @returns the reason when the row is refused */
  read(organization: Organization, input: ImportRow): ReadRow | string {
    try {
      return readImportRow(organization, input, new Date().toISOString());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const issues = Object.entries(
        (error.details?.fields ?? {}) as Readonly<Record<string, string>>,
      );
      if (issues.length === 0) return error.message;
      return issues.map(([name, sentence]) => `${this.columnName(name)} ${sentence}`).join(' ');
    }
  }

  /** A field or property, followed by its column's heading if that has another name. */
  columnName(name: string): string {
    const heading = this.#headingOf.get(name);
    return heading === undefined ? name : `${name} (column ${JSON.stringify(heading)})`;
  }
}
