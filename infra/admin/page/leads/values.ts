import type { FieldValue, Lead } from '../../../../shared/leads/lead.ts';
import { valueOf } from '../../../../shared/leads/lead.ts';
import type { Organization } from '../../../../shared/organization/organization.ts';
import { itemsNamedBy } from '../../named.ts';

/** The label of a field, `stage` or `pipeline`. */
export const labelOf = (organization: Organization, field: string): string =>
  organization.fieldByKey.get(field)?.label ??
  (field === 'stage' ? 'Stage' : field === 'pipeline' ? 'Pipeline' : field);

/** A value for people: names instead of IDs, labels instead of options. Empty for null. */
export function shownValue(
  organization: Organization,
  field: string,
  value: FieldValue | null,
): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'object')
    return value.map((one) => shownValue(organization, field, one)).join(', ');
  if (typeof value === 'number')
    return itemsNamedBy(organization, field).find(({ id }) => id === value)?.name ?? String(value);
  const options = organization.fieldByKey.get(field)?.options ?? [];
  return options.find((option) => option.value === value)?.label ?? value;
}

/** The value of a field, `stage` or `pipeline` of a lead. No field can have one of these keys. */
export function valueIn({ fields, stageId, pipelineId }: Lead, field: string): FieldValue | null {
  if (field === 'stage') return stageId;
  return field === 'pipeline' ? pipelineId : valueOf(fields, field);
}
