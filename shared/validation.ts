import type { FieldReason } from './client/api-types.ts';
import { ApiError } from './errors.ts';

/** The reasons for a stage, pipeline, source, owner or user. In upper case each is a `details.reason` (contract, section 7). */
export const referenceReasons = [
  'pipeline_not_found',
  'stage_not_found',
  'stage_not_active',
  'stage_not_in_pipeline',
  'no_starting_stage',
  'source_not_found',
  'source_not_active',
  'owner_not_found',
  'owner_not_active',
  'user_not_found',
  'user_not_active',
  'no_active_owner',
] as const satisfies readonly FieldReason[];
type ReferenceReason = (typeof referenceReasons)[number];

/** Why a value is refused: for programs, and as a sentence that follows the field's name, such as "must be a number." */
export interface Refusal {
  readonly reason: FieldReason;
  readonly sentence: string;
}

/** A refusal as the message of a schema: an issue of valibot carries no more than a text. */
export type RefusalMessage = `${FieldReason}: ${string}`;
export const refusalMessage = (reason: FieldReason, sentence: string): RefusalMessage =>
  `${reason}: ${sentence}`;

/** Reads what `refusalMessage` wrote. */
export function refusalIn(message: string): Refusal {
  const [reason = '', ...sentence] = message.split(': ');
  return { reason: reason as FieldReason, sentence: sentence.join(': ') };
}

const isReference = (reason: FieldReason): reason is ReferenceReason =>
  referenceReasons.some((one) => one === reason);

/**
 * The error for refused values, each by its field key or property; a key occurs once. `details` has `fields` and `reasons`; also `reason`
 * and `field` if a stage, pipeline, source, owner or user is refused.
 * @param validKeys the keys that may be sent, if one is unknown
 */
export function validationFailed(
  refused: readonly (readonly [name: string, refusal: Refusal])[],
  validKeys?: readonly string[],
): ApiError {
  const reference = refused.find(([, { reason }]) => isReference(reason));
  const details = {
    fields: Object.fromEntries(refused.map(([name, { sentence }]) => [name, sentence])),
    ...(reference && { reason: reference[1].reason.toUpperCase(), field: reference[0] }),
    ...(validKeys && { validKeys }),
    reasons: Object.fromEntries(refused.map(([name, { reason }]) => [name, reason])),
  };
  const sentences = refused.slice(0, 3).map(([name, { sentence }]) => `${name} ${sentence}`);
  return new ApiError('VALIDATION_FAILED', details, sentences.join(' '));
}
