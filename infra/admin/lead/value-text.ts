import type { FieldValue } from '../../../shared/leads/lead.ts';
import { fieldKinds } from '../../../shared/organization/field-kinds.ts';
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
  const name =
    typeof value === 'number' ? namesOf(organization, field)?.get(value)?.name : undefined;
  return name === undefined ? String(value) : `${value} (${name})`;
}

function namesOf(
  organization: Organization,
  field: string,
): ReadonlyMap<number, { readonly name: string }> | undefined {
  const {
    sourceById: sources,
    userById: users,
    stageById: stage,
    pipelineById: pipeline,
  } = organization;
  const type = organization.fieldByKey.get(field)?.type;
  if (type === undefined)
    return field === 'stage' ? stage : field === 'pipeline' ? pipeline : undefined;
  const { references } = fieldKinds[type];
  return references === null ? undefined : { sources, users }[references];
}
