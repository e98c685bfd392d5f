import type { EndpointName, Scope } from '../../../../shared/contract/endpoints.ts';
import type { Plain } from '../../../support/reference/plain.ts';
import type { CallerRequest } from '../lambda/gateway-event.ts';
import type { InvocationResult } from '../lambda/instance.ts';
import type { CallerAnswer } from '../lambda/simulated-api.ts';
import type { CallInfo } from '../network.ts';

/** One item as it was written, in the order of all writes. Simulated times, in epoch milliseconds, are the right ones. */
export interface Write {
  readonly order: number;
  /** How many writes there were when its conditions were evaluated: a transaction may write its items one after the other. */
  readonly evaluatedOrder: number;
  readonly at: number;
  readonly pk: string;
  readonly sk: string;
  readonly before: Plain | undefined;
  readonly after: Plain | undefined;
  /** The writes of one call were made at one moment. */
  readonly call: CallInfo | undefined;
  /** Whose call it was; undefined for what was there before. */
  readonly work: Work | undefined;
}

/** What someone was doing when calls were sent. */
export interface Work {
  readonly id: string;
  /** The endpoint, or what the administrator did. */
  readonly what: string;
  readonly organizationId: number;
  /** When it was asked for, and when whoever asked learned what became of it; Infinity while nobody did. */
  readonly startedAt: number;
  endedAt: number;
  /** When it was over on the service's side; nothing may be sent after that. */
  handledUntil: number;
  readonly writes: Write[];
  /** What went wrong with its calls, and its instance. */
  readonly faults: string[];
  /** What went wrong with its instance's calls before: the SDK repeats calls from a budget that such calls use up. */
  earlierFaults: number;
  /** Calls that met another's transaction, or an item in the way. */
  conflicts: number;
  calls: number;
  /** Calls sent after it had ended. */
  lateCalls: string[];
}

/** An API key as its holder knows it. */
export interface HeldKey {
  readonly key: string;
  readonly keyId: string;
  readonly organizationId: number;
  readonly scopes: readonly Scope[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** A request of a client, as often as it was sent. */
export interface ObservedRequest extends Work {
  readonly kind: 'request';
  readonly what: EndpointName;
  readonly client: string;
  readonly apiKey: HeldKey;
  readonly request: Omit<CallerRequest, 'apiKey'>;
  /** What the function gave the gateway; undefined until then. */
  result: InvocationResult | undefined;
  /** What the caller got; undefined when there was no answer. */
  answer: CallerAnswer | undefined;
  /** The body of the answer, where it is JSON. */
  answerBody: unknown;
}

/** What an administrator did, by a process of its own. */
export interface ObservedAction extends Work {
  readonly kind: 'action';
  readonly options: Plain;
  outcome: 'under way' | 'done' | 'failed' | 'died';
  /** What it returned, or the message of its error. */
  result: unknown;
}

/** All that was observed of a run, in the order in which it began. */
export interface History {
  readonly requests: readonly ObservedRequest[];
  readonly actions: readonly ObservedAction[];
  readonly writes: readonly Write[];
  /** Writes by `pk sk`, oldest first; the first may be what was there before. */
  readonly writesOf: ReadonlyMap<string, readonly Write[]>;
  readonly organizationIds: readonly number[];
  /** How far the clocks of two instances may be apart. */
  readonly clockSkewMs: number;
  /** Whether calls take so long that a request may be out of time although none fails. */
  readonly isSlow: boolean;
  /** Whether an index may show, for ten seconds, what was before a write. */
  readonly isIndexLate: boolean;
  readonly limits: { readonly perKey: number; readonly perOrganization: number };
}

/** What is known of a piece of work when it begins. */
type Begun = Pick<Work, 'id' | 'startedAt'>;

const nothingYet = () => ({
  endedAt: Number.POSITIVE_INFINITY,
  handledUntil: Number.POSITIVE_INFINITY,
  writes: [],
  faults: [],
  earlierFaults: 0,
  conflicts: 0,
  calls: 0,
  lateCalls: [],
  result: undefined,
});

export const newRequest = (
  begun: Begun & Pick<ObservedRequest, 'client' | 'apiKey' | 'request'>,
): ObservedRequest => ({
  ...begun,
  ...nothingYet(),
  kind: 'request',
  what: begun.request.endpoint,
  organizationId: begun.apiKey.organizationId,
  answer: undefined,
  answerBody: undefined,
});

export const newAction = (
  begun: Begun & Pick<ObservedAction, 'what' | 'organizationId' | 'options'>,
): ObservedAction => ({ ...begun, ...nothingYet(), kind: 'action', outcome: 'under way' });
