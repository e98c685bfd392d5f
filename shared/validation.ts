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

/** Refused values, each by its field key or property. A name occurs once. */
type Refused = readonly (readonly [name: string, refusal: Refusal])[];

/** A request can hold thousands of names of its own, each as long as the body, and an error must not be larger than a body. */
const namedMax = 20;
const nameMaxChars = 300;

/** A stage or an owner is also named by `details.field`; a name that the service does not know comes last. */
const rank = ({ reason }: Refusal): number =>
  isReference(reason) ? 0 : /^unknown_(field|property)$/.test(reason) ? 2 : 1;

/**
 * What an error says of refused values: the message, and those that `details` names. Of more than 20, the message counts the others.
 */
export function refusedNames(refused: Refused): {
  readonly named: Refused;
  readonly message: string;
} {
  const isLong = refused.length > namedMax;
  const first = isLong ? refused.toSorted(([, a], [, b]) => rank(a) - rank(b)) : refused;
  const named = first.slice(0, namedMax).map(([name, refusal]) => {
    const isShown = name.length <= nameMaxChars;
    return [isShown ? name : `${name.slice(0, nameMaxChars).toWellFormed()}…`, refusal] as const;
  });
  const sentences = named.slice(0, 3).map(([name, one]) => `${name || '(empty)'} ${one.sentence}`);
  if (isLong)
    sentences.push(
      `The details name ${namedMax} refused values; ${refused.length - namedMax} more are refused.`,
    );
  return { named, message: sentences.join(' ') };
}

/**
 * The error for refused values. `details` has `fields` and `reasons`; also `reason` and `field` if a stage, pipeline, source, owner or user
 * is refused.
 * @param validKeys the keys that may be sent, if one is unknown
 */
export function validationFailed(refused: Refused, validKeys?: readonly string[]): ApiError {
  const { named, message } = refusedNames(refused);
  const reference = named.find(([, { reason }]) => isReference(reason));
  const details = {
    fields: Object.fromEntries(named.map(([name, { sentence }]) => [name, sentence])),
    ...(reference && { reason: reference[1].reason.toUpperCase(), field: reference[0] }),
    ...(validKeys && { validKeys }),
    reasons: Object.fromEntries(named.map(([name, { reason }]) => [name, reason])),
  };
  return new ApiError('VALIDATION_FAILED', details, message);
}
