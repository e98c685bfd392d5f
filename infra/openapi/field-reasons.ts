import type { FieldReason } from '../../shared/validation.ts';

/** What each reason of `details.reasons` means. The compiler checks that the list is complete. */
export const fieldReasons: Readonly<Record<FieldReason, string>> = {
  required: 'The value is missing or empty, and one is needed.',
  wrong_type: 'The value has the wrong JSON type, such as a list where a string is needed.',
  too_short: 'The text has too few characters.',
  too_long: 'The text has too many characters, or the lead is too large with this value.',
  invalid_characters: 'The text contains U+0000 or an unpaired surrogate.',
  invalid_phone: 'The text is not a phone number.',
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

export const fieldReasonNames = Object.keys(fieldReasons) as FieldReason[];

/** The reasons in Markdown, one a line. */
export const fieldReasonList = fieldReasonNames
  .map((reason) => `- \`${reason}\`: ${fieldReasons[reason]}`)
  .join('\n');
