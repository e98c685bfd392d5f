import * as v from 'valibot';
import { limits } from '../../shared/limits.ts';
import { id } from '../../shared/middleware/schemas.ts';
import { fieldTypes, leadTypes } from '../../shared/organization/field-kinds.ts';
import { stageMeanings } from '../../shared/organization/settings-schema.ts';
import { described, detailSchemas, optional } from './error-schemas.ts';

/**
 * Schemas of what the endpoints return (contract, sections 2 and 4). They are not in the functions, because a schema that no function
 * uses would only lengthen its cold start. A test compares their types with those of the client, which the functions return too, and
 * the integration tests check every response against its schema.
 */

const dateTime = v.pipe(v.string(), v.isoTimestamp());
const order = v.pipe(v.number(), v.integer());

const fieldValue = described(
  v.union([v.string(), v.number(), v.boolean(), v.array(v.string()), v.null()]),
  "A field's value. Its type depends on the field's type.",
);

const namedRef = v.strictObject({ id, name: v.string() });
const meaning = described(
  v.picklist(stageMeanings),
  'What reaching the stage means in this organization.',
);
const stageRef = v.strictObject({ id, name: v.string(), meaning });
const stage = v.strictObject({
  id,
  name: v.string(),
  slug: v.string(),
  order: described(order, 'Position within its pipeline.'),
  meaning,
  isDefault: described(v.boolean(), 'True when new leads of its pipeline start here.'),
  pipelineId: described(id, 'The pipeline that the stage belongs to.'),
});
const pipeline = v.strictObject({
  id,
  name: v.string(),
  order,
  isDefault: described(
    v.boolean(),
    'New leads go into the default pipeline unless the request names a pipeline or a stage of another pipeline.',
  ),
});
const leadField = v.strictObject({
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
});
const lead = v.strictObject({
  id,
  name: v.string(),
  phone: described(v.string(), 'Unique per organization, in E.164 form.'),
  email: described(v.nullable(v.string()), 'Unique per organization, ignoring case.'),
  leadType: v.picklist(leadTypes),
  stageId: v.nullable(id),
  pipelineId: described(id, "The pipeline of the lead's stage."),
  sourceId: v.nullable(id),
  assignedTo: described(v.nullable(id), "The owner's user ID."),
  stage: v.nullable(stageRef),
  pipeline: v.nullable(namedRef),
  source: v.nullable(namedRef),
  owner: v.nullable(namedRef),
  fields: described(
    v.record(v.string(), fieldValue),
    'Every other active field by field key, custom fields included. Empty fields are omitted.',
  ),
  createdAt: dateTime,
  updatedAt: dateTime,
});
const note = v.strictObject({ leadId: id, text: v.string(), createdAt: dateTime });
const captureResult = v.strictObject({
  id,
  created: described(v.boolean(), 'True when a new lead was created.'),
  updated: described(
    v.boolean(),
    'True when an existing lead had at least one empty field filled.',
  ),
  archived: optional(
    v.literal(true),
    'Present when the capture matched an archived lead, which stays unchanged.',
  ),
});

/** The body of an endpoint that lists all items of one kind. */
const itemsOf = <const Item extends v.GenericSchema>(item: Item) =>
  v.strictObject({ items: v.array(item) });
const leadPage = v.strictObject({
  items: v.pipe(v.array(lead), v.maxLength(limits.pageSizeMax)),
  nextCursor: described(
    v.nullable(id),
    'Send it as `cursor` to get the next page. It is null on the last page.',
  ),
});

/** The schemas that have a name in the document, besides those of requests and errors. */
export const schemaComponents = {
  Lead: lead,
  StageRef: stageRef,
  NamedRef: namedRef,
  Stage: stage,
  Pipeline: pipeline,
  LeadField: leadField,
  Note: note,
  CaptureResult: captureResult,
  FieldValue: fieldValue,
  LeadResponse: v.strictObject({ lead }),
  LeadPage: leadPage,
  CaptureResponse: v.strictObject({ lead: captureResult }),
  NoteResponse: v.strictObject({ note }),
  LeadFieldList: itemsOf(leadField),
  StageList: itemsOf(stage),
  PipelineList: itemsOf(pipeline),
  NamedRefList: itemsOf(namedRef),
  ...detailSchemas,
};
