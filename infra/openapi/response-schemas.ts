import * as v from 'valibot';
import { apiErrors, type ErrorCode } from '../../shared/errors.ts';
import { id } from '../../shared/input/schemas.ts';
import type { CaptureResult } from '../../shared/leads/idempotency.ts';
import type { PresentedLead } from '../../shared/leads/lead.ts';
import type {
  presentField,
  presentNamed,
  presentPipeline,
  presentStage,
} from '../../shared/leads/reference-lists.ts';
import { fieldTypes, leadTypes } from '../../shared/organization/field-kinds.ts';
import { stageMeanings } from '../../shared/organization/settings-schema.ts';
import { referenceReasons } from '../../shared/validation.ts';
import { fieldReasonList, fieldReasonNames } from './field-reasons.ts';

/**
 * Schemas of what the endpoints return (contract, sections 2 and 4). They are not in the functions, because a schema that no function
 * uses would only lengthen its cold start. `satisfies` checks each schema against the type that a function presents, and the
 * integration tests check every response against its schema.
 */

const dateTime = v.pipe(v.string(), v.isoTimestamp());
const described = <const Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.pipe(schema, v.description(text));

export const fieldValue = described(
  v.nullable(v.union([v.string(), v.number(), v.boolean(), v.array(v.string())])),
  "A field's value. Its type depends on the field's type.",
);

const namedRef = v.strictObject({ id, name: v.string() }) satisfies v.GenericSchema<
  unknown,
  ReturnType<typeof presentNamed>[number]
>;
const stageRef = v.strictObject({
  id,
  name: v.string(),
  meaning: described(
    v.picklist(stageMeanings),
    'What reaching the stage means in this organization.',
  ),
});
const stage = v.strictObject({
  id,
  name: v.string(),
  slug: v.string(),
  order: described(v.pipe(v.number(), v.integer()), 'Position within its pipeline.'),
  meaning: described(
    v.picklist(stageMeanings),
    'What reaching the stage means in this organization.',
  ),
  isDefault: described(v.boolean(), 'True when new leads of its pipeline start here.'),
  pipelineId: described(id, 'The pipeline that the stage belongs to.'),
}) satisfies v.GenericSchema<unknown, ReturnType<typeof presentStage>>;
const pipeline = v.strictObject({
  id,
  name: v.string(),
  order: v.pipe(v.number(), v.integer()),
  isDefault: described(
    v.boolean(),
    'New leads go into the default pipeline unless the request names a pipeline or a stage of another pipeline.',
  ),
}) satisfies v.GenericSchema<unknown, ReturnType<typeof presentPipeline>>;
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
}) satisfies v.GenericSchema<unknown, ReturnType<typeof presentField>>;
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
}) satisfies v.GenericSchema<
  unknown,
  Omit<PresentedLead, 'fields'> & { fields: Record<string, v.InferOutput<typeof fieldValue>> }
>;
const note = v.strictObject({ leadId: id, text: v.string(), createdAt: dateTime });
const captureResult = v.strictObject({
  id,
  created: described(v.boolean(), 'True when a new lead was created.'),
  updated: described(
    v.boolean(),
    'True when an existing lead had at least one empty field filled.',
  ),
  archived: v.exactOptional(
    described(
      v.literal(true),
      'Present when the capture matched an archived lead, which stays unchanged.',
    ),
  ),
}) satisfies v.GenericSchema<unknown, CaptureResult>;

const error = v.strictObject({
  error: v.strictObject({
    code: described(
      v.picklist(Object.keys(apiErrors) as ErrorCode[]),
      'Stable and machine-readable.',
    ),
    message: described(v.string(), 'A human-readable sentence.'),
    details: v.exactOptional(
      described(v.looseObject({}), 'Further details, depending on the code.'),
    ),
  }),
});
const fieldReason = described(
  v.picklist(fieldReasonNames),
  `Why a value is refused, for programs.\n\n${fieldReasonList}`,
);
const validationFailedDetails = v.strictObject({
  fields: described(
    v.record(v.string(), v.string()),
    'Maps each field key or property to what is wrong with it.',
  ),
  reason: v.exactOptional(
    described(
      v.picklist(referenceReasons.map((reason) => reason.toUpperCase())),
      'Why a stage, pipeline, owner, source or user was refused. It is the first such reason of `reasons`, in upper case.',
    ),
  ),
  field: v.exactOptional(described(v.string(), 'The field or property that `reason` refers to.')),
  validKeys: v.exactOptional(
    described(v.array(v.string()), 'The valid field keys, when a field key is unknown.'),
  ),
  reasons: described(
    v.record(v.string(), fieldReason),
    'Maps each field key or property of `fields` to a stable reason.',
  ),
});
const invalidQueryDetails = v.strictObject({
  filters: v.exactOptional(
    described(
      v.array(v.pipe(v.number(), v.integer(), v.minValue(0))),
      '0-based positions of the invalid filters.',
    ),
  ),
  problems: v.exactOptional(
    described(
      v.array(v.string()),
      'What is wrong with each of them, for the first eleven at most.',
    ),
  ),
  parameters: v.exactOptional(
    described(
      v.record(v.string(), v.string()),
      'Maps each invalid parameter to what is wrong with it.',
    ),
  ),
});
const duplicateLeadDetails = v.strictObject({
  leadId: described(id, 'The lead that has the phone or email.'),
  field: described(
    v.picklist(['phone', 'email']),
    'Which of them another lead has. If both, it is the phone.',
  ),
});
const forbiddenDetails = v.strictObject({
  scopes: v.exactOptional(described(v.array(v.string()), 'The scopes of which the key needs one.')),
  module: v.exactOptional(
    described(v.string(), "The module that the organization's plan does not include."),
  ),
});

/** The schemas that have a name in the document. */
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
  FieldReason: fieldReason,
  Error: error,
  ValidationFailedDetails: validationFailedDetails,
  InvalidQueryDetails: invalidQueryDetails,
  DuplicateLeadDetails: duplicateLeadDetails,
  ForbiddenDetails: forbiddenDetails,
};

/** The schema of an error's `details`, and whether the error always has them. Other codes have no details. */
export const errorDetails: Readonly<
  Partial<
    Record<ErrorCode, { readonly schema: keyof typeof schemaComponents; readonly always: boolean }>
  >
> = {
  VALIDATION_FAILED: { schema: 'ValidationFailedDetails', always: true },
  INVALID_QUERY: { schema: 'InvalidQueryDetails', always: true },
  DUPLICATE_LEAD: { schema: 'DuplicateLeadDetails', always: false },
  FORBIDDEN: { schema: 'ForbiddenDetails', always: false },
};

/** The response schema of an endpoint that lists all items of one kind. */
export const itemsOf = (item: v.GenericSchema): v.GenericSchema =>
  v.strictObject({ items: v.array(item) });
/** The response schema of an endpoint that returns one lead. */
export const oneLead = v.strictObject({ lead });
