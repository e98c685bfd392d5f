import { keysOf } from '../../keys-of.ts';
import { nearestName } from '../../organization/nearest-name.ts';
import type { Organization } from '../../organization/organization.ts';

/** The properties of a lead that a row can have besides its fields, and the columns in which an export writes them. */
export const propertyHeadings = {
  leadId: 'lead id',
  pipeline: 'pipeline',
  stage: 'stage',
  createdAt: 'created at',
  updatedAt: 'updated at',
  archived: 'archived at',
} as const;
export type ImportProperty = keyof typeof propertyHeadings;

/** Where a column's values go. */
export type ImportTarget =
  | { readonly kind: 'field'; readonly fieldKey: string }
  | { readonly kind: 'property'; readonly property: ImportProperty }
  /** The column has a note for the lead's timeline. */
  | { readonly kind: 'note' }
  /** The column marks rows that an export wrote. */
  | { readonly kind: 'mark' }
  | { readonly kind: 'nothing' }
  /** The column has no heading, so no row may have a value in it. */
  | { readonly kind: 'nameless' };

/**
 * The column by which an export marks every row: many systems have a column "Lead ID", but none has this one. Its value is a text that
 * spreadsheets leave as it is.
 */
export const exportMark = {
  heading: 'lead service export',
  property: 'leadServiceExport',
  of: (organizationId: number): string => `organization ${organizationId}`,
  isOne: (value: unknown): boolean =>
    typeof value === 'string' && /^organization [1-9]\d{0,9}$/.test(value.trim()),
} as const;

/** The column whose text becomes a note on the lead's timeline. */
export const noteHeading = 'note';

/** The columns that a report of refused rows adds. An import ignores them, so that a corrected report can be imported. */
export const reportHeadings = { row: 'refused row', reason: 'refused because' } as const;

const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]|\(utc\)$/g, '');

/** By plain name. */
const properties = new Map<string, ImportProperty>([
  ...keysOf(propertyHeadings).map((name) => [plain(propertyHeadings[name]), name] as const),
  ['pipelineid', 'pipeline'],
  ['stageid', 'stage'],
  ['archived', 'archived'],
]);

/**
 * The target of a column, by its heading: a field by its key, a property, the owner, a field by its label, or the note.
 * @param hasFieldsObject true for JSONL objects with a `fields` object: property names win over field keys
 * @returns undefined if the heading is unknown
 */
export function targetNamed(
  organization: Organization,
  heading: string,
  hasFieldsObject = false,
): ImportTarget | undefined {
  const name = heading.trim();
  const field = (fieldKey: string): ImportTarget => ({ kind: 'field', fieldKey });
  if (!hasFieldsObject && organization.fieldByKey.has(name)) return field(name);
  if (name === exportMark.heading || name === exportMark.property) return { kind: 'mark' };
  if (name === reportHeadings.row || name === reportHeadings.reason) return { kind: 'nothing' };
  const property = properties.get(plain(name));
  if (property) return { kind: 'property', property };
  const folded = name.toLowerCase();
  if (folded === 'owner') return field('assigned_to');
  const candidates = organization.fields.filter(
    ({ key, label }) => key.toLowerCase() === folded || label.toLowerCase() === folded,
  );
  const found = candidates.length > 1 ? candidates.filter(({ active }) => active) : candidates;
  if (found.length === 0 && folded === noteHeading) return { kind: 'note' };
  return found.length === 1 && found[0] ? field(found[0].key) : undefined;
}

/** The issue of an unknown heading, which completes a sentence that begins with the heading. */
export function unknownColumn(organization: Organization, heading: string): string {
  const near = nearestName(heading.trim(), [
    ...organization.fields.map(({ key }) => key),
    ...organization.fields.map(({ label }) => label),
    ...Object.values(propertyHeadings),
    'owner',
    noteHeading,
  ]);
  return `is not a field of the organization${near ? `; did you mean ${JSON.stringify(near)}?` : '.'}`;
}
