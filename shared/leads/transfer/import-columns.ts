import { keysOf, memoize } from '../../base/maps.ts';
import { comparableName } from '../../base/text.ts';
import { ownerKey } from '../../organization/built-in-fields.ts';
import { nearestName } from '../../organization/nearest-name.ts';
import type { Field, Organization } from '../../organization/organization.ts';

/** The columns of an export that are not fields: the lead's properties, and the mark of the export. */
export const exportedProperties = {
  leadId: 'lead id',
  mark: 'lead service export',
  pipeline: 'pipeline',
  stage: 'stage',
  createdAt: 'created at',
  updatedAt: 'updated at',
  archived: 'archived at',
} as const;
/** The headings of columns that are not fields. A note goes to the lead's timeline. */
export const propertyHeadings = { ...exportedProperties, note: 'note' } as const;
export type ImportProperty = keyof typeof propertyHeadings;

/** Where a column's values go: to a field, to a property, or nowhere. */
export interface ImportTarget {
  /** The field's key or the property's heading, as issues name it. */
  readonly name: string;
  readonly field?: Field | undefined;
  readonly property?: ImportProperty;
}

export const nowhere: ImportTarget = { name: '' };

const propertyTarget = (property: ImportProperty): ImportTarget => ({
  name: propertyHeadings[property],
  property,
});

/**
 * The column that marks each row of an export: many systems have a column "Lead ID", but none has this one. Spreadsheets do not change its
 * value.
 */
export const exportMark = {
  /** The property in JSON lines. */
  property: 'leadServiceExport',
  of: (organizationId: number): string => `organization ${organizationId}`,
  isOne: (value: unknown): boolean =>
    typeof value === 'string' && /^organization [1-9]\d{0,9}$/.test(value.trim()),
} as const;

/** The columns that a report of refused rows adds. An import ignores them, so that a corrected report can be imported. */
export const reportHeadings = { row: 'refused row', reason: 'refused because' } as const;

const plain = (name: string): string => comparableName(name).replace(/[\s_-]|\(utc\)$/g, '');

const namesOf = memoize(({ key, label }: Field) => [key, label].map(comparableName));

/** By plain name. */
const properties = new Map<string, ImportProperty>([
  ...keysOf(exportedProperties).map((name) => [plain(exportedProperties[name]), name] as const),
  ['pipelineid', 'pipeline'],
  ['stageid', 'stage'],
  ['archived', 'archived'],
]);

/**
 * The target of a column, by its heading. Tries, in order: a field's key, a property, the owner, a field's label, the note.
 * @param hasFieldsObject true for JSONL objects with a `fields` object: property names win over field keys
 * @returns undefined if the heading is unknown
 */
export function targetNamed(
  { fields, fieldByKey }: Organization,
  heading: string,
  hasFieldsObject = false,
): ImportTarget | undefined {
  const name = heading.trim();
  const ofField = (field: Field): ImportTarget => ({ name: field.key, field });
  const byKey = hasFieldsObject ? undefined : fieldByKey.get(name);
  if (byKey) return ofField(byKey);
  const compared = comparableName(heading);
  if (compared === reportHeadings.row || compared === reportHeadings.reason) return nowhere;
  const property = properties.get(plain(name));
  if (property) return propertyTarget(property);
  const wanted = compared === 'owner' ? ownerKey : compared;
  const candidates = fields.filter((field) => namesOf(field).includes(wanted));
  const exact = candidates.filter(({ label }) => label === name);
  const named = exact.length > 0 ? exact : candidates;
  const found = named.length > 1 ? named.filter(({ active }) => active) : named;
  if (found.length === 0 && wanted === propertyHeadings.note) return propertyTarget('note');
  return found.length === 1 && found[0] ? ofField(found[0]) : undefined;
}

/** The issue of an unknown heading. Completes a sentence that begins with the heading. */
export function unknownColumn(organization: Organization, heading: string): string {
  const near = nearestName(heading.trim(), [
    ...organization.fields.map(({ key }) => key),
    ...organization.fields.map(({ label }) => label),
    ...Object.values(propertyHeadings),
    'owner',
  ]);
  return `is not a field of the organization${near ? `; did you mean ${JSON.stringify(near)}?` : '.'}`;
}
