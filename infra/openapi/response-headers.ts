import { limits } from '../../shared/limits.ts';

type Json = Readonly<Record<string, unknown>>;

const integer = (minimum: number, maximum?: number): Json => ({
  type: 'integer',
  minimum,
  ...(maximum && { maximum }),
});
const windowSeconds = limits.windowMs / 1000;

/** Every response header of the contract (section 1), with its schema and an example. */
export const responseHeaders = {
  'X-Request-Id': {
    description: 'Identifier of the request. Quote it to support.',
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

/** Whether a response has a header always or sometimes. It never has a header that is not named. */
export type CarriedHeaders = Readonly<Partial<Record<ResponseHeader, 'always' | 'sometimes'>>>;

export const limitHeaders = (presence: 'always' | 'sometimes'): CarriedHeaders => ({
  'RateLimit-Limit': presence,
  'RateLimit-Remaining': presence,
  'RateLimit-Reset': presence,
});

const componentName = (name: string, presence: 'always' | 'sometimes'): string =>
  presence === 'always' ? name : `${name}.sometimes`;

/** A response's `headers` as references to the components, with `X-Request-Id` first. */
export function headerReferences(carried: CarriedHeaders): Json {
  const all = { 'X-Request-Id': 'always' as const, ...carried };
  return Object.fromEntries(
    Object.entries(all).map(([name, presence]) => [
      name,
      { $ref: `#/components/headers/${componentName(name, presence)}` },
    ]),
  );
}

/** The header components that a response refers to: one for always, and one for sometimes. */
export function headerComponents(isReferred: (reference: string) => boolean): Json {
  const both = Object.entries(responseHeaders).flatMap(([name, header]) =>
    (['always', 'sometimes'] as const).map(
      (presence) =>
        [componentName(name, presence), { ...header, required: presence === 'always' }] as const,
    ),
  );
  return Object.fromEntries(both.filter(([name]) => isReferred(`#/components/headers/${name}`)));
}
