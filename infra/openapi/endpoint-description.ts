import type * as v from 'valibot';
import type { ErrorBody, ErrorCode } from '../../shared/contract/errors.ts';
import type { tags } from './introduction.ts';
import type { ResponseHeader } from './response-headers.ts';

/** Sentences by the name of a body property. */
export type Sentences = Readonly<Record<string, string>>;
/** Sentences and example values by the name of a parameter. */
export type Parameters = Readonly<Record<string, readonly [sentence: string, example: unknown]>>;
/** Example values by the name of the example. */
export type Examples = Readonly<Record<string, unknown>>;

/** A successful response. `RateLimit-*` and `X-Request-Id` are on all of them. */
interface DescribedResponse {
  readonly description: string;
  readonly schema: v.GenericSchema;
  /** Headers in addition to those. */
  readonly headers?: readonly ResponseHeader[];
  readonly examples: Examples;
}

/** Everything that the document says about an endpoint, besides its row in `shared/contract/endpoints.ts` and its function's schemas. */
export interface OperationDescription {
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description: string;
  /** Path, query and header parameters by name. */
  readonly parameters?: Parameters;
  /** The name of the body's schema in the document. */
  readonly bodyName?: string;
  /** Sentences by body property; nested properties are named by their path. */
  readonly body?: Sentences;
  /**
   * Keys that `fields` must have, as text. The field rules require them, not the body's schema, so that a 422 names every missing field.
   */
  readonly requiredFields?: readonly string[];
  /** Example requests. Together they have every property of the body, which becomes the property's example in the schema. */
  readonly requests?: Examples;
  /** Successful responses by status (contract, section 4). */
  readonly responses: Readonly<Record<number, DescribedResponse>>;
  /** The schemas that these responses use and that have a name in the document. */
  readonly schemas?: Readonly<Record<string, v.GenericSchema>>;
  /**
   * The endpoint's errors in addition to general ones (contract, sections 4 and 7), with examples by name. An error without examples is
   * shown with its sentence.
   */
  readonly errors: Readonly<Partial<Record<ErrorCode, Readonly<Record<string, ErrorBody>>>>>;
}
