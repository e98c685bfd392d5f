import { limits } from '../../shared/limits.ts';

type Json = Readonly<Record<string, unknown>>;

/** Whether every response of a status has a header, or some. */
type Presence = 'always' | 'sometimes';
/** The headers of a response. It never has a header that is not named. */
export type CarriedHeaders = Readonly<Partial<Record<ResponseHeader, Presence>>>;
export type ResponseHeader = keyof typeof responseHeaders;

const integer = (minimum: number, maximum?: number): Json => ({
  type: 'integer',
  minimum,
  ...(maximum && { maximum }),
});
const windowSeconds = limits.windowMs / 1000;

const both: readonly Presence[] = ['always', 'sometimes'];

/** Every response header of the contract (section 1): on which responses it is, its schema and an example. */
export const responseHeaders = {
  'X-Request-Id': {
    presences: ['always'],
    description: 'Identifier of the request. Quote it to support.',
    schema: { type: 'string', minLength: 1 },
    example: 'JKJaXmPLvHcESHA=',
  },
  'RateLimit-Limit': {
    presences: both,
    description:
      'Requests per hour of the limit (per key or per organization) that is closer to running out.',
    schema: integer(1),
    example: limits.requestsPerKeyPerWindow,
  },
  'RateLimit-Remaining': {
    presences: both,
    description: 'Requests left of that limit.',
    schema: integer(0),
    example: 587,
  },
  'RateLimit-Reset': {
    presences: both,
    description: 'Seconds until that limit is restored in full.',
    schema: integer(1, windowSeconds),
    example: 1740,
  },
  'Retry-After': {
    presences: ['always'],
    description: 'Seconds to wait.',
    schema: integer(1, windowSeconds),
    example: 1740,
  },
  Location: {
    presences: both,
    description:
      'The address of the lead, relative to the address of this request. Absent when `archived` is present.',
    schema: { type: 'string', format: 'uri-reference' },
    example: '../leads/4211',
  },
  'Idempotent-Replayed': {
    presences: ['sometimes'],
    description: 'Present when the response repeats an earlier result.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
} as const satisfies Readonly<Record<string, Json & { presences: readonly Presence[] }>>;

const componentName = (name: string, presence: Presence): string =>
  presence === 'always' ? name : `${name}.sometimes`;

/** The header components that responses refer to: one for always, and one for sometimes. */
export const headerComponents: Json = Object.fromEntries(
  Object.entries(responseHeaders).flatMap(([name, { presences, ...header }]) =>
    presences.map((presence) => [
      componentName(name, presence),
      { ...header, required: presence === 'always' },
    ]),
  ),
);

export const limitHeaders = (presence: Presence): CarriedHeaders => ({
  'RateLimit-Limit': presence,
  'RateLimit-Remaining': presence,
  'RateLimit-Reset': presence,
});

/** A response's `headers` as references to the components, with `X-Request-Id` first. */
export const headerReferences = (carried: CarriedHeaders): Json =>
  Object.fromEntries(
    Object.entries({ 'X-Request-Id': 'always' as const, ...carried }).map(([name, presence]) => [
      name,
      { $ref: `#/components/headers/${componentName(name, presence)}` },
    ]),
  );
