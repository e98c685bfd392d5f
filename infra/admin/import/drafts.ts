import { createHash } from 'node:crypto';
import { ApiError } from '../../../shared/errors.ts';
import { isPlainObject } from '../../../shared/json.ts';
import { comparableEmail } from '../../../shared/leads/identity.ts';
import { targetNamed } from '../../../shared/leads/transfer/import-columns.ts';
import {
  type ImportRow,
  identityOfRow,
  type ReadRow,
  readImportRow,
} from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import type { RowDigests } from '../../../shared/store/maintenance/import-leads.ts';
import type { ImportedRowItem } from '../../../shared/store/table/items.ts';
import { type FileTerms, hintFor } from './cell-formats.ts';
import type { FileRow } from './rows.ts';

/** A row that was read by settings. An earlier run may have imported it under others, which allowed it. */
export interface Draft {
  readonly row: FileRow;
  readonly input: ImportRow;
  readonly digests: RowDigests;
  readonly organization: Organization;
  /** As far as it can be read. */
  readonly identity: ReturnType<typeof identityOfRow>;
  /** Undefined if the settings forbid it. */
  readonly lead: ReadRow | undefined;
  /** Why the settings forbid it, in sentences. */
  readonly issues: readonly string[];
}

/** A draft that the settings allow. */
export interface LeadDraft extends Draft {
  readonly lead: ReadRow;
}

export const isLeadDraft = (draft: Draft): draft is LeadDraft => draft.lead !== undefined;

/** A field or property, followed by its column's heading if that has another name. */
export function columnName({ headingOf }: FileTerms, name: string): string {
  const heading = headingOf.get(name);
  return heading === undefined ? name : `${name} (column ${JSON.stringify(heading)})`;
}

/** Reads a row by the rules of a new lead. */
export function draftOf(
  organization: Organization,
  terms: FileTerms,
  row: FileRow,
  input: ImportRow,
): Draft {
  const digests = { digest: rowDigest(row.sent ?? input), readDigest: rowDigest(input) };
  const identity = identityOfRow(organization, input);
  const draft = { row, input, digests, organization, identity };
  try {
    const lead = readImportRow(organization, input, new Date().toISOString());
    return { ...draft, lead, issues: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...draft, lead: undefined, issues: issuesOf(error, draft, terms) };
  }
}

/** Each issue as a sentence with the name of its column and the option by which the value could be read. */
export function issuesOf(
  { message, details }: ApiError,
  { row, input, organization }: Pick<Draft, 'row' | 'input' | 'organization'>,
  terms: FileTerms,
): string[] {
  const issues = Object.entries(isPlainObject(details?.fields) ? details.fields : {});
  if (issues.length === 0) return [message];
  const { fields, properties } = row.sent ?? input;
  return issues.map(([name, issue]) => {
    const target = targetNamed(organization, name);
    const raw = target?.kind === 'field' ? fields[target.fieldKey] : undefined;
    const text = target?.kind === 'property' ? properties[target.property] : raw;
    const heading = terms.headingOf.get(name) ?? name;
    const hint =
      typeof text === 'string' && text.trim() !== '' && !input.isExported
        ? hintFor(organization, target, { heading, text: text.trim(), formats: terms.formats })
        : '';
    return `${columnName(terms, name)} ${issue}${hint}`;
  });
}

/**
 * A digest that is equal for rows with the same values, and the same columns that cannot be read. The order of the values and empty values do
 * not matter.
 */
export function rowDigest({ fields, properties, note, unreadable = {} }: ImportRow): string {
  const sorted = (values: object): unknown[] =>
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = [sorted(fields), sorted(properties), note ?? null, Object.keys(unreadable)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The phone and the email of a lead, each after its field's key: no two leads of an organization may share one. */
export const identitiesOf = ({ identity: { phone, email } }: Draft): string[] => [
  ...(phone === undefined ? [] : [`phone ${phone}`]),
  ...(email === undefined ? [] : [`email ${comparableEmail(email)}`]),
];

/** The outcome of a row. */
export interface RowResult {
  readonly row: FileRow;
  readonly outcome: 'imported' | 'updated' | 'alreadyThere' | 'refused';
  /** The lead by the settings, whether or not it was written; undefined for a row that they forbid. */
  readonly lead?: ReadRow | undefined;
  /** Of a lead that a row changes: what `--dry-run` says. */
  readonly change?: string;
  /** Why the row is refused, in sentences. */
  readonly issues: readonly string[];
}

export const refused = (
  { row, lead }: Pick<RowResult, 'row' | 'lead'>,
  ...issues: readonly string[]
): RowResult => ({ row, lead, outcome: 'refused', issues });

/** Refuses a row whose phone, email or lead ID somebody else has. */
export const taken = (terms: FileTerms, draft: Draft, field: string, holder: string): RowResult =>
  refused(draft, `${columnName(terms, field)} belongs to ${holder}: no two leads may share it.`);

/** The result of a draft that another run has imported, perhaps with other options. */
export function alreadyImported(
  { erasing }: { readonly erasing: ReadonlySet<number> },
  draft: Draft,
  { leadId, readDigest }: ImportedRowItem,
): RowResult {
  const { row, lead, digests } = draft;
  if (erasing.has(leadId))
    return refused(
      draft,
      'The lead of the row is being removed: complete the lead import --undo or lead erase, and import the row again.',
    );
  if (readDigest === digests.readDigest) return { row, lead, outcome: 'alreadyThere', issues: [] };
  const sentence =
    `An earlier import created lead ${leadId} from this row, but read its values differently. ` +
    'Repeat with the --dates, --decimal, --value and --country of that import, correct the lead, or take that import back with --undo.';
  return refused(draft, ...draft.issues, sentence);
}
