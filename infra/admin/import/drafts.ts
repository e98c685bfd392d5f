import { createHash } from 'node:crypto';
import { ApiError } from '../../../shared/errors.ts';
import { isPlainObject } from '../../../shared/json.ts';
import { comparableEmail } from '../../../shared/leads/identity.ts';
import { emailOf, phoneOf } from '../../../shared/leads/lead.ts';
import {
  type ImportRow,
  type ReadRow,
  readImportRow,
} from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import type { RowDigests } from '../../../shared/store/maintenance/import-leads.ts';
import type { ImportFile } from './file.ts';
import type { FileRow } from './rows.ts';

/** Why a row is refused. */
export interface RowIssue {
  /** The field or property that is wrong; undefined for the whole row. */
  readonly name?: string;
  /** Complete, with the name of the column. */
  readonly sentence: string;
}

export interface RefusedRow {
  readonly row: FileRow;
  readonly issues: readonly RowIssue[];
}

/** A row that may become a lead, or that an earlier run may have imported under other settings. */
export interface Draft {
  readonly row: FileRow;
  readonly input: ImportRow;
  readonly digests: RowDigests;
  /** The lead by the settings of `readAt`; undefined if they forbid it. */
  readonly lead: ReadRow | undefined;
  /** Why the settings forbid it. */
  readonly issues: readonly RowIssue[];
  readonly readAt: number;
}

/** A draft that the settings allow. */
export interface LeadDraft extends Draft {
  readonly lead: ReadRow;
}

export const isLeadDraft = (draft: Draft): draft is LeadDraft => draft.lead !== undefined;

/** Reads the rows of a file by the rules of a new lead. */
export class DraftReader {
  readonly #headingOf: ImportFile['headingOf'];
  readonly #rowOfDigest = new Map<string, number>();

  constructor({ headingOf }: Pick<ImportFile, 'headingOf'>) {
    this.#headingOf = headingOf;
  }

  /** @returns a refused row when nothing can make it a lead: it cannot be read, or repeats an earlier row of the file */
  draftOf(organization: Organization, row: FileRow): Draft | RefusedRow {
    const input = row.read;
    if (typeof input === 'string') return { row, issues: [{ sentence: input }] };
    const digests = { digest: rowDigest(row.sent ?? input), readDigest: rowDigest(input) };
    const draft = this.read(organization, { row, input, digests });
    const same = this.#rowOfDigest.get(digests.digest);
    this.#rowOfDigest.set(digests.digest, same ?? row.number);
    if (same === undefined) return draft;
    const repeated = [{ sentence: `The row has the same values as row ${same}.` }];
    return { row, issues: isLeadDraft(draft) ? repeated : draft.issues };
  }

  /** Reads a row by settings, for the first time or again. */
  read(
    organization: Organization,
    { row, input, digests }: Pick<Draft, 'row' | 'input' | 'digests'>,
  ): Draft {
    const readAt = Date.now();
    try {
      const lead = readImportRow(organization, input, new Date(readAt).toISOString());
      return { row, input, digests, lead, issues: [], readAt };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { row, input, digests, lead: undefined, issues: this.#issuesOf(error), readAt };
    }
  }

  #issuesOf({ message, details }: ApiError): RowIssue[] {
    const fields = details?.fields;
    const issues = Object.entries(isPlainObject(fields) ? fields : {});
    if (issues.length === 0) return [{ sentence: message }];
    return issues.map(([name, sentence]) => ({
      name,
      sentence: `${this.columnName(name)} ${sentence}`,
    }));
  }

  /** A field or property, followed by its column's heading if that has another name. */
  columnName(name: string): string {
    const heading = this.#headingOf.get(name);
    return heading === undefined ? name : `${name} (column ${JSON.stringify(heading)})`;
  }
}

/**
 * A digest that is equal for rows with the same values, and the same columns that cannot be read. The order of the values and empty values do
 * not matter.
 */
function rowDigest({ fields, properties, note, unreadable = {} }: ImportRow): string {
  const sorted = (values: object): unknown[] =>
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = [sorted(fields), sorted(properties), note ?? null, Object.keys(unreadable)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The phone and the email of a lead, each after its field's key: no two leads of an organization may share one. */
export function identitiesOf({ lead }: Draft): string[] {
  if (!lead) return [];
  const email = emailOf(lead);
  return [`phone ${phoneOf(lead)}`, ...(email === null ? [] : [`email ${comparableEmail(email)}`])];
}
