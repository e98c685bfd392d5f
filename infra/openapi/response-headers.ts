import { limits } from '../../shared/contract/limits.ts';

type Json = Readonly<Record<string, unknown>>;

const integer = (minimum: number, maximum?: number): Json => ({
  type: 'integer',
  minimum,
  ...(maximum && { maximum }),
});
const windowSeconds = limits.windowMs / 1000;

/** Every response header of the contract (section 1). */
export const responseHeaders = {
  'X-Request-Id': {
    description: 'Identifier of the request. Quote it to support.',
    required: true,
    schema: { type: 'string', minLength: 1 },
    example: 'JKJaXmPLvHcESHA=',
  },
  'RateLimit-Limit': {
    description:
      'Requests per hour of the limit (per key or per organization) that is closer to running out.',
    schema: integer(1),
    example: limits.requestsPerKeyPerWindow,
  },
  'RateLimit-Remaining': {
    description: 'Requests left of that limit.',
    schema: integer(0),
    example: 587,
  },
  'RateLimit-Reset': {
    description: 'Seconds until that limit is restored in full.',
    schema: integer(1, windowSeconds),
    example: 1740,
  },
  'Retry-After': {
    description: 'Seconds to wait.',
    schema: integer(1, windowSeconds),
    example: 1740,
  },
  Location: {
    description:
      'The address of the lead, relative to the address of this request. Absent when `archived` is present.',
    schema: { type: 'string', format: 'uri-reference' },
    example: '../leads/4211',
  },
  'Idempotent-Replayed': {
    description: 'Present when the response repeats an earlier result.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
} as const satisfies Readonly<Record<string, Json>>;
export type ResponseHeader = keyof typeof responseHeaders;

/** On every response after the key has been checked. */
export const limitHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** A response's `headers` as references to the components, with `X-Request-Id` first. */
export const headerReferences = (names: readonly ResponseHeader[]): Json =>
  Object.fromEntries(
    ['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
