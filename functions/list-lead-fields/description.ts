import * as v from 'valibot';
import { described } from '../../infra/openapi/error-schemas.ts';
import { demo } from '../../infra/openapi/examples.ts';
import { listOf, referenceList } from '../../infra/openapi/reference-list.ts';
import { schemaOf } from '../../infra/openapi/response-schemas.ts';
import type { LeadField } from '../../shared/contract/types.ts';
import { activeFields } from '../../shared/leads/fields.ts';
import { presentField } from '../../shared/leads/reference-lists.ts';
import { fieldTypes } from '../../shared/organization/field-kinds.ts';

const leadField = schemaOf<LeadField>()(
  v.strictObject({
    key: described(v.string(), 'The key of the field inside `fields`.'),
    label: v.string(),
    type: v.picklist(fieldTypes),
    section: v.string(),
    storage: described(
      v.picklist(['column', 'custom']),
      '`column`: built in. `custom`: created by the organization.',
    ),
    options: described(
      v.array(v.strictObject({ value: v.string(), label: v.string() })),
      'For select and multiselect fields. Requests send the `value`.',
    ),
    requiredOnCreate: v.boolean(),
    requiredOnEdit: v.boolean(),
    showWhen: described(
      v.nullable(v.strictObject({ field: v.string(), equals: v.array(v.string()) })),
      'The field applies only when another field has one of the listed values.',
    ),
  }),
);
const leadFields = listOf(leadField);

/** One field of each kind: built in, with options, with a condition. */
const examples = activeFields(demo)
  .filter(({ key }) => ['phone', 'course', 'work_experience'].includes(key))
  .map(presentField);

export const description = referenceList<'lead-fields'>({
  summary: 'List the active lead fields',
  contents: "the organization's active fields, custom fields included, in form order",
  more: 'A new custom field appears, and is accepted, immediately.',
  schema: leadFields,
  schemas: { LeadField: leadField, LeadFieldList: leadFields },
  items: examples,
});
