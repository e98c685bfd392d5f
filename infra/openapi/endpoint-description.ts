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
export interface DescribedResponse {
  readonly description: string;
  readonly schema: v.GenericSchema;
  /** Besides those. */
  readonly headers?: readonly ResponseHeader[];
  readonly examples: Examples;
}

/** All that the document says about one endpoint, besides its row in `shared/contract/endpoints.ts` and its function's own schemas. */
export interface OperationDescription {
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description: string;
  /** Path, query and header parameters by name. */
  readonly parameters?: Parameters;
  /** The name of the body's schema in the document. */
  readonly bodyName?: string;
  /** Body properties by name; those of a nested object by path. */
  readonly body?: Sentences;
  /** Keys that `fields` must have, as text. The field rules ask for them, not the body's schema: a 422 then names every missing field. */
  readonly requiredFields?: readonly string[];
  /** Together they have every property of the body, as the schema's example of it. */
  readonly requests?: Examples;
  /** Successful responses by status (contract, section 4). */
  readonly responses: Readonly<Record<number, DescribedResponse>>;
  /** The schemas of these responses that have a name in the document. */
  readonly schemas?: Readonly<Record<string, v.GenericSchema>>;
  /**
   * The errors besides those that every endpoint has (contract, sections 4 and 7), with examples by name. An error without examples
   * is shown with its own sentence.
   */
  readonly errors: Readonly<Partial<Record<ErrorCode, Readonly<Record<string, ErrorBody>>>>>;
}
