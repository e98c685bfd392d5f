import { hash } from 'node:crypto';
import { memoize } from '../../../shared/base/maps.ts';
import { ValidationFailed } from '../../../shared/contract/refusals.ts';
import { FieldIssue } from '../../../shared/leads/field-values.ts';
import { comparableEmail } from '../../../shared/leads/identity.ts';
import type { FieldChange } from '../../../shared/leads/timeline.ts';
import {
  type ImportRow,
  identityOfRow,
  type RowLead,
  readImportRow,
} from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import type { ImportedRowItem } from '../../../shared/store/table/items.ts';
import type { RowDigests } from '../../../shared/store/transfer/import-leads.ts';
import type { FileRow } from './rows.ts';

/** A row that was read by settings. An earlier run may have imported it under others, which allowed it. */
export interface Draft {
  readonly row: FileRow;
  readonly digests: RowDigests;
  readonly organization: Organization;
  /** As far as it can be read. */
  readonly identity: ReturnType<typeof identityOfRow>;
  /** Undefined if the settings forbid it. */
  readonly start: RowLead | undefined;
  /** Why the settings forbid it, in sentences. */
  readonly issues: readonly string[];
}

/** A draft that the settings allow. */
export type LeadDraft = Draft & { readonly start: RowLead };

export const isLeadDraft = <D extends Draft>(draft: D): draft is D & LeadDraft =>
  draft.start !== undefined;

/** Reads a row by the rules of a new lead, unless the row could not be read from the file. */
export function draftOf(organization: Organization, row: FileRow): Draft {
  const digests = { digest: rowDigest(row.sent), readDigest: rowDigest(row.read) };
  const identity = identityOfRow(organization, row.read);
  const draft = { row, digests, organization, identity };
  if (row.issue !== undefined) return { ...draft, start: undefined, issues: [row.issue] };
  try {
    const start = readImportRow(organization, row.read, new Date().toISOString());
    return { ...draft, start, issues: [] };
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    return { ...draft, start: undefined, issues: issuesOf(error, row) };
  }
}

/** DynamoDB charges a write by the kilobyte: of the lead, and of the settings if the lead counts there (`countReference`). */
export const kilobytesOf = ({ start, organization }: LeadDraft): number =>
  Math.ceil((jsonBytes([start.lead.fields, start.note]) + 400) / 1024) +
  (start.settingsVersion === undefined ? 0 : kilobytesOfSettings(organization));
const kilobytesOfSettings = memoize((organization: Organization) =>
  Math.ceil(jsonBytes(organization) / 1024),
);
const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Each issue as a sentence with the name of its column and the option by which the value could be read. */
export const issuesOf = ({ refused }: ValidationFailed, { columnOf }: FileRow): string[] =>
  refused.map(([name, { sentence }]) => {
    const { label, hint } = columnOf(name);
    return `${label} ${sentence}${hint}`;
  });

/**
 * A digest that is equal for rows with the same values, and the same columns that cannot be read. The order of the values and empty values do
 * not matter, nor does the mark of an export. The table keeps it: rows that were imported are recognized by it.
 */
export function rowDigest({ fields, properties }: ImportRow): string {
  const { mark: _, note = null, ...others } = properties;
  const sorted = (values: object): unknown[] =>
    Object.entries(values)
      .filter(([, value]) => value !== null && !(value instanceof FieldIssue))
      .sort(([a], [b]) => (a < b ? -1 : 1));
  const unreadable = Object.keys(fields).filter((key) => fields[key] instanceof FieldIssue);
  const parts = [sorted(fields), sorted(others), note, unreadable];
  return hash('sha256', JSON.stringify(parts));
}

/** The fields of a phone and an email, each by a name of its value: no two leads of an organization may share one. */
export const identitiesOf = ({ phone, email }: Draft['identity']): Map<string, string> =>
  new Map([
    ...(phone === undefined ? [] : [[`phone ${phone}`, 'phone'] as const]),
    ...(email === undefined ? [] : [[`email ${comparableEmail(email)}`, 'email'] as const]),
  ]);

/** What an update changes in a lead. */
export interface LeadUpdate {
  readonly leadId: number;
  readonly changes: readonly FieldChange[];
  /** False if the lead has the note already; undefined without a note. */
  readonly isNoted: boolean | undefined;
}

/** The outcome of a row. */
export interface RowResult {
  readonly row: FileRow;
  readonly outcome: 'imported' | 'updated' | 'alreadyThere' | 'refused';
  /** Of a row that updates a lead. */
  readonly update?: LeadUpdate;
  /** Why the row is refused, in sentences. */
  readonly issues: readonly string[];
}

export const imported = ({ row }: Draft): RowResult => ({ row, outcome: 'imported', issues: [] });

export const refused = (row: FileRow, ...issues: readonly string[]): RowResult => ({
  row,
  outcome: 'refused',
  issues,
});

/** Refuses a row whose phone, email or lead ID somebody else has. */
export const taken = (row: FileRow, name: string, holder: string): RowResult =>
  refused(row, `${row.columnOf(name).label} belongs to ${holder}: no two leads may share it.`);

/** The result of a draft that another run has imported, perhaps with other options. */
export function alreadyImported(
  { erasing }: { readonly erasing: ReadonlySet<number> },
  { row, digests, issues }: Draft,
  { leadId, readDigest }: ImportedRowItem,
): RowResult {
  if (erasing.has(leadId))
    return refused(
      row,
      'The lead of the row is being removed: complete the lead import --undo or lead erase, and import the row again.',
    );
  if (readDigest === digests.readDigest) return { row, outcome: 'alreadyThere', issues: [] };
  const sentence =
    `An earlier import created lead ${leadId} from this row, but read its values differently. ` +
    'Repeat with the --dates, --decimal, --value and --country of that import, correct the lead, or take that import back with --undo.';
  return refused(row, ...issues, sentence);
}
