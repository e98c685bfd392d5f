import * as v from 'valibot';
import type { EndpointName } from '../../shared/endpoints.ts';
import { apiErrors, type ErrorCode } from '../../shared/errors.ts';
import type { PresentedLead } from '../../shared/leads/lead.ts';
import type { presentField, presentNamed, presentPipeline, presentStage } from '../../shared/leads/reference-lists.ts';
import { limits } from '../../shared/limits.ts';
import { id } from '../../shared/middleware/schemas.ts';
import { fieldTypes, leadTypes } from '../../shared/organization/field-kinds.ts';
import { stageMeanings } from '../../shared/organization/settings-schema.ts';
import type { CaptureResult } from '../../shared/store/leads/idempotency.ts';
import type { CarriedHeaders } from './response-headers.ts';

/**
 * What the endpoints answer (contract, sections 2 and 4), as schemas. They stand here and not in the functions, which have no use for
 * them; `satisfies` holds each to the type of what a function presents, and the integration tests hold every answer to it.
 */

const dateTime = v.pipe(v.string(), v.isoTimestamp());
const described = <const Schema extends v.GenericSchema>(schema: Schema, text: string) => v.pipe(schema, v.description(text));

export const fieldValue = described(
  v.nullable(v.union([v.string(), v.number(), v.boolean(), v.array(v.string())])),
  "A field's value: which of these it is depends on the field's type.",
);

const namedRef = v.strictObject({ id, name: v.string() }) satisfies v.GenericSchema<
  unknown,
  ReturnType<typeof presentNamed>[number]
>;
const stageRef = v.strictObject({
  id,
  name: v.string(),
  meaning: described(v.picklist(stageMeanings), 'What reaching the stage means in this organization.'),
});
const stage = v.strictObject({
  id,
  name: v.string(),
  slug: v.string(),
  order: described(v.pipe(v.number(), v.integer()), 'Position within its pipeline.'),
  meaning: described(v.picklist(stageMeanings), 'What reaching the stage means in this organization.'),
  isDefault: described(v.boolean(), 'True when new leads of its pipeline start here.'),
  pipelineId: described(id, 'The pipeline it belongs to.'),
}) satisfies v.GenericSchema<unknown, ReturnType<typeof presentStage>>;
const pipeline = v.strictObject({
  id,
  name: v.string(),
  order: v.pipe(v.number(), v.integer()),
  isDefault: described(
    v.boolean(),
    'New leads go into the default pipeline unless a pipeline or a stage of another pipeline is given.',
  ),
}) satisfies v.GenericSchema<unknown, ReturnType<typeof presentPipeline>>;
const leadField = v.strictObject({
  key: described(v.string(), 'Used as the key inside `fields`.'),
  label: v.string(),
  type: v.picklist(fieldTypes),
  section: v.string(),
  storage: described(v.picklist(['column', 'custom']), '`column` is built in, `custom` was created by the organization.'),
  options: described(
    v.array(v.strictObject({ value: v.string(), label: v.string() })),
    'For select and multiselect; the `value` is what is sent.',
  ),
  requiredOnCreate: v.boolean(),
  requiredOnEdit: v.boolean(),
  showWhen: described(
    v.nullable(v.strictObject({ field: v.string(), equals: v.array(v.string()) })),
    'The field is asked for only when another field has one of the listed values.',
  ),
}) satisfies v.GenericSchema<unknown, ReturnType<typeof presentField>>;
const lead = v.strictObject({
  id,
  name: v.string(),
  phone: described(v.string(), 'Unique per organization, in E.164 form.'),
  email: described(v.nullable(v.string()), 'Unique per organization, case ignored.'),
  leadType: v.picklist(leadTypes),
  stageId: v.nullable(id),
  pipelineId: described(id, "The lead's stage is always a stage of this pipeline."),
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
}) satisfies v.GenericSchema<
  unknown,
  Omit<PresentedLead, 'fields'> & { fields: Record<string, v.InferOutput<typeof fieldValue>> }
>;
const note = v.strictObject({ leadId: id, text: v.string(), createdAt: dateTime });
const captureResult = v.strictObject({
  id,
  created: described(v.boolean(), 'True when a new lead was made.'),
  updated: described(v.boolean(), 'True when an existing lead had at least one empty field filled.'),
  archived: v.exactOptional(
    described(v.literal(true), 'Present when the match is an archived lead, of which nothing was changed.'),
  ),
}) satisfies v.GenericSchema<unknown, CaptureResult>;

