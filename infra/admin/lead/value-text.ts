import type { FieldValue } from '../../../shared/leads/lead.ts';
import { fieldKinds } from '../../../shared/organization/field-kinds.ts';
import type { NamedItem } from '../../../shared/organization/id-named.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { printable } from '../../cli/format.ts';

/** Indents the further lines of a text, so that they stay within their item. */
export const indented = (value: string): string =>
  value
    .split(/\r\n|\r|\n/)
    .map(printable)
    .join('\n      ');

/** A value, followed by the name if the value is an ID; `empty` for null. */
export function valueWithName(
  organization: Organization,
  field: string,
  value: FieldValue | null,
): string {
  if (value === null) return 'empty';
  if (typeof value === 'object') return value.join(', ');
  const name = itemsNamedBy(organization, field).find(({ id }) => id === value)?.name;
  return name === undefined ? String(value) : `${value} (${name})`;
}

/** The items whose IDs are values of a field; none if its values are no IDs. */
function itemsNamedBy(organization: Organization, field: string): readonly NamedItem[] {
  const type = organization.fieldByKey.get(field)?.type;
  if (type === undefined && field === 'stage') return organization.stages;
  if (type === undefined && field === 'pipeline') return organization.pipelines;
  const references = type === undefined ? null : fieldKinds[type].references;
  return references === null ? [] : organization[references];
}
