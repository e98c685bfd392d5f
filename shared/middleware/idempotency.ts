import type { CaptureRequest } from '../contract/types.ts';
import { type Idempotency, idempotencyOf } from '../leads/idempotency.ts';
import type { ParsedInput, Step } from './call.ts';

/** The parts of a request that identify its repeats. */
interface RepeatableInput {
  readonly headers: { readonly 'idempotency-key'?: string | undefined };
  readonly body: CaptureRequest;
}

interface Repeatable {
  idempotency: Idempotency;
}

/**
 * The first and the last part of what makes a capture safe to repeat (contract, section 4.3; design, section 6). Before the handler, it
 * computes the idempotency keys of the header and of `externalId`. The capture's read looks up their records, and its transaction writes
 * them on condition that none exists. After the handler, it marks a replay, if the capture found a record.
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