const error = v.strictObject({
  error: v.strictObject({
    code: described(v.picklist(Object.keys(apiErrors) as ErrorCode[]), 'Stable and machine-readable.'),
    message: described(v.string(), 'A sentence for people.'),
    details: v.exactOptional(described(v.looseObject({}), 'What the code has to add.')),
  }),
});
const validationFailedDetails = v.strictObject({
  fields: described(v.record(v.string(), v.string()), 'Each field key or property to its problem.'),
  reason: v.exactOptional(
    described(v.string(), 'Why a stage, pipeline, owner or source was refused, such as `STAGE_NOT_IN_PIPELINE`.'),
  ),
  field: v.exactOptional(described(v.string(), 'The field or property that the reason is about.')),
  validKeys: v.exactOptional(described(v.array(v.string()), 'After an unknown field key: those that are known.')),
});
const invalidQueryDetails = v.strictObject({
  filters: v.exactOptional(
    described(v.array(v.pipe(v.number(), v.integer(), v.minValue(0))), '0-based positions of the offending filters.'),
  ),
  problems: v.exactOptional(described(v.array(v.string()), 'What is wrong with each of them, the first eleven at most.')),
  parameters: v.exactOptional(described(v.record(v.string(), v.string()), 'Each offending parameter to its problem.')),
});
const duplicateLeadDetails = v.strictObject({ leadId: described(id, 'The lead that has the phone or email.') });
const forbiddenDetails = v.strictObject({
  scopes: v.exactOptional(described(v.array(v.string()), 'The scopes of which one would do.')),
  module: v.exactOptional(described(v.string(), "The module that the organization's plan lacks.")),
});

/** The schemas that have a name of their own in the document. */
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
  Error: error,
  ValidationFailedDetails: validationFailedDetails,
  InvalidQueryDetails: invalidQueryDetails,
  DuplicateLeadDetails: duplicateLeadDetails,
  ForbiddenDetails: forbiddenDetails,
};

/** The schema of an error's `details`, and whether the error never comes without; codes that are not named have none. */
export const errorDetails: Readonly<
  Partial<Record<ErrorCode, { readonly schema: keyof typeof schemaComponents; readonly always: boolean }>>
> = {
  VALIDATION_FAILED: { schema: 'ValidationFailedDetails', always: true },
  INVALID_QUERY: { schema: 'InvalidQueryDetails', always: true },
  DUPLICATE_LEAD: { schema: 'DuplicateLeadDetails', always: false },
  FORBIDDEN: { schema: 'ForbiddenDetails', always: false },
};

/** A successful answer; `RateLimit-*` and `X-Request-Id` are on all of them. */
export interface DescribedResponse {
  readonly description: string;
  readonly schema: v.GenericSchema;
  readonly headers?: CarriedHeaders;
}

const itemsOf = (item: v.GenericSchema): v.GenericSchema => v.strictObject({ items: v.array(item) });
const oneLead = v.strictObject({ lead });
const captured = v.strictObject({ lead: captureResult });

/** The successful answers of each endpoint by status (contract, section 4). */
export const successResponses: Readonly<Record<EndpointName, Readonly<Record<number, DescribedResponse>>>> = {
  'list-leads': {
    200: {
      description:
        'One page of leads, newest first. A page may hold fewer leads than `limit`, even none: only a `nextCursor` of null ends the list.',
      schema: v.strictObject({
        items: v.pipe(v.array(lead), v.maxLength(limits.pageSizeMax)),
        nextCursor: described(v.nullable(id), 'To be passed as `cursor` for the next page; null on the last page.'),
      }),
    },
  },
  'create-lead': { 201: { description: 'The lead as it was created.', schema: oneLead } },
  'capture-lead': {
    200: {
      description:
        'The enquiry matched an existing lead: empty fields were filled, or nothing was changed because the lead is archived.',
      schema: captured,
      headers: { Location: 'sometimes', 'Idempotent-Replayed': 'sometimes' },
    },
    201: {
      description: 'The enquiry matched no lead: a new one was created.',
      schema: captured,
      headers: { Location: 'always', 'Idempotent-Replayed': 'sometimes' },
    },
  },
  'get-lead': { 200: { description: 'The lead.', schema: oneLead } },
  'update-lead': { 200: { description: 'The lead after the change.', schema: oneLead } },
  'add-note': { 201: { description: 'The note as it was added.', schema: v.strictObject({ note }) } },
  'list-lead-fields': { 200: { description: 'The active fields, in form order.', schema: itemsOf(leadField) } },
  'list-lead-stages': {
    200: { description: "The active stages, in pipeline order, each pipeline's stages in order.", schema: itemsOf(stage) },
  },
  'list-pipelines': { 200: { description: 'The pipelines, in pipeline order.', schema: itemsOf(pipeline) } },
  'list-lead-sources': { 200: { description: 'The active sources, by name.', schema: itemsOf(namedRef) } },
  'list-users': { 200: { description: 'The active people, by name.', schema: itemsOf(namedRef) } },
};
