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
import type { ReadRow } from './rows.ts';

/** Why a row is refused. */
export interface RowIssue {
  readonly sentence: string;
  /** A further sentence, which names the value and how to replace it. */
  readonly replacement?: string | undefined;
  /** The valid name that was probably meant. */
  readonly near?: string | undefined;
  /** The column and the value as in the file, if a single value is refused. */
  readonly column?: string | undefined;
  readonly value?: string | undefined;
}

/** A row, and the lead that the rules make of it. An earlier run may have imported it, when other settings allowed it. */
export interface DecidedRow extends ReadRow {
  readonly digests: RowDigests;
  readonly organization: Organization;
  /** The phone and email, as far as they can be read. */
  readonly identity: ReturnType<typeof identityOfRow>;
  /** The lead; undefined if the settings forbid it. */
  readonly start: RowLead | undefined;
  /** Why the settings forbid the lead. */
  readonly issues: readonly RowIssue[];
}

/** A row that the settings allow. */
export type AllowedRow = DecidedRow & { readonly start: RowLead };

export const isAllowed = <Row extends DecidedRow>(row: Row): row is Row & AllowedRow =>
  row.start !== undefined;

/** Decides by the rules of a new lead, unless the row could not be read from the file. */
export function decide(organization: Organization, row: ReadRow): DecidedRow {
  const digests = { digest: rowDigest(row.sent), readDigest: rowDigest(row.read) };
  const { start, issues } = startOf(organization, row);
  const identity = identityOfRow(organization, row.read, start?.lead.fields);
  return { ...row, digests, organization, identity, start, issues };
}

function startOf(organization: Organization, row: ReadRow): Pick<DecidedRow, 'start' | 'issues'> {
  if (row.issue !== undefined) return { start: undefined, issues: [{ sentence: row.issue }] };
  try {
    const start = readImportRow(organization, row.read, new Date().toISOString());
    return { start, issues: [] };
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    return { start: undefined, issues: issuesOf(error, row) };
  }
}

/**
 * DynamoDB charges a write by the kilobyte. If the lead increments the counter in the settings (`countReference`), their size counts too.
 */
export const kilobytesOf = ({ start, organization }: AllowedRow): number =>
  Math.ceil((jsonBytes([start.lead.fields, start.note]) + 400) / 1024) +
  (start.settingsVersion === undefined ? 0 : kilobytesOfSettings(organization));
const kilobytesOfSettings = memoize((organization: Organization) =>
  Math.ceil(jsonBytes(organization) / 1024),
);
const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The issues as sentences with the column's name and a hint how the value could be read. */
export const issuesOf = ({ refused }: ValidationFailed, { columnOf }: ReadRow): RowIssue[] =>
  refused.map(([name, { sentence, near }]) => {
    const { label, hint, ...column } = columnOf(name, near);
    return { sentence: `${label} ${sentence}${hint}`, near, ...column };
  });

/**
 * A digest that is equal for rows with the same values and the same unreadable columns. The order of values, empty values and the mark of
 * an export do not matter. The table keeps the digest, to recognize imported rows.
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

/** The phone and email fields, by a name for each value, because no two leads of an organization may share a value. */
export const identitiesOf = ({ phone, email }: DecidedRow['identity']): Map<string, string> =>
  new Map([
    ...(phone === undefined ? [] : [[`phone ${phone}`, 'phone'] as const]),
    ...(email === undefined ? [] : [[`email ${comparableEmail(email)}`, 'email'] as const]),
  ]);

/** The changes of an update to a lead. */
export interface LeadUpdate {
  readonly leadId: number;
  readonly changes: readonly FieldChange[];
  /** False if the lead has the note already; undefined without a note. */
  readonly isNoted: boolean | undefined;
}

/** A row and its result. */
export interface WrittenRow extends ReadRow {
  readonly outcome: 'imported' | 'updated' | 'alreadyThere' | 'refused';
  /** Set if the row updates a lead. */
  readonly update?: LeadUpdate;
  /** Why the row is refused. */
  readonly issues: readonly RowIssue[];
}

export const isWritten = (row: AllowedRow | WrittenRow): row is WrittenRow => 'outcome' in row;

export const refused = (row: ReadRow, ...issues: readonly (RowIssue | string)[]): WrittenRow => ({
  ...row,
  outcome: 'refused',
  issues: issues.map((issue) => (typeof issue === 'string' ? { sentence: issue } : issue)),
});

/** Refuses a row whose phone, email or lead ID already belongs to another lead or row. */
export const taken = (row: ReadRow, name: string, holder: string): WrittenRow =>
  refused(row, `${row.columnOf(name).label} belongs to ${holder}: no two leads may share it.`);

/** The result of a row that another run has imported, perhaps with another plan. */
export function alreadyImported(
  { erasing }: { readonly erasing: ReadonlySet<number> },
  row: DecidedRow,
  { leadId, readDigest }: ImportedRowItem,
): WrittenRow {
  if (erasing.has(leadId))
    return refused(
      row,
      'The lead of the row is being removed: complete the lead import --undo or lead erase, and import the row again.',
    );
  if (readDigest === row.digests.readDigest) return { ...row, outcome: 'alreadyThere', issues: [] };
  const sentence =
    `An earlier import created lead ${leadId} from this row, but read its values differently. ` +
    'Repeat with the plan, --dates, --decimal, --value, --country and --time-zone of that import, correct the lead, or take that import back with --undo.';
  return refused(row, ...row.issues, sentence);
}
