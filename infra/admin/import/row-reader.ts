import { ApiError } from '../../../shared/errors.ts';
import {
  type ImportRow,
  type ReadRow,
  readImportRow,
} from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import type { RowDigests } from '../../../shared/store/maintenance/import-leads.ts';
import type { ImportFile } from './file.ts';
import type { FileRow } from './file-row.ts';
import { IdentityQueue, type QueuePlace } from './identity-queue.ts';
import { rowDigest } from './row-digest.ts';

/** Why a row is refused. */
export interface RowIssue {
  /** The field or property that is wrong; undefined for the whole row. */
  readonly name?: string;
  /** Complete, with the name of the column. */
  readonly sentence: string;
}

/** A row that follows the rules, and may become a lead. */
export interface Draft {
  readonly row: FileRow;
  readonly input: ImportRow;
  readonly digests: RowDigests;
  readonly place: QueuePlace;
  /** The row by the settings of `readAt`. */
  read: ReadRow;
  readonly readAt: number;
  /** Assigned by the first write. */
  leadId?: number;
  /** Whether a write of it was sent: from then on, only its record tells that it is not a lead. */
  mayBeWritten?: boolean;
}

/** A row that does not follow the rules. */
export interface RefusedDraft {
  readonly row: FileRow;
  readonly issues: readonly RowIssue[];
  /** Of a row that the settings forbid: an earlier run may have imported it under other settings. */
  readonly digests?: RowDigests;
}

export const isIssues = <T extends object>(
  read: T | readonly RowIssue[],
): read is readonly RowIssue[] => Array.isArray(read);

/** Reads rows by the rules, and keeps their order where they share a phone or an email. */
export class RowReader {
  readonly #headingOf: ImportFile['headingOf'];
  readonly #rowOfDigest = new Map<string, number>();
  readonly #forbidden = new Set<string>();
  readonly #queue = new IdentityQueue();

  constructor({ headingOf }: Pick<ImportFile, 'headingOf'>) {
    this.#headingOf = headingOf;
  }

  /** Reads a row, and queues it unless it is refused. */
  draftOf(organization: Organization, row: FileRow): Draft | RefusedDraft {
    const input = row.read;
    if (typeof input === 'string') return { row, issues: [{ sentence: input }] };
    const read = this.read(organization, input);
    const digest = rowDigest(row.sent ?? input);
    const digests = { digest, readDigest: rowDigest(input) };
    if (isIssues(read)) {
      if (this.#forbidden.has(digest)) return { row, issues: read };
      this.#forbidden.add(digest);
      return { row, issues: read, digests };
    }
    const same = this.#rowOfDigest.get(digest);
    if (same !== undefined)
      return { row, issues: [{ sentence: `The row has the same values as row ${same}.` }] };
    this.#rowOfDigest.set(digest, row.number);
    return { row, input, digests, read, readAt: Date.now(), place: this.#queue.enter(read.fields) };
  }

  /** @returns the issues when the row is refused */
  read(organization: Organization, input: ImportRow): ReadRow | readonly RowIssue[] {
    try {
      return readImportRow(organization, input, new Date().toISOString());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const issues = Object.entries(
        (error.details?.fields ?? {}) as Readonly<Record<string, string>>,
      );
      if (issues.length === 0) return [{ sentence: error.message }];
      return issues.map(([name, sentence]) => ({
        name,
        sentence: `${this.columnName(name)} ${sentence}`,
      }));
    }
  }

  /** A field or property, followed by its column's heading if that has another name. */
  columnName(name: string): string {
    const heading = this.#headingOf.get(name);
    return heading === undefined ? name : `${name} (column ${JSON.stringify(heading)})`;
  }
}
