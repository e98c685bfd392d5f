import * as v from 'valibot';
import { keysOf } from '../../shared/base/maps.ts';
import { apiErrors, type ErrorCode } from '../../shared/contract/errors.ts';
import { isReference } from '../../shared/contract/refusals.ts';
import type { FieldReason } from '../../shared/contract/types.ts';
import { id } from '../../shared/middleware/schemas.ts';

/** Schemas of error responses (contract, section 7): one for each code, with the code's own details. */

/** A schema with the sentence that the document says about it. */
export const described = <const Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.pipe(schema, v.description(text));

export const optional = <const Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.exactOptional(described(schema, text));

/** What each reason of `details.reasons` means. The compiler checks that the list is complete. */
const fieldReasons: Readonly<Record<FieldReason, string>> = {
  required: 'A required value is missing or empty.',
  wrong_type: 'The value has the wrong JSON type, such as a list instead of a string.',
  too_short: 'The text has too few characters.',
  too_long: 'The text has too many characters, or the lead is too large with this value.',
  invalid_characters: 'The text contains U+0000 or an unpaired surrogate.',
  invalid_phone: 'The text is not one phone number.',
  invalid_email: 'The text is not an email address.',
  invalid_url: 'The text is not a web address that starts with `http://` or `https://`.',
  invalid_number: 'The value is not a number.',
  invalid_date: 'The text is not a date that exists, in the form `YYYY-MM-DD`.',
  invalid_checkbox: 'The value of a checkbox is neither yes nor no.',
  invalid_id: 'The value is not an ID.',
  out_of_range: 'The number is too large or too small, or has too many digits.',
  unknown_option: "The value is not one of the field's options.",
  unknown_field: 'The organization has no active field with this key.',
  unknown_property: 'The request has no property with this name.',
  not_accepted: 'The field exists, but `fields` of this request cannot set it.',
  idempotency_key_reused: 'The idempotency key was used with a different body.',
  pipeline_not_found: 'The organization has no such pipeline.',
  stage_not_found: 'The organization has no such stage.',
  stage_not_active: 'The stage is not active.',
  stage_not_in_pipeline: 'The stage belongs to another pipeline.',
  no_starting_stage: 'The pipeline has no active starting stage, so the request must name one.',
  source_not_found: 'The organization has no such source.',
  source_not_active: 'The source is not active.',
  owner_not_found: 'The organization has no such user to own the lead.',
  owner_not_active: 'The user to own the lead is not active.',
  user_not_found: 'The organization has no such user.',
  user_not_active: 'The user is not active.',
  no_active_owner: 'The organization has no active user to own the lead.',
};

export const fieldReasonNames = keysOf(fieldReasons);

/** The reasons in Markdown, one a line. */
const fieldReasonList = fieldReasonNames
  .map((reason) => `- \`${reason}\`: ${fieldReasons[reason]}`)
  .join('\n');

const upperCase = <Text extends string>(text: Text) => text.toUpperCase() as Uppercase<Text>;

const fieldReason = described(
  v.picklist(fieldReasonNames),
  `Why a value is refused, for programs.\n\n${fieldReasonList}`,
);
const texts = v.array(v.string());
const textByName = v.record(v.string(), v.string());
const validationFailedDetails = v.strictObject({
  fields: described(
    textByName,
    'Maps each field key or property to what is wrong with it: 20 at most.',
  ),
  reason: optional(
    v.picklist(fieldReasonNames.filter(isReference).map(upperCase)),
    'Why a stage, pipeline, owner, source or user was refused. It is the first such reason of `reasons`, in upper case.',
  ),
  field: optional(v.string(), 'The field or property that `reason` refers to.'),
  validKeys: optional(texts, 'The valid field keys, when a field key is unknown.'),
  reasons: described(
    v.record(v.string(), fieldReason),
    'Maps each field key or property of `fields` to a stable reason.',
  ),
});
const invalidQueryDetails = v.strictObject({
  filters: optional(
    v.array(v.pipe(v.number(), v.integer(), v.minValue(0))),
    '0-based positions of the invalid filters.',
  ),
  problems: optional(texts, 'What is wrong with each of them, for the first eleven at most.'),
  parameters: optional(textByName, 'Maps each invalid parameter to what is wrong with it.'),
});
const duplicateLeadDetails = v.strictObject({
  leadId: described(id, 'The lead that has the phone or email.'),
  field: described(
    v.picklist(['phone', 'email']),
    'Which of the two another lead has; the phone, if it has both.',
  ),
});
const forbiddenDetails = v.strictObject({
  scopes: optional(texts, 'The key needs one of these scopes.'),
  module: optional(v.string(), "The module that the organization's plan does not include."),
});

/** The schemas of `details`, by their names in the document. */
export const detailSchemas = {
  FieldReason: fieldReason,
  ValidationFailedDetails: validationFailedDetails,
  InvalidQueryDetails: invalidQueryDetails,
  DuplicateLeadDetails: duplicateLeadDetails,
  ForbiddenDetails: forbiddenDetails,
};

type ErrorDetails = Partial<
  Record<ErrorCode, { readonly schema: keyof typeof detailSchemas; readonly always: boolean }>
>;

const detailsByCode = {
  VALIDATION_FAILED: { schema: 'ValidationFailedDetails', always: true },
  INVALID_QUERY: { schema: 'InvalidQueryDetails', always: true },
  DUPLICATE_LEAD: { schema: 'DuplicateLeadDetails', always: false },
  FORBIDDEN: { schema: 'ForbiddenDetails', always: false },
} as const satisfies ErrorDetails;
export type DetailsByCode = typeof detailsByCode;

/** The schema of an error's `details`, and whether the error always has them. Other codes have no details. */
export const errorDetails: Readonly<ErrorDetails> = detailsByCode;

/** The name of a code's schema: `VALIDATION_FAILED` has `ValidationFailedError`. */
export const errorSchemaName = (code: ErrorCode): string =>
  `${code
    .split('_')
    .map((word) => word[0] + word.slice(1).toLowerCase())
    .join('')}Error`;

/** The schema of every code's response, by name. */
export const errorComponents = (): Readonly<Record<string, object>> =>
  Object.fromEntries(keysOf(apiErrors).map((code) => [errorSchemaName(code), errorOf(code)]));

function errorOf(code: ErrorCode): object {
  const own = errorDetails[code];
  const properties = {
    code: { const: code, description: 'Stable and machine-readable.' },
    message: { type: 'string', description: 'A human-readable sentence.' },
    ...(own && { details: { $ref: `#/components/schemas/${own.schema}` } }),
  };
  const required = ['code', 'message', ...(own?.always ? ['details'] : [])];
  const error = { type: 'object', properties, required, additionalProperties: false };
  return {
    description: `Status ${apiErrors[code].status}. ${apiErrors[code].sentence}`,
    type: 'object',
    properties: { error },
    required: ['error'],
    additionalProperties: false,
  };
}
