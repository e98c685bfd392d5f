import type { CaptureRequest } from '../contract/types.ts';
import { type Idempotency, idempotencyOf } from '../leads/idempotency.ts';
import type { ParsedInput, Step } from './call.ts';

/** What a request that may be repeated sends. */
interface RepeatableInput {
  readonly headers: { readonly 'idempotency-key'?: string | undefined };
  readonly body: CaptureRequest;
}

export interface Repeatable {
  idempotency: Idempotency;
}

/**
 * The first and last part of what makes a capture safe to repeat (contract, section 4.3; design, section 6). Before, it computes the keys of
 * the header and of `externalId`: the capture's one read looks up their records, and its one transaction writes them on the condition that
 * there are none. After, it marks a replay, which the capture decides from what it read.
 */
export const idempotency = (): Step<ParsedInput<RepeatableInput> & Repeatable> => ({
  before: ({ context: call }) => {
    if (call.inputError) return;
    const { headers, body } = call.input;
    call.idempotency = idempotencyOf(headers['idempotency-key'], body);
  },
  after: (request) => {
    const { response } = request;
    if (response?.isReplay)
      request.response = {
        ...response,
        headers: { ...response.headers, 'Idempotent-Replayed': 'true' },
      };
  },
});
