import { shortened } from '../base/json.ts';
import { ApiError, type ErrorDetails } from './errors.ts';
import type { FieldReason, ReferenceReason } from './types.ts';

/** Why a value is refused: a reason for programs, and a sentence that follows the field's name, such as "must be a number." */
export interface Refusal {
  readonly reason: FieldReason;
  readonly sentence: string;
  /** The request that lists the valid values, which a response adds to the sentence. A command names another way to list them. */
  readonly listedBy?: string | undefined;
  /** The valid name that was probably meant. */
  readonly near?: string | undefined;
}

/** Refusals by schema issue: an issue itself can hold only a text. */
const refusals = new WeakMap<object, Refusal>();

/** A schema's message: returns the sentence, and records the reason for `refusalOf`. */
export type RefusalMessage = (issue: object) => string;
export const refusalMessage =
  (reason: FieldReason, sentence: string): RefusalMessage =>
  (issue) => {
    refusals.set(issue, { reason, sentence });
    return sentence;
  };

/** Why a schema refused a value. @throws Error if the schema has no `refusalMessage` */
export function refusalOf(issue: object): Refusal {
  const refusal = refusals.get(issue);
  if (!refusal) throw new Error('A schema of a query or a body has no refusalMessage.');
  return refusal;
}

const referenceReasons: ReadonlySet<FieldReason> = new Set<ReferenceReason>([
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
]);

/** Whether the reason is about a stage, pipeline, source, owner or user. In upper case, it is a `details.reason` (contract, section 7). */
export const isReference = (reason: FieldReason): reason is ReferenceReason =>
  referenceReasons.has(reason);

/** Refused values, each by its field key or property. A name occurs once. */
type Refused = readonly (readonly [name: string, refusal: Refusal])[];

/** The error for refused values. */
export class ValidationFailed extends ApiError {
  /** The refused values that `details` names, for commands: their sentences differ from a response's. */
  readonly refused: Refused;

  constructor(refused: Refused, details: ErrorDetails, message: string) {
    super('VALIDATION_FAILED', details, message);
    this.refused = refused;
  }
}

/** A request can hold thousands of names, or one name as long as the body. An error must not be larger than a body. */
const namedMax = 20;
const nameMaxChars = 300;

/** The sentence as a response has it. */
const inResponse = ({ sentence, listedBy }: Refusal): string =>
  listedBy === undefined ? sentence : `${sentence.slice(0, -1)}; ${listedBy}.`;

const isUnknown = ({ reason }: Refusal): boolean =>
  reason === 'unknown_field' || reason === 'unknown_property';

/** The refused values that `details` names, known fields and properties first, and a message that counts the rest. */
export function refusedNames(refused: Refused): { named: Refused; message: string } {
  const more = refused.length - namedMax;
  const known = refused.filter(([, refusal]) => !isUnknown(refusal));
  const named = (more > 0 ? [...new Set([...known, ...refused])] : refused)
    .slice(0, namedMax)
    .map(([name, refusal]) => [shortened(name, nameMaxChars), refusal] as const);
  const sentences = named
    .slice(0, 3)
    .map(([name, refusal]) => `${name.trim() || '(empty)'} ${inResponse(refusal)}`);
  if (more > 0) sentences.push(`The details name ${namedMax} values; ${more} more are refused.`);
  return { named, message: sentences.join(' ') };
}

/**
 * The error for refused values. `details` has `fields` and `reasons`; also `reason` and `field` if a stage, pipeline, source, owner or user
 * is refused.
 * @param validKeys the keys that a request may send, listed if it sent an unknown one
 */
export function validationFailed(
  refused: Refused,
  validKeys?: readonly string[],
): ValidationFailed {
  const { named, message } = refusedNames(refused);
  const reference = refused.find(([, { reason }]) => isReference(reason));
  const details = {
    fields: Object.fromEntries(named.map(([name, refusal]) => [name, inResponse(refusal)])),
    ...(reference && { reason: reference[1].reason.toUpperCase(), field: reference[0] }),
    ...(validKeys && { validKeys }),
    reasons: Object.fromEntries(named.map(([name, { reason }]) => [name, reason])),
  };
  return new ValidationFailed(named, details, message);
}
