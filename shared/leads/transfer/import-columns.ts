import { nearestName } from '../../organization/nearest-name.ts';
import type { Organization } from '../../organization/organization.ts';

/** What a row can say of a lead besides its fields. */
export type ImportProperty = 'leadId' | 'stage' | 'pipeline' | 'createdAt' | 'updatedAt' | 'archived';

/** Where a column's values go. */
export type ImportTarget =
  | { readonly kind: 'field'; readonly fieldKey: string }
  | { readonly kind: 'property'; readonly property: ImportProperty }
  /** Says that lead export wrote the row. */
  | { readonly kind: 'mark' }
  | { readonly kind: 'nothing' };

/** The columns that an export writes besides the fields. With a space, so that no field key can be the same. */
export const propertyHeadings: Readonly<Record<ImportProperty, string>> = {
  leadId: 'lead id',
  pipeline: 'pipeline',
  stage: 'stage',
  createdAt: 'created at',
  updatedAt: 'updated at',
  archived: 'archived at',
};

/**
 * What an export writes of itself into every row: many systems have a column "Lead ID", none has this one. A text, which a spreadsheet
 * leaves as it is. Files from before exports wrote it are told by their other columns (import-mapping.ts, import-file.ts).
 */
export const exportMark = {
  heading: 'lead service export',
  property: 'leadServiceExport',
  of: (organizationId: number): string => `organization ${organizationId}`,
  isOne: (value: unknown): boolean => typeof value === 'string' && /^organization [1-9]\d{0,9}$/.test(value.trim()),
} as const;

/** The columns that a report of refused rows adds: a corrected report is a file that can be imported. */
export const reportHeadings = { row: 'refused row', reason: 'refused because' } as const;

const propertyNames: Readonly<Record<string, ImportProperty>> = {
  leadid: 'leadId',
  pipeline: 'pipeline',
  pipelineid: 'pipeline',
  stage: 'stage',
  stageid: 'stage',
  createdat: 'createdAt',
  updatedat: 'updatedAt',
  archived: 'archived',
  archivedat: 'archived',
};

const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

/**
 * What a column is by its heading: a field by its key, a property, the owner, else a field by its label. Undefined for none.
 * @param besideFields of an object that has its fields apart: a property comes before a field of the same name
 */
export function targetNamed(organization: Organization, heading: string, besideFields = false): ImportTarget | undefined {
  const name = heading.trim();
  const field = (fieldKey: string): ImportTarget => ({ kind: 'field', fieldKey });
  if (!besideFields && organization.fieldByKey.has(name)) return field(name);
  if (name === exportMark.heading || name === exportMark.property) return { kind: 'mark' };
  if (name === reportHeadings.row || name === reportHeadings.reason) return { kind: 'nothing' };
  const property = Object.hasOwn(propertyNames, plain(name)) ? propertyNames[plain(name)] : undefined;
  if (property) return { kind: 'property', property };
  const folded = name.toLowerCase();
  if (folded === 'owner') return field('assigned_to');
  const labelled = organization.fields.filter(({ key, label }) => key.toLowerCase() === folded || label.toLowerCase() === folded);
  const found = labelled.length > 1 ? labelled.filter(({ active }) => active) : labelled;
  return found.length === 1 && found[0] ? field(found[0].key) : undefined;
}

/** What is wrong with a heading that is nothing known, as the end of a sentence. */
export function unknownColumn(organization: Organization, heading: string): string {
  const near = nearestName(heading.trim(), [
    ...organization.fields.map(({ key }) => key),
    ...organization.fields.map(({ label }) => label),
    ...Object.values(propertyHeadings),
    'owner',
  ]);
  return `is no field of the organization${near ? `; is ${JSON.stringify(near)} meant?` : '.'}`;
}
