import type { FieldReason } from './client/api-types.ts';
import type { ReferenceReason } from './client/errors.ts';
import { ApiError } from './errors.ts';

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

/** Whether a stage, pipeline, source, owner or user is refused. In upper case, such a reason is a `details.reason` (contract, section 7). */
export const isReference = (reason: FieldReason): reason is ReferenceReason =>
  /^(stage|pipeline|source|owner|user)_not_|^no_/.test(reason);

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
