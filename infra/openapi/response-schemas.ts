import * as v from 'valibot';
import { limits } from '../../shared/contract/limits.ts';
import { id } from '../../shared/middleware/schemas.ts';
import { builtIns } from '../../shared/organization/field-kinds.ts';
import { stageMeanings } from '../../shared/organization/settings-schema.ts';
import { described, detailSchemas, optional } from './error-schemas.ts';

/**
 * Schemas of what the endpoints return (contract, sections 2 and 4). They are not in the functions, because a schema that no function
 * uses would only lengthen its cold start. A test compares their types with those of the client, which the functions return too, and
 * the integration tests check every response against its schema.
 */

export const dateTime = v.pipe(v.string(), v.isoTimestamp());

const fieldValue = described(
  v.union([v.string(), v.number(), v.boolean(), v.array(v.string()), v.null()]),
  "A field's value. Its type depends on the field's type.",
);

export const namedRef = v.strictObject({ id, name: v.string() });
export const meaning = described(
  v.picklist(stageMeanings),
  'What reaching the stage means in this organization.',
);
const stageRef = v.strictObject({ ...namedRef.entries, meaning });
const lead = v.strictObject({
  id,
  name: v.string(),
  phone: described(v.string(), 'Unique per organization, in E.164 form.'),
  email: described(v.nullable(v.string()), 'Unique per organization, ignoring case.'),
  leadType: v.picklist(builtIns.lead_type.options.map(({ value }) => value)),
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
  Note: note,
  CaptureResult: captureResult,
  FieldValue: fieldValue,
  LeadResponse: v.strictObject({ lead }),
  LeadPage: leadPage,
  CaptureResponse: v.strictObject({ lead: captureResult }),
  NoteResponse: v.strictObject({ note }),
  ...detailSchemas,
};
